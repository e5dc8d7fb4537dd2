// SPDX-License-Identifier: BSD-3-Clause
//! The same benchmarks for time and for each count: PMU_EVENTS=page-faults,context-switches cargo bench
mod measure;
mod plate;
mod pmu;

use criterion::measurement::Measurement;
use criterion::{BenchmarkId, Criterion};
use measure::Counted;
use plate::Plate;

/// The group is what is measured, so that Criterion compares counts with the same counts of the last run.
fn benchmarks<M: Measurement + 'static>(mut criterion: Criterion<M>, what: &str) {
    let mut group = criterion.benchmark_group(what);
    let mut plate = Plate::heated();

    group.bench_function("sweep", |b| b.iter(|| plate.sweep()));
    for pages in [8, 64] {
        group.bench_function(BenchmarkId::new("touch", pages), |b| {
            b.iter(|| touch(pages))
        });
    }
    group.finish();
}

/// Memory is there with its first use: each page's is a page fault.
fn touch(pages: usize) {
    // SAFETY: the memory is this function's own.
    unsafe {
        let size = libc::sysconf(libc::_SC_PAGESIZE) as usize;
        let memory = libc::mmap(
            std::ptr::null_mut(),
            pages * size,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        );

        assert_ne!(memory, libc::MAP_FAILED);
        for page in 0..pages {
            memory.cast::<u8>().add(page * size).write_volatile(1);
        }
        libc::munmap(memory, pages * size);
    }
}

fn main() {
    let (counts, missing) = Counted::all();

    if let Some(missing) = missing {
        eprintln!("not counted: {}", missing);
    }
    benchmarks(Criterion::default().configure_from_args(), "time");
    for count in counts {
        let name = count.name();
        let criterion = Criterion::default().with_measurement(count);

        // No plots: those of a count that is always the same end the program.
        benchmarks(criterion.configure_from_args().without_plots(), name);
    }
    Criterion::default().configure_from_args().final_summary();
}
