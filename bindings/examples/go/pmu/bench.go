// SPDX-License-Identifier: BSD-3-Clause

package pmu

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// Counter counts what a benchmark does.
type Counter struct {
	b      *testing.B
	region string
	before []Count
}

// Measure begins to count and to take the time, and Report ends both:
//
//	defer pmu.Measure(b).Report()
//	for i := 0; i < b.N; i++ {
//
// The benchmark is a region, and stays on its thread from here to the report.  What other goroutines do
// for it meanwhile is not in its counts.
func Measure(b *testing.B) *Counter {
	runtime.LockOSThread()
	c := &Counter{b: b, region: b.Name()}
	Begin(c.region).End() // a region's first call on a thread allocates
	c.before = Read(c.region)
	b.ResetTimer()
	Begin(c.region)
	return c
}

// StopTimer is the benchmark's, and holds the counts too.
func (c *Counter) StopTimer() {
	Region(c.region).End()
	c.b.StopTimer()
}

// StartTimer goes on after StopTimer.
func (c *Counter) StartTimer() {
	c.b.StartTimer()
	Begin(c.region)
}

// Report adds a metric per operation for each count that could be made.
func (c *Counter) Report() {
	c.StopTimer()
	now := Read(c.region)
	if len(now) == 0 {
		missing.Store("anything but time", true)
	}
	for i, count := range now {
		if !count.Known || i >= len(c.before) {
			missing.Store(count.Name, true)
			continue
		}
		did := float64(count.Value) - float64(c.before[i].Value)
		unit := strings.ReplaceAll(count.Name, " ", "-") + "/op"
		c.b.ReportMetric(did/float64(c.b.N), unit)
	}
	runtime.UnlockOSThread()
}

// The names of counts that are in no benchmark's line.
var missing sync.Map

// Main runs tests and benchmarks in a session, and says below their results what is not in them:
//
//	func TestMain(m *testing.M) { pmu.Main(m) }
//
// There is no report but of PMU_OUTPUT.
func Main(m *testing.M) {
	why := Start("none")
	status := m.Run()
	names := []string{}
	missing.Range(func(name, _ any) bool {
		names = append(names, name.(string))
		return true
	})
	if len(names) > 0 {
		// Not "key: value" with a small letter in front: benchstat has such lines for configuration.
		if why == nil {
			why = errors.New("'pmu doctor' says why")
		}
		fmt.Printf("Not counted: %s: %v\n", strings.Join(names, ", "), why)
	}
	Finish()
	os.Exit(status)
}
