// SPDX-License-Identifier: BSD-3-Clause
//! The temperature of a plate with one hot edge, by Jacobi's method.
//!
//!     rustc -O heat.rs $(pkg-config --libs pmu)
//!     ./heat [SWEEPS]
mod plate;
mod pmu;

use plate::Plate;
use pmu::Region;

const EVERY: u32 = 10; // sweeps from one look at the residual to the next

fn main() {
    let sweeps = std::env::args().nth(1).map_or(100, |n| n.parse().unwrap());
    let mut plate = Plate::heated();
    let mut left = 0.0;

    {
        let _solve = Region::begin("solve");

        for i in 1..=sweeps {
            plate.sweep();
            if i % EVERY == 0 {
                left = plate.residual();
            }
        }
    }
    println!("after {} sweeps the residual is {:.6e}", sweeps, left);
}
