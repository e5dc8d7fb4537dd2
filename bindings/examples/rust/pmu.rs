// SPDX-License-Identifier: BSD-3-Clause
//! The calls of libpmu that the examples need: the session, regions and their counts.
#![allow(dead_code)] // no program uses all of it

use std::ffi::{CStr, CString};
use std::marker::PhantomData;
use std::os::raw::{c_char, c_int, c_uint};
use std::ptr;

// As in pmu.h.
const MAX_COUNTS: usize = 16;
const THREAD_SELF: c_int = -1;
/// Linux's number for a session that there is already: of `pmu run`.
const EALREADY: c_int = 114;

#[repr(C)]
struct Options {
    size: usize,
    enable: *const c_char,
    group: *const c_char,
    events: *const c_char,
    backend: *const c_char,
    count: *const c_char,
    pin: *const c_char,
    output: *const c_char,
}

#[repr(C)]
struct RegionCounts {
    size: usize,
    calls: u64,
    time_ns: u64,
    n_counts: u32,
    missing: u32,
    count: [u64; MAX_COUNTS],
    net_time_ns: u64,
    net: [u64; MAX_COUNTS],
}

#[link(name = "pmu")]
extern "C" {
    fn pmu_init(options: *const Options) -> c_int;
    fn pmu_region_begin_n(name: *const c_char, len: usize) -> c_int;
    fn pmu_region_end_n(name: *const c_char, len: usize) -> c_int;
    fn pmu_region_read(region: *const c_char, thread: c_int, counts: *mut RegionCounts) -> c_int;
    fn pmu_count_name(slot: c_uint) -> *const c_char;
    fn pmu_last_error() -> *const c_char;
}

/// A region to the end of its scope: `let _sweep = Region::begin("sweep");`
///
/// Not `let _ = ...`, which is dropped at once.  It ends on the thread it began on, so it cannot be
/// sent to another.
#[must_use = "a region ends where this is dropped"]
pub struct Region<'a>(&'a str, PhantomData<*const ()>);

impl<'a> Region<'a> {
    pub fn begin(name: &'a str) -> Self {
        // SAFETY: the text is len bytes, which the call copies.
        unsafe { pmu_region_begin_n(name.as_ptr().cast(), name.len()) };
        Region(name, PhantomData)
    }
}

impl Drop for Region<'_> {
    fn drop(&mut self) {
        // SAFETY: as in begin.
        unsafe { pmu_region_end_n(self.0.as_ptr().cast(), self.0.len()) };
    }
}

/// Begins the session, with the settings of the environment, and no report but that of PMU_OUTPUT.
/// The error says what is not counted and why; times are there all the same.
pub fn start_without_report() -> Result<(), String> {
    let none = CString::new("none").unwrap();
    let options = Options {
        size: std::mem::size_of::<Options>(),
        enable: ptr::null(),
        group: ptr::null(),
        events: ptr::null(),
        backend: ptr::null(),
        count: ptr::null(),
        pin: ptr::null(),
        output: match std::env::var_os("PMU_OUTPUT") {
            Some(_) => ptr::null(),
            None => none.as_ptr(),
        },
    };
    // SAFETY: the texts live until the call returns; the error is a text, "" for none.
    let (rc, why) = unsafe {
        let rc = pmu_init(&options);
        (
            rc,
            CStr::from_ptr(pmu_last_error())
                .to_string_lossy()
                .into_owned(),
        )
    };
    if rc == -EALREADY || why.is_empty() {
        return Ok(());
    }
    Err(why)
}

/// A count by its name; None where it could not be made: it is not 0 but unknown.
pub type Count = (String, Option<u64>);

fn read(region: &str) -> Option<RegionCounts> {
    let region = CString::new(region).ok()?;
    // SAFETY: whole numbers may be 0, and the call writes as much as size says.
    unsafe {
        let mut counts: RegionCounts = std::mem::zeroed();
        counts.size = std::mem::size_of::<RegionCounts>();
        match pmu_region_read(region.as_ptr(), THREAD_SELF, &mut counts) {
            0 => Some(counts),
            _ => None,
        }
    }
}

/// One of a region's counts, of its calls on this thread that have ended, without what the library did itself.
pub fn count(region: &str, slot: usize) -> Option<u64> {
    let counts = read(region)?;
    let known = slot < counts.n_counts as usize && counts.missing >> slot & 1 == 0;
    known.then(|| counts.net[slot])
}

/// All of them.
pub fn counts(region: &str) -> Vec<Count> {
    let n = read(region).map_or(0, |counts| counts.n_counts as usize);
    (0..n)
        .map(|slot| (count_name(slot), count(region, slot)))
        .collect()
}

fn count_name(slot: usize) -> String {
    // SAFETY: it is asked for slots that there are, and copied.
    let name = unsafe { CStr::from_ptr(pmu_count_name(slot as c_uint)) };
    name.to_string_lossy().into_owned()
}
