// SPDX-License-Identifier: BSD-3-Clause
//! Tells cargo where the library is.
fn main() {
    pkg_config::probe_library("pmu").unwrap();
}
