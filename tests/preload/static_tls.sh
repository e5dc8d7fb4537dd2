#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The loader keeps some 1,600 bytes of threads' initial block for libraries that come by dlopen(): a library of the
# program's that fits in there without us does so under `pmu run`.
# shellcheck source=tests/command/pmu.sh
. "${TEST_SRCDIR:-$(dirname "$0")/../..}/tests/command/pmu.sh"

[ -z "${TEST_SANITIZERS:-}" ] || skip_all 'sanitizers take of it, too'

unset PMU_STORE PMU_AUTO PMU_WRAP PMU_FUNCTIONS LD_PRELOAD
export XDG_RUNTIME_DIR="$tmp" PMU_OUTPUT=none PMU_BACKEND=clock
cc=${TEST_CC:-cc}
cat >template.c <<'C'
static __thread long block __attribute__((tls_model("initial-exec")));
long *template(void);
long *template(void)
{
	return &block;
}
C
{ $cc -shared -fPIC -o template.so template.c && $cc -D_GNU_SOURCE -o sizes "$source/tests/preload/static_tls.c" -ldl &&
	$cc -D_GNU_SOURCE -o linked "$source/tests/preload/static_tls.c" -Wl,--no-as-needed -L"$build/lib/.libs" \
		-Wl,-rpath,"$build/lib/.libs" -lpmu -ldl; } 2>err || skip_all "no compiler: $(head -n 1 err)"

plain=$(./sizes ./template.so)
[ "$plain" -ge 512 ] 2>/dev/null || skip_all "the loader keeps nothing: ${plain:-status $?}"
echo "# $plain bytes without us"
# of what is rounded up to 64 some is left over, more or less of it by the compiler
most=$("$pmu" run -- ./sizes ./template.so 2>&1)
[ $((plain - most)) -le 48 ]
result $? "under pmu run: $most bytes"
most=$("$pmu" run --auto main,threads,openmp,wrap,markers -- ./sizes ./template.so 2>&1)
[ $((plain - most)) -le 48 ]
result $? "with everything that it marks: $most bytes"

# 48 bytes at most, together with all of our libraries that a program can load.  Linked, ours take nothing of the reserve:
# what may be lost is part of what rounding up to 64 leaves over.
linked=$(./linked ./template.so 2>&1)
[ $((plain - linked)) -le 48 ]
result $? "linked with libpmu: $linked bytes"
most=$("$pmu" run -- ./linked ./template.so 2>&1)
[ $((plain - most)) -le 48 ]
result $? "the same under pmu run: $most bytes"
libraries="$build/lib/.libs/libpmu.so.0 $build/lib/.libs/libpmu-events.so $build/bindings/.libs/libpmu-annotations.so"
# shellcheck disable=SC2086 # a word for each
most=$(./sizes ./template.so $libraries 2>&1)
[ $((plain - most)) -le 48 ]
result $? "beside libpmu and its companions by dlopen(): $most bytes"
# shellcheck disable=SC2086
most=$("$pmu" run -- ./sizes ./template.so $libraries 2>&1)
[ $((plain - most)) -le 48 ]
result $? "the same under pmu run: $most bytes"

finish
