#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# AMD's models: models.sh.
. "$(dirname "$0")/models.sh"

models <<'MODELS'
Naples 6 0 yes no  no --cpu Naples --smp 2 --sockets 2
Rome   6 0 yes no  no --cpu Rome --smp 1 --watchdog
Milan  6 0 yes no  no --cpu Milan --smp 2 --watchdog
Genoa  6 0 yes yes no --cpu Genoa --smp 4 --sockets 2
MODELS
