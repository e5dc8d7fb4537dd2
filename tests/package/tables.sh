#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# make update-events: tables made of Linux's event files.
set -u
export LC_ALL=C

# shellcheck source=tests/tap.sh
. "$(dirname "$0")/../tap.sh"
cd "${TEST_SRCDIR:-$(dirname "$0")/../..}" || exit 1
python=${TEST_PYTHON:-python3}
if [ "$python" = : ] || ! command -v "$python" >/dev/null; then
	skip_all "there is no Python"
fi
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
evidence=$tmp/err

mkdir "$tmp/tables" "$tmp/tables/intel" "$tmp/linux" "$tmp/linux/tools" "$tmp/linux/tools/perf"
cp lib/names/tables/update.py "$tmp/tables"
cp -R tests/data/pmu-events "$tmp/linux/tools/perf"
chmod -R u+w "$tmp"
arch=$tmp/linux/tools/perf/pmu-events/arch
printf 'VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 3\n' >"$tmp/linux/Makefile"

# refuses WORDS NAME: it makes nothing, and says why
refuses() {
	! "$python" "$tmp/tables/update.py" "$tmp/linux" >/dev/null 2>"$tmp/err" && grep -qF "$1" "$tmp/err"
	result $? "$2"
}

# without EDIT FILE: lines are taken out of a file
without() {
	sed "$1" "$2" >"$tmp/edited" && mv "$tmp/edited" "$2"
}

refuses 'amdzen3' 'a folder that is not there ends it'
without '/amdzen3\|amdzen5/d' "$arch/x86/mapfile.csv"
refuses 'cmn_node: what is EventidCode?' 'so does what may change what is counted'
without '/cmn_node/d' "$arch/x86/amdzen4/uncore.json"
refuses 'there is no standard event NOWHERE' 'and an event that is nowhere'
without '/NOWHERE/d' "$arch/arm64/arm/neoverse-n1/memory.json"
without '/neoverse-v1/d' "$arch/arm64/mapfile.csv"

"$python" "$tmp/tables/update.py" "$tmp/linux" 2>"$tmp/err"
result $? 'tables are made'
cat >"$tmp/amd" <<'EOF'
# Linux 6.12.3, tools/perf/pmu-events/arch/x86/amdzen4, v1
de_no_dispatch_per_slot.no_ops_from_frontend 1a0 1 c1 e
ls_dispatch.ld_dispatch 29 1
ls_gone 2f 0 d
[DFPMC]
df_beats 29f 7fe
[L3PMC]
l3_latency ac 3f n3 y3 a b
l3_wide 1ac 0
[UMCPMC]
umc_cas_cmd.rd a 0 w1
EOF
cat >"$tmp/arm" <<'EOF'
# Linux 6.12.3, tools/perf/pmu-events/arch/arm64/arm/neoverse-n1, v1
L1D_CACHE 4 0
MEM_ACCESS 13 0
OWN c7 0
[hisi_sccl,ddrc]
FLUX 3 0 g
EOF
cat >"$tmp/riscv" <<'EOF'
# Linux 6.12.3, tools/perf/pmu-events/arch/riscv/sifive/u74, v1
FW_SET_TIMER 8000000000000005 0 g
INTEGER_LOAD_RETIRED 200 0
EOF
for pair in amd:amd/amdzen4 arm:arm64/arm-neoverse-n1 riscv:riscv/sifive-u74; do
	diff "$tmp/${pair%:*}" "$tmp/tables/${pair#*:}.events" >"$tmp/err" 2>&1
	result $? "${pair#*:} has what its files have"
done
grep -qx 'AuthenticAMD-25-\[\[:xdigit:\]\]+,v1,amdzen4,core' "$tmp/tables/amd/mapfile.csv"
result $? 'the map has its processors'
! grep -q Intel "$tmp/tables/amd/mapfile.csv"
result $? "and Intel's are taken from elsewhere"
grep -q '%D%/arm64/arm-neoverse-n1.events' "$tmp/tables/files.mk"
result $? 'make has the list'

finish
