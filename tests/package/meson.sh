#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# dependency('pmu') of Meson, which asks pkg-config.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/../command/pmu.sh"
command -v meson >/dev/null && command -v ninja >/dev/null || skip_all 'no meson with ninja'
# shellcheck source=tests/package/installed.sh
. "$source/tests/package/installed.sh"
heat=$source/bindings/examples/heat
version=$("$pmu" --version | sed 's/.* //')
evidence='out err'

mkdir project
cp "$heat.c" "$heat.cc" project
cat >project/meson.build <<S
project('heat', 'c')
pmu = dependency('pmu', version: '>=$version')
executable('heat_c', 'heat.c', dependencies: [pmu, meson.get_compiler('c').find_library('m')])
if add_languages('cpp', required: false, native: false)
  executable('heat_cc', 'heat.cc', dependencies: pmu, override_options: ['cpp_std=c++17'])
endif
S
# The .pc file says where it was to be; --define-prefix where it is.
cat >pkg-config <<S
#!/bin/sh
exec "${TEST_PKG_CONFIG:-pkg-config}" --define-prefix "\$@"
S
chmod +x pkg-config
export PKG_CONFIG="$tmp/pkg-config" PKG_CONFIG_PATH="$libdir/pkgconfig" CC="${TEST_CC:-cc}" HOME="$tmp"
[ -z "${TEST_CXX:-}" ] || export CXX="$TEST_CXX"
meson setup built project >out 2>err
result $? "dependency('pmu') is found"
ninja -C built >out 2>err
result $? '  and programs are built'
for program in built/heat_c built/heat_cc; do
	[ ! -e "$program" ] || regions "$program"
done
finish
