/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What a file's name can ask for, a row each; any other name gets text:
 *
 *	FORMAT(beginning, ending, library, why, ...)
 *
 * @beginning: of the file's name, where @ending is ""
 * @library: the library's writer, or OTHER; @why: then, why a report of the library is not that
 * ...: the command's writers, by what they are of, see bindings/command/output.h
 *
 * The longest ending decides, a beginning only where no ending does.  report.c makes of it what a
 * measured process needs, the command's output.c the rest.
 */
#define OTHER PMU_REPORT_TEXT

#define BY_PAGE                                                                               \
	"pages are made by the pmu command: 'pmu run -o run.html', or of a report that ends " \
	"in .json 'pmu report run.json -o run.html'"
#define BY_COMMAND(name)                    \
	"only the pmu command writes " name \
	"; a name that ends in .json gets what 'pmu report' makes it from"
#define BY_TRACE(ending) "a trace is made by 'pmu run --trace run" ending "', and no report is one"

FORMAT("", ".json", PMU_REPORT_JSON, NULL, .series = pmu_series_write_json,
       .diff = pmu_diff_write_json, .offered = PMU_OF_REPORT | PMU_OF_DIFF)
FORMAT("", ".csv", PMU_REPORT_CSV, NULL, .series = pmu_series_write_csv, .diff = pmu_diff_write_csv,
       .offered = PMU_OF_REPORT | PMU_OF_DIFF)
FORMAT("", ".md", OTHER, NULL, .diff = pmu_diff_write_markdown, .offered = PMU_OF_DIFF)
FORMAT("", ".html", OTHER, BY_PAGE, .report = pmu_page_report, .series = pmu_page_series,
       .diff = pmu_page_diff, .offered = PMU_OF_REPORT | PMU_OF_DIFF)
FORMAT("", ".htm", OTHER, BY_PAGE, .report = pmu_page_report, .series = pmu_page_series,
       .diff = pmu_page_diff)
FORMAT("", ".svg", OTHER, NULL, .picture = pmu_roofline_write_svg)

/* Other programs' viewers; .gz behind them compresses. */
FORMAT("", ".folded", OTHER, BY_COMMAND(".folded"), .viewer = pmu_viewer_folded,
       .offered = PMU_OF_REPORT)
FORMAT("", ".speedscope.json", OTHER, BY_COMMAND(".speedscope.json"),
       .viewer = pmu_viewer_speedscope, .offered = PMU_OF_REPORT)
FORMAT("", ".pb.gz", OTHER, BY_COMMAND(".pb.gz"), .viewer = pmu_viewer_pprof,
       .offered = PMU_OF_REPORT)
FORMAT("", ".pb", OTHER, BY_COMMAND(".pb"), .viewer = pmu_viewer_pprof)
FORMAT("callgrind.out.", "", OTHER, BY_COMMAND("callgrind.out.NAME"),
       .viewer = pmu_viewer_callgrind)

FORMAT("", ".pftrace", OTHER, BY_TRACE(".pftrace"), .trace = &pmu_timeline_perfetto,
       .offered = PMU_OF_TRACE)
FORMAT("", ".perfetto-trace", OTHER, BY_TRACE(".perfetto-trace"), .trace = &pmu_timeline_perfetto)
FORMAT("", ".trace.json", OTHER, NULL, .trace = &pmu_timeline_chrome, .offered = PMU_OF_TRACE)
FORMAT("", ".json.gz", OTHER, NULL, .trace = &pmu_timeline_chrome_gz, .offered = PMU_OF_TRACE)
/* the library's own, of which 'pmu report' makes those */
FORMAT("", ".trace", OTHER, BY_TRACE(".trace"), .offered = PMU_OF_TRACE)

#undef FORMAT
