// SPDX-License-Identifier: BSD-3-Clause

// Package pmu has the calls of libpmu that the example needs: the session, regions and their counts.
package pmu

/*
#cgo pkg-config: pmu
#include <errno.h>
#include <pmu.h>
#include <stdlib.h>

// A Go string has a length and no NUL: so it goes over without a copy.
static int begin(_GoString_ name)
{
	return pmu_region_begin_n(_GoStringPtr(name), _GoStringLen(name));
}
static int end(_GoString_ name)
{
	return pmu_region_end_n(_GoStringPtr(name), _GoStringLen(name));
}
*/
import "C"

import (
	"errors"
	"os"
	"runtime"
	"unsafe"
)

// Region is one that has begun on this goroutine, by its name.
type Region string

// Begin begins a region that End ends:
//
//	defer pmu.Begin("sweep").End()
//
// The counters are those of an operating system's thread, and so is a region.  The scheduler moves
// goroutines from thread to thread where it likes: a region that ended on another thread than it
// began on would never end on the first one.  LockOSThread keeps the goroutine, and nothing else,
// on its thread; regions nest because as many UnlockOSThread are needed as there were locks.
func Begin(name string) Region {
	runtime.LockOSThread()
	C.begin(name)
	return Region(name)
}

// End ends it, on the goroutine that began it.
func (r Region) End() {
	C.end(string(r))
	runtime.UnlockOSThread()
}

// Start begins the session with the environment's settings (PMU_EVENTS, PMU_GROUP, ...).  Where
// PMU_OUTPUT is not set, the report goes to output; "" is standard error.  The error is nil, or says
// what is not counted and why; times are there all the same.
//
// Threads stay where the system puts them unless PMU_PIN is set: the runtime starts new threads from
// those it has, and all would inherit the one processor of a thread that was pinned.
func Start(output string) error {
	options := C.struct_pmu_options{}
	options.size = C.sizeof_struct_pmu_options
	for _, its := range []struct {
		member            **C.char
		variable, instead string
	}{{&options.output, "PMU_OUTPUT", output}, {&options.pin, "PMU_PIN", "none"}} {
		if os.Getenv(its.variable) == "" && its.instead != "" {
			*its.member = C.CString(its.instead)
			defer C.free(unsafe.Pointer(*its.member))
		}
	}
	runtime.LockOSThread() // the last error is the thread's
	defer runtime.UnlockOSThread()
	rc := C.pmu_init(&options)
	why := C.GoString(C.pmu_last_error())
	if rc == -C.EALREADY || why == "" { // "pmu run" has a session for its programs
		return nil
	}
	return errors.New(why)
}

// Finish ends the session and writes its report.  A Go program ends without exit(3), which makes the
// report of others.
func Finish() {
	C.pmu_fini()
}

// Count is what one of the events has counted.  Where it could not be made it is not 0 but unknown.
type Count struct {
	Name  string
	Value uint64
	Known bool
}

// Read gives the counts of a region's calls on this thread that have ended, without what the library
// did itself; lock the thread around two of them whose difference is to mean something.
func Read(name string) []Count {
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	its := C.struct_pmu_region_counts{}
	its.size = C.sizeof_struct_pmu_region_counts
	if C.pmu_region_read(text, C.PMU_THREAD_SELF, &its) < 0 {
		return nil
	}
	counts := make([]Count, its.n_counts)
	for i := range counts {
		counts[i] = Count{C.GoString(C.pmu_count_name(C.uint(i))), uint64(its.net[i]), its.missing>>i&1 == 0}
	}
	return counts
}
