#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Intel's models, one without an invariant TSC (its clock is clock_gettime's), and one without a PMU: models.sh.
. "$(dirname "$0")/models.sh"

models <<'MODELS'
Nehalem          4 3 no  no  yes --cpu Nehalem --smp 2 --sockets 2
Westmere         4 3 no  no  yes --cpu Westmere --smp 4 --sockets 2 --watchdog
SandyBridge      4 3 yes yes no  --cpu SandyBridge --smp 1
Haswell          4 3 yes yes no  --cpu Haswell --smp 2 --watchdog
Skylake-Server   4 3 yes yes no  --cpu Skylake-Server --smp 2 --sockets 2
Icelake-Server   8 4 yes yes zero --cpu Icelake-Server --smp 2
SapphireRapids   8 4 yes yes no  --cpu SapphireRapids --smp 4 --watchdog
no-invariant-TSC 4 3 yes yes no  --cpu Haswell,x-pmu-invtsc=off --smp 2
no-PMU           0 0 no  no  no  --cpu Haswell,pmu=off --smp 1
MODELS
