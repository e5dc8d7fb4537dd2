// SPDX-License-Identifier: BSD-3-Clause

package main

import (
	"fmt"
	"os"
	"pmu-example/pmu"
	"syscall"
	"testing"
)

func TestMain(m *testing.M) { pmu.Main(m) }

func BenchmarkSweep(b *testing.B) {
	p := heated()
	defer pmu.Measure(b).Report()
	for i := 0; i < b.N; i++ {
		p.sweep()
	}
}

// Memory is there with its first use: each page's is a page fault.
func BenchmarkTouch(b *testing.B) {
	for _, pages := range []int{8, 64} {
		b.Run(fmt.Sprint(pages), func(b *testing.B) {
			defer pmu.Measure(b).Report()
			for i := 0; i < b.N; i++ {
				touch(b, pages)
			}
		})
	}
}

// Half of the work of an operation is neither timed nor counted.
func BenchmarkPaused(b *testing.B) {
	c := pmu.Measure(b)
	defer c.Report()
	for i := 0; i < b.N; i++ {
		touch(b, 8)
		c.StopTimer()
		touch(b, 8)
		c.StartTimer()
	}
}

// Another goroutine is on another thread, whose page faults are not counted here.
func BenchmarkOther(b *testing.B) {
	ask, done := make(chan bool), make(chan bool)
	go func() {
		for range ask {
			touch(b, 8)
			done <- true
		}
	}()
	defer close(ask)
	defer pmu.Measure(b).Report()
	for i := 0; i < b.N; i++ {
		ask <- true
		<-done
	}
}

func touch(b *testing.B, pages int) {
	size := os.Getpagesize()
	memory, err := syscall.Mmap(-1, 0, pages*size, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		b.Fatal(err)
	}
	for i := 0; i < len(memory); i += size {
		memory[i] = 1
	}
	if err := syscall.Munmap(memory); err != nil {
		b.Fatal(err)
	}
}
