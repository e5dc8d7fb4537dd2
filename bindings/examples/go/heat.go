// SPDX-License-Identifier: BSD-3-Clause

// The temperature of a plate with one hot edge, by Jacobi's method.
//
//	go run . [SWEEPS]
package main

import (
	"fmt"
	"math"
	"os"
	"pmu-example/pmu"
	"strconv"
)

const (
	n     = 64 // points on an edge
	every = 10 // sweeps from one look at the residual to the next
)

type plate struct {
	now, next [n][n]float64
}

func heated() *plate {
	defer pmu.Begin("init").End()
	p := &plate{}
	for i := range p.now {
		p.now[i][0], p.next[i][0] = 1, 1
	}
	return p
}

func (p *plate) mean(i, j int) float64 {
	return 0.25 * (p.now[i-1][j] + p.now[i+1][j] + p.now[i][j-1] + p.now[i][j+1])
}

func (p *plate) sweep() {
	defer pmu.Begin("sweep").End()
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			p.next[i][j] = p.mean(i, j)
		}
	}
	p.now = p.next
}

// The largest difference between a point and the mean of its neighbours.
func (p *plate) residual() float64 {
	defer pmu.Begin("residual").End()
	largest := 0.0
	for i := 1; i < n-1; i++ {
		for j := 1; j < n-1; j++ {
			largest = math.Max(largest, math.Abs(p.mean(i, j)-p.now[i][j]))
		}
	}
	return largest
}

func solve(p *plate, sweeps int) float64 {
	defer pmu.Begin("solve").End()
	left := 0.0
	for i := 1; i <= sweeps; i++ {
		p.sweep()
		if i%every == 0 {
			left = p.residual()
		}
	}
	return left
}

func main() {
	sweeps := 100
	if len(os.Args) > 1 {
		sweeps, _ = strconv.Atoi(os.Args[1])
	}
	pmu.Start("") // what is not counted, the report says
	defer pmu.Finish()
	left := solve(heated(), sweeps)
	fmt.Printf("after %d sweeps the residual is %.6e\n", sweeps, left)
}
