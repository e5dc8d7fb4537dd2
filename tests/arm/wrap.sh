#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# In the guest: functions of a library are wrapped there; what their callers print is the same, and every
# call is counted, but of those that call themselves by two kinds of slots.
export LD_LIBRARY_PATH=/job TEST_PLUGINS=/job
n=0 failed=0

result() {
	n=$((n + 1))
	if [ "$1" = 0 ]; then
		echo "ok $n - $2"
	else
		failed=1
		echo "not ok $n - $2"
		sed 's/^/# /' /tmp/err
	fi
}

for how in now lazy fixed; do
	for part in values variadic control jumps leaps stacks coroutines threads plugins addresses; do
		rm -f /tmp/want.* /tmp/got.* /tmp/run.csv
		TEST_CALLS=/tmp/want.calls ./wrapped-$how $part >/tmp/want.out 2>&1
		want=$?
		LD_PRELOAD=/job/libpmu-preload.so PMU_WRAP='libwrapped:w_*,libc:qsort' PMU_OUTPUT=/tmp/run.csv \
			TEST_CALLS=/tmp/got.calls ./wrapped-$how $part >/tmp/got.out 2>&1
		got=$?
		[ $want = 7 ] && [ $got = 7 ] && diff /tmp/want.out /tmp/got.out >/tmp/err
		result $? "wrapped, $how: $part: same output and status"
		awk '{ n[$1] += $2 } END { for (name in n) print name, n[name] }' /tmp/want.calls | sort >/tmp/want.list
		awk -F, '
			/^group,/ || $5 != "all" || $3 ~ /^(main|thread|w_asks|w_is_itself)$/ { next }
			{ n[$3] += $6 }
			END { for (name in n) print name, n[name] }' /tmp/run.csv | sort >/tmp/got.list
		diff /tmp/want.list /tmp/got.list >/tmp/err
		result $? "wrapped, $how: $part: every call is counted"
	done
done
echo "1..$n"
exit $failed
