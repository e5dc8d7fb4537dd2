// SPDX-License-Identifier: BSD-3-Clause
//! Criterion's statistics of counts: each count of PMU_EVENTS or PMU_GROUP is a measurement as time is.
use crate::pmu::{self, Region};
use criterion::measurement::{Measurement, ValueFormatter};
use criterion::Throughput;

const REGION: &str = "benchmark";

/// One of the counts.
pub struct Counted {
    slot: usize,
    units: Units,
}

struct Units {
    count: &'static str,
    per_byte: &'static str,
    per_element: &'static str,
}

impl Counted {
    /// Those that can be made here, and what is in the way of others.
    pub fn all() -> (Vec<Counted>, Option<String>) {
        let why = pmu::start_without_report().err();
        let why = why.unwrap_or_else(|| "'pmu doctor' says why".to_string());
        let mut made = Vec::new();
        let mut missing = Vec::new();

        drop(Region::begin(REGION)); // its first call allocates
        for (slot, (name, count)) in pmu::counts(REGION).into_iter().enumerate() {
            match count {
                Some(_) => made.push(Counted {
                    slot,
                    units: Units::of(&name),
                }),
                None => missing.push(name),
            }
        }
        if made.is_empty() && missing.is_empty() {
            missing.push("anything but time".to_string());
        }
        let missing = (!missing.is_empty()).then(|| format!("{}: {}", missing.join(", "), why));
        (made, missing)
    }

    pub fn name(&self) -> &'static str {
        self.units.count
    }

    fn now(&self) -> u64 {
        pmu::count(REGION, self.slot).unwrap_or(0)
    }
}

impl Measurement for Counted {
    type Intermediate = (u64, Region<'static>);
    type Value = u64;

    fn start(&self) -> Self::Intermediate {
        let before = self.now();
        (before, Region::begin(REGION))
    }
    fn end(&self, (before, region): Self::Intermediate) -> u64 {
        drop(region);
        self.now() - before
    }
    fn add(&self, one: &u64, other: &u64) -> u64 {
        one + other
    }
    fn zero(&self) -> u64 {
        0
    }
    fn to_f64(&self, value: &u64) -> f64 {
        *value as f64
    }
    fn formatter(&self) -> &dyn ValueFormatter {
        &self.units
    }
}

impl Units {
    /// Criterion has texts that live as long as the program; there are few.
    fn of(name: &str) -> Self {
        let keep = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };

        Units {
            count: keep(name.to_string()),
            per_byte: keep(format!("{}/byte", name)),
            per_element: keep(format!("{}/element", name)),
        }
    }
}

/// Counts are printed as they are, without kilo and mega.
impl ValueFormatter for Units {
    fn scale_values(&self, _typical: f64, _values: &mut [f64]) -> &'static str {
        self.count
    }
    fn scale_throughputs(&self, _: f64, per: &Throughput, values: &mut [f64]) -> &'static str {
        let (n, unit) = match *per {
            Throughput::Bytes(n) => (n, self.per_byte),
            Throughput::Elements(n) => (n, self.per_element),
        };

        values.iter_mut().for_each(|value| *value /= n as f64);
        unit
    }
    fn scale_for_machines(&self, _values: &mut [f64]) -> &'static str {
        self.count
    }
}
