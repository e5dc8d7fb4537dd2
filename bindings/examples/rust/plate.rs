// SPDX-License-Identifier: BSD-3-Clause
//! What the program and the benchmark have in common.
#![allow(dead_code)] // the benchmark uses a part

use crate::pmu::Region;

const N: usize = 64; // points on an edge

pub struct Plate {
    now: Vec<f64>,
    next: Vec<f64>,
}

impl Plate {
    pub fn heated() -> Self {
        let _init = Region::begin("init");
        let mut now = vec![0.0; N * N];

        for i in 0..N {
            now[i * N] = 1.0;
        }
        Plate {
            next: now.clone(),
            now,
        }
    }

    fn mean(&self, i: usize, j: usize) -> f64 {
        let at = |i: usize, j: usize| self.now[i * N + j];

        0.25 * (at(i - 1, j) + at(i + 1, j) + at(i, j - 1) + at(i, j + 1))
    }

    pub fn sweep(&mut self) {
        let _sweep = Region::begin("sweep");

        for i in 1..N - 1 {
            for j in 1..N - 1 {
                self.next[i * N + j] = self.mean(i, j);
            }
        }
        self.now.copy_from_slice(&self.next);
    }

    /// The largest difference between a point and the mean of its neighbours.
    pub fn residual(&self) -> f64 {
        let _residual = Region::begin("residual");
        let mut largest: f64 = 0.0;

        for i in 1..N - 1 {
            for j in 1..N - 1 {
                largest = largest.max((self.mean(i, j) - self.now[i * N + j]).abs());
            }
        }
        largest
    }
}
