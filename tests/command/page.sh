#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Pages: -o with .html, and what a browser makes of them (page.mjs).  TEST_PAGE=skip leaves it out;
# TEST_NODE_MODULES is the folder that has puppeteer-core, TEST_CHROMIUM a browser.
# shellcheck source=tests/command/pmu.sh
. "$(dirname "$0")/pmu.sh"
# shellcheck source=tests/valgrind/common.sh
. "$source/tests/valgrind/common.sh"
unset PMU_OUTPUT PMU_GROUP PMU_EVENTS PMU_BACKEND PMU_ENABLE PMU_REQUIRE PMU_ROTATE
export XDG_CACHE_HOME="$tmp/cache" XDG_CONFIG_HOME="$tmp/config"

[ "${TEST_PAGE:-}" != skip ] || skip_all 'left out by TEST_PAGE'
command -v node >/dev/null || skip_all 'no node, which makes the reports'
node "$source/tests/command/page_data.mjs" "$tmp" >err 2>&1
result $? 'reports are made'

# --- what is written ---

run 0 'a report as a page' report usual.json --ceilings ceilings.json --roofline -o usual.html
is 'of one file that says what it is' "$(head -n 1 usual.html)" '<!DOCTYPE html>'
ok 'at most 250 kB beside the data' within "$(sed '/^<script type="application\/json"/,/^<\/script>$/d' usual.html | wc -c)" 20000 250000
is 'with one end of each script' "$(grep -c '</script>' usual.html)" 2
lacks usual.html 'http://www.w3.org/1999' 'no schema from elsewhere'
for name in hostile sampled called large none; do
	run 0 "$name" report $name.json -o $name.html
done
is 'hostile names end no script' "$(grep -c '</script>' hostile.html)" 2
run 0 'a comparison' diff usual.json usual.json usual.json -- changed.json changed.json changed.json -o diff.html
run 0 'a comparison of samples' diff sampled.json resampled.json -o diff-sampled.html
run 0 'a run' run -o run.HTML -- true
has run.HTML 'id="data-report"' 'has a report in it'
run 0 'repeated runs' run --repeat 3 -o series.html -- true
has series.html 'id="data-series"' 'have a series in it'
run 0 'two commands in turns' run --against true --repeat 3 -o against.html -- true
has against.html 'id="data-diff"' 'have a comparison in it'
PMU_OUTPUT=env.html "$pmu" run -- true 2>err
has env.html 'id="data-report"' 'by the environment, too'
run 2 'two reports, each by itself, are not one page' report --each usual.json changed.json -o one.html
run 1 'no folder' report usual.json -o no/where.html
has err 'create no first' 'says what would help'

# --- timelines ---

for kind in usual hostile large; do
	page=$kind out=timeline-$kind
	case $kind in
	large) page=usual ;;
	usual) out=timeline ;;
	esac
	node "$source/tests/command/page_timeline.mjs" $page.html $out.html $kind || echo "no $out.html" >&2
done
ok 'a million calls are at most 16 MB' within "$(wc -c <timeline-large.html)" 4000000 16000000
lacks usual.html 'id="data-timeline"' 'no trace, no timeline'

cat >traced.c <<'END'
#include <pthread.h>
#include "pmu.h"

static void work(int depth)
{
	pmu_region_begin(depth & 1 ? "odd" : "even");
	if (depth < 3)
		work(depth + 1);
	pmu_region_end(depth & 1 ? "odd" : "even");
}

static void *run(void *unused)
{
	for (int i = 0; i < 500; i++)
		work(i & 1);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, run, NULL);
	run(NULL);
	pthread_join(thread, NULL);
	return 0;
}
END
compile traced traced.c -lpthread
run 0 'a program is traced' run --trace traced.trace -o traced-run.html -- ./traced
run 0 'its trace as a page' report traced.trace -o traced.html -o traced.json
has traced.html 'id="data-timeline"' 'has a timeline'
has traced-run.html 'id="data-timeline"' 'and so has the page of the run'
cp traced other
run 0 'a run of several programs' run --trace programs.trace -o programs.html -- sh -c './traced && ./other'
run 0 'a report as JSON has none' report traced.json -o none-traced.html
lacks none-traced.html 'id="data-timeline"' 'no calls are in it'

# --- source and instructions ---

printf '#include <stdio.h>
__attribute__((noinline)) static unsigned long burn(unsigned long n, unsigned long by)
{
	unsigned long sum = n;

	while (n--) sum = sum / by + n; /* HOT </script><img src=x onerror="window.broken=1"> \033[31m */
	return sum;
}

int main(void)
{
	printf("%%lu\\n", burn(20000000, 3));
	return 0;
}
' >burn.c
# shellcheck disable=SC2086 # flags are words
${TEST_CC:-cc} ${TEST_CFLAGS:-} -O1 -g -o burn burn.c || exit 1
[ -n "${TEST_SANITIZERS:-}" ] || "$pmu" run --sample=4000 -o burn.json ./burn >out 2>err
if grep -q '"lines"' burn.json 2>err; then
	run 0 'source and instructions' report burn.json --annotate -o annotated.html
	has annotated.html '"annotations": {"of": [' 'are in a page'
	is 'end no script' "$(grep -c '</script>' annotated.html)" 2
	run 0 'a page without them' report burn.json -o bare.html
	lacks bare.html '/* HOT' 'has no source'
	awk '{ sub(/"build_id": "[0-9a-f]*"/, "\"build_id\": \"c0de\""); gsub(/"file": "[^"]*"/, "\"file\": \"/etc/passwd\""); print }' \
		burn.json >forged.json
	run 0 'a report that names another file' report forged.json --annotate -o forged.html
	lacks forged.html 'root:x:0' 'does not bring it into a page'
	run 0 'a function that is not there' report burn.json --annotate=nothing -o lacking.html
	has err 'no annotation: no region' 'is said, and the page is written'
else
	skip 'source and instructions' 'nothing is sampled here'
fi

# --- what a browser makes of them ---

chromium=${TEST_CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || :)}
modules=${TEST_NODE_MODULES:-}
if [ -z "$chromium" ]; then
	skip 'pages in a browser' 'no chromium'
elif ! [ -e "$modules/puppeteer-core/package.json" ]; then
	skip 'pages in a browser' 'no puppeteer-core: TEST_NODE_MODULES says where it is'
else
	timeout 240 node "$source/tests/command/page.mjs" "$tmp" "$chromium" "$modules" >dom 2>err
	status=$?
	while read -r holds name; do
		result "$holds" "$name"
	done <dom
	result $status 'the browser was asked everything'
fi
finish
