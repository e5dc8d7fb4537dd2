# SPDX-License-Identifier: BSD-3-Clause
# Other languages, other libraries' markers, and the shell.

# Fuzz targets and unit tests are compiled with them too.
json_read_sources = \
	%D%/command/json/head.c \
	%D%/command/json/member.c \
	%D%/command/json/ranks.c \
	%D%/command/json/read.c \
	%D%/command/json/read.h \
	%D%/command/json/reader.h \
	%D%/command/json/regions.c \
	%D%/command/json/samples.c \
	%D%/command/json/value.c \
	%D%/command/json/value.h

noise_sources = \
	%D%/command/noise/between.c \
	%D%/command/noise/effect.c \
	%D%/command/noise/effect.h \
	%D%/command/noise/findings.c \
	%D%/command/noise/findings.h \
	%D%/command/noise/machine.c \
	%D%/command/noise/noise.h \
	%D%/command/noise/parse.c \
	%D%/command/noise/parse.h \
	%D%/command/noise/sample.c \
	%D%/command/noise/settings.c \
	%D%/command/noise/summary.c \
	%D%/command/noise/work.c

code_sources = \
	%D%/command/code/code.c \
	%D%/command/code/code.h \
	%D%/command/code/lines.c \
	%D%/command/code/lines.h \
	%D%/command/code/object.h \
	%D%/command/code/symbols.c \
	%D%/command/code/symbols.h \
	%D%/command/code/vdso.c \
	%D%/command/code/vdso.h \
	%D%/preload/symbols/demangle.c \
	%D%/preload/symbols/symbols.h
annotate_sources = \
	%D%/command/annotate/annotate.h \
	%D%/command/annotate/choose.c \
	%D%/command/annotate/disassemble.h \
	%D%/command/annotate/folds.c \
	%D%/command/annotate/hot.c \
	%D%/command/annotate/lines.c \
	%D%/command/annotate/listing.c \
	%D%/command/annotate/listing.h \
	%D%/command/annotate/object.c \
	%D%/command/annotate/parts.h \
	%D%/command/annotate/rows.c \
	%D%/command/annotate/rows.h \
	%D%/command/annotate/source.c \
	%D%/command/annotate/source.h \
	%D%/command/annotate/text.c
if HAVE_CAPSTONE
annotate_sources += \
	%D%/command/annotate/capstone.c \
	%D%/command/annotate/capstone.h \
	%D%/command/annotate/disassemble.c
else
annotate_sources += %D%/command/annotate/disassemble_none.c
endif
if HAVE_DW
code_sources += \
	%D%/command/code/libdw.c \
	%D%/command/code/libdw.h \
	%D%/command/code/object.c
else
code_sources += %D%/command/code/object_none.c
endif

# What other processes' threads have sent and written, and who collects it.
sample_read_sources = \
	%D%/command/sample/chains.c \
	%D%/command/sample/chains.h \
	%D%/command/sample/hello.c \
	%D%/command/sample/hello.h \
	%D%/command/sample/hits.c \
	%D%/command/sample/hits.h \
	%D%/command/sample/maps.c \
	%D%/command/sample/maps.h \
	%D%/command/sample/record.c \
	%D%/command/sample/record.h \
	%D%/command/sample/ring.c \
	%D%/command/sample/ring.h
sample_sources = $(sample_read_sources) \
	%D%/command/sample/answer.c \
	%D%/command/sample/answer.h \
	%D%/command/sample/ask.c \
	%D%/command/sample/ask.h \
	%D%/command/sample/collector.h \
	%D%/command/sample/give.c \
	%D%/command/sample/outside.c \
	%D%/command/sample/sample.c \
	%D%/command/sample/sample.h \
	%D%/command/sample/threads.c

attach_read_sources = \
	%D%/command/attach/attach.h \
	%D%/command/attach/begun.c \
	%D%/command/attach/look.c \
	%D%/command/attach/machine.h \
	%D%/command/attach/proc.c \
	%D%/command/attach/programs.c \
	%D%/command/attach/rings.c

series_sources = \
	%D%/command/series/add.c \
	%D%/command/series/append.c \
	%D%/command/series/csv.c \
	%D%/command/series/json.c \
	%D%/command/series/parts.h \
	%D%/command/series/read.c \
	%D%/command/series/read.h \
	%D%/command/series/samples.c \
	%D%/command/series/series.c \
	%D%/command/series/series.h \
	%D%/command/series/summary.c \
	%D%/command/series/text.c

stats_sources = \
	%D%/command/stats/holm.c \
	%D%/command/stats/null.c \
	%D%/command/stats/order.c \
	%D%/command/stats/pairs.c \
	%D%/command/stats/parts.h \
	%D%/command/stats/rank_sum.c \
	%D%/command/stats/ranked.c \
	%D%/command/stats/samples.c \
	%D%/command/stats/signed_rank.c \
	%D%/command/stats/stats.h \
	%D%/command/stats/student.c \
	%D%/command/stats/tied.c

limits_sources = \
	%D%/command/check/limits.c \
	%D%/command/check/limits.h \
	%D%/command/quantity.c \
	%D%/command/quantity.h
# The roofline; its reader of ceilings needs json_read_sources.
roofline_sources = \
	%D%/command/roofline/ceilings.c \
	%D%/command/roofline/ceilings.h \
	%D%/command/roofline/collect.c \
	%D%/command/roofline/labels.c \
	%D%/command/roofline/labels.h \
	%D%/command/roofline/parts.h \
	%D%/command/roofline/place.c \
	%D%/command/roofline/place.h \
	%D%/command/roofline/render.c \
	%D%/command/roofline/roofline.c \
	%D%/command/roofline/roofline.h \
	%D%/command/roofline/svg.c \
	%D%/command/roofline/text.c
# Reports as stacks, and formats of other programs' viewers.
stacks_sources = \
	%D%/command/viewers/functions.c \
	%D%/command/viewers/remarks.c \
	%D%/command/viewers/share.c \
	%D%/command/viewers/share.h \
	%D%/command/viewers/stacks.c \
	%D%/command/viewers/stacks.h \
	%D%/command/viewers/values.c
viewers_sources = $(stacks_sources) \
	%D%/command/viewers/callgrind.c \
	%D%/command/viewers/folded.c \
	%D%/command/viewers/gzip.c \
	%D%/command/viewers/pprof.c \
	%D%/command/viewers/protobuf.c \
	%D%/command/viewers/protobuf.h \
	%D%/command/viewers/speedscope.c \
	%D%/command/viewers/viewers.c \
	%D%/command/viewers/viewers.h
# A page, and what it is made of: frame, style, and the script in this order.
page_sources = \
	%D%/command/page/annotations.c \
	%D%/command/page/calls.c \
	%D%/command/page/calls.h \
	%D%/command/page/data.h \
	%D%/command/page/longest.c \
	%D%/command/page/others.c \
	%D%/command/page/page.c \
	%D%/command/page/page.h \
	%D%/command/page/report.c \
	%D%/command/page/roofline.c \
	%D%/command/page/sections.c \
	%D%/command/page/timeline.c \
	%D%/command/page/timeline.h
page_style = %D%/command/page/page.css
page_script = \
	%D%/command/page/format.js \
	%D%/command/page/element.js \
	%D%/command/page/report.js \
	%D%/command/page/views.js \
	%D%/command/page/series.js \
	%D%/command/page/diff.js \
	%D%/command/page/table.js \
	%D%/command/page/flame.js \
	%D%/command/page/timeline_data.js \
	%D%/command/page/timeline.js \
	%D%/command/page/topdown.js \
	%D%/command/page/charts.js \
	%D%/command/page/roofline.js \
	%D%/command/page/annotation.js \
	%D%/command/page/detail.js \
	%D%/command/page/head.js \
	%D%/command/page/page.js
EXTRA_DIST += %D%/command/page/embed.awk %D%/command/page/page.html $(page_style) $(page_script)
CLEANFILES += %D%/command/page/template.c
%D%/command/page/template.c: %D%/command/page/embed.awk %D%/command/page/page.html $(page_style) $(page_script)
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)to=`pwd`/$@ && cd $(srcdir) && style=`cat $(page_style) | sha256sum` && script=`cat $(page_script) | sha256sum` && \
		LC_ALL=C $(AWK) -v style="$(page_style)" -v script="$(page_script)" \
		-v style_hash="$${style%% *}" -v script_hash="$${script%% *}" \
		-f %D%/command/page/embed.awk %D%/command/page/page.html >"$$to.tmp" && \
		mv "$$to.tmp" "$$to"
# Traces: read, and written for Perfetto and Chrome.
trace_read_sources = \
	%D%/command/trace/flows.c \
	%D%/command/trace/flows.h \
	%D%/command/trace/nest.c \
	%D%/command/trace/nest.h \
	%D%/command/trace/source.c \
	%D%/command/trace/source.h
trace_sources = $(trace_read_sources) \
	%D%/command/trace/chrome.c \
	%D%/command/trace/perfetto.c \
	%D%/command/trace/sink.c \
	%D%/command/trace/sink.h \
	%D%/command/trace/timeline.c \
	%D%/command/trace/timeline.h \
	%D%/command/trace/trace.h
# All that reading and writing a series takes.
series_read_sources = $(json_read_sources) $(noise_sources) $(series_sources) $(stats_sources) \
	%D%/command/command.h \
	%D%/command/wrap.c

# What `pmu top` shows, without looking for it and without showing it.
top_sources = \
	%D%/command/top/differ.c \
	%D%/command/top/find.c \
	%D%/command/top/find.h \
	%D%/command/top/functions.c \
	%D%/command/top/json.c \
	%D%/command/top/json.h \
	%D%/command/top/look.c \
	%D%/command/top/making.h \
	%D%/command/top/order.c \
	%D%/command/top/order.h \
	%D%/command/top/program.c \
	%D%/command/top/table.c \
	%D%/command/top/table.h \
	%D%/command/top/top.h

# The command sees the report's model, so it carries the library's objects itself.
bin_PROGRAMS += pmu
pmu_SOURCES = $(limits_sources) $(roofline_sources) $(series_read_sources) $(top_sources) $(trace_sources) $(viewers_sources) \
	%D%/command/from.c \
	%D%/command/help.c \
	%D%/command/main.c \
	%D%/command/options.c \
	%D%/command/output.c \
	%D%/command/output.h \
	%D%/command/outputs.c \
	%D%/command/version.c \
	%D%/command/attach/attach.c \
	%D%/command/attach/choose.c \
	%D%/command/attach/machine.c \
	%D%/command/attach/machine_model.c \
	%D%/command/attach/model.c \
	%D%/command/attach/open.c \
	%D%/command/attach/watch.c \
	%D%/command/check/check.c \
	%D%/command/check/judge.c \
	%D%/command/check/judge.h \
	%D%/command/check/words.c \
	%D%/command/complete/complete.c \
	%D%/command/complete/complete.h \
	%D%/command/complete/values.c \
	%D%/command/diff/diff.c \
	%D%/command/diff/diff.h \
	%D%/command/diff/functions.c \
	%D%/command/diff/join.c \
	%D%/command/diff/join.h \
	%D%/command/diff/levels.c \
	%D%/command/diff/levels.h \
	%D%/command/diff/others.c \
	%D%/command/diff/side.c \
	%D%/command/diff/test.c \
	%D%/command/diff/text.c \
	%D%/command/diff/words.c \
	%D%/command/doctor/doctor.c \
	%D%/command/doctor/doctor.h \
	%D%/command/doctor/json.c \
	%D%/command/doctor/noise.c \
	%D%/command/control/control.c \
	%D%/command/event/event.c \
	%D%/command/event/event.h \
	%D%/command/event/view.c \
	%D%/command/info/codename.c \
	%D%/command/info/codename.h \
	%D%/command/info/info.c \
	%D%/command/info/info.h \
	%D%/command/info/json.c \
	%D%/command/info/leaves.c \
	%D%/command/info/text.c \
	%D%/command/json/cpu_id.h \
	%D%/command/list/elsewhere.c \
	%D%/command/list/find.c \
	%D%/command/list/list.c \
	%D%/command/list/list.h \
	%D%/command/list/view.c \
	$(page_sources) \
	%D%/command/msr/json.c \
	%D%/command/msr/msr.c \
	%D%/command/msr/msr.h \
	%D%/command/msr/plan.c \
	%D%/command/msr/plan.h \
	%D%/command/msr/restore.c \
	%D%/command/msr/text.c \
	%D%/command/report/gather.c \
	%D%/command/report/input.c \
	%D%/command/report/inputs.h \
	%D%/command/report/list.c \
	%D%/command/report/merge.c \
	%D%/command/report/report.c \
	%D%/command/run/against.c \
	%D%/command/run/all_metrics.c \
	%D%/command/run/branches.c \
	%D%/command/run/caches.c \
	%D%/command/run/child.c \
	%D%/command/run/collect.c \
	%D%/command/run/doors.c \
	%D%/command/run/emulate.c \
	%D%/command/run/environment.c \
	%D%/command/run/folder.c \
	%D%/command/run/foretell.c \
	%D%/command/run/job.c \
	%D%/command/run/layout.c \
	%D%/command/run/look.c \
	%D%/command/run/once.c \
	%D%/command/run/once.h \
	%D%/command/run/options.c \
	%D%/command/run/outliving.c \
	%D%/command/run/precision.c \
	%D%/command/run/python.c \
	%D%/command/run/repeat.c \
	%D%/command/run/repeat.h \
	%D%/command/run/repeat_options.c \
	%D%/command/run/roofline.c \
	%D%/command/run/run.c \
	%D%/command/run/run.h \
	%D%/command/run/told.c \
	%D%/command/run/trace.c \
	%D%/command/run/turns.c \
	%D%/command/run/write.c \
	$(annotate_sources) \
	$(attach_read_sources) \
	$(code_sources) \
	$(sample_sources) \
	%D%/command/top/child.c \
	%D%/command/top/child.h \
	%D%/command/top/screen.h \
	%D%/command/top/top.c \
	%D%/command/top/watch.c \
	%D%/command/top/watch.h \
	%D%/preload/process/target.c \
	%D%/preload/process/target.h
if HAVE_NCURSES
pmu_SOURCES += \
	%D%/command/top/draw.c \
	%D%/command/top/keys.c \
	%D%/command/top/screen.c \
	%D%/command/top/view.h
else
pmu_SOURCES += %D%/command/top/screen_none.c
endif
nodist_pmu_SOURCES = %D%/command/page/template.c
pmu_LDADD = lib/libpmu-core.la $(JANSSON_LIBS) $(NCURSES_LIBS) $(ZLIB_LIBS) -lm
command_pages = %D%/command/pmu.1 %D%/command/pmu-attach.1 %D%/command/pmu-check.1 %D%/command/pmu-diff.1 %D%/command/pmu-msr.1 \
	%D%/command/pmu-on.1 %D%/command/pmu-report.1 %D%/command/pmu-run.1 %D%/command/pmu-top.1
dist_man_MANS += $(command_pages) %D%/command/pmu-events.7
# Its lists of options and settings, from the tables: after a change there.
EXTRA_DIST += %D%/command/manual.awk
.PHONY: manual
manual: pmu$(EXEEXT)
	$(AM_V_GEN)for page in $(command_pages); do \
		$(AWK) -v pmu=./pmu$(EXEEXT) -f $(srcdir)/%D%/command/manual.awk $(srcdir)/$$page >$$page.tmp && \
			mv $$page.tmp $(srcdir)/$$page || exit; \
	done
# Where `pmu run` finds what it preloads; by the way from the one to the other also in a moved installation.
pmu_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSES_CFLAGS) $(ZLIB_CFLAGS) $(DW_CFLAGS) $(CAPSTONE_CFLAGS) -DPMU_BINDIR='"$(bindir)"' -DPMU_LIBDIR='"$(libdir)"'

# For unmodified programs: loaded into them by LD_PRELOAD, with nothing but libc.
lib_LTLIBRARIES += %D%/libpmu-preload.la
%C%_libpmu_preload_la_SOURCES = \
	%D%/preload/forward.c \
	%D%/preload/inside.h \
	%D%/preload/keep.c \
	%D%/preload/keep.h \
	%D%/preload/load.c \
	%D%/preload/maps.c \
	%D%/preload/maps.h \
	%D%/preload/parts.h \
	%D%/preload/preload.h \
	%D%/preload/words.h \
	%D%/preload/functions/extent.c \
	%D%/preload/functions/extent.h \
	%D%/preload/functions/filter.c \
	%D%/preload/functions/filter.h \
	%D%/preload/functions/functions.c \
	%D%/preload/functions/functions.h \
	%D%/preload/functions/jump.c \
	%D%/preload/functions/known.c \
	%D%/preload/functions/known.h \
	%D%/preload/functions/names.c \
	%D%/preload/functions/names.h \
	%D%/preload/functions/short.c \
	%D%/preload/functions/short.h \
	%D%/annotations/aside.c \
	%D%/annotations/aside.h \
	%D%/annotations/handles.c \
	%D%/annotations/handles.h \
	%D%/annotations/names.c \
	%D%/annotations/names.h \
	%D%/annotations/prefix.h \
	%D%/annotations/stack.c \
	%D%/annotations/stack.h \
	%D%/annotations/thread.c \
	%D%/annotations/thread.h \
	%D%/preload/locks/locks.c \
	%D%/preload/locks/waits.c \
	%D%/preload/locks/waits.h \
	%D%/preload/markers/both.c \
	%D%/preload/markers/both.h \
	%D%/preload/markers/caliper.c \
	%D%/preload/markers/caliper.h \
	%D%/preload/markers/caliper_cxx.c \
	%D%/preload/markers/fortran.h \
	%D%/preload/markers/gptl.c \
	%D%/preload/markers/kokkos.c \
	%D%/preload/markers/likwid.c \
	%D%/preload/markers/named.h \
	%D%/preload/markers/papi.c \
	%D%/preload/markers/petsc.c \
	%D%/preload/markers/roctx.c \
	%D%/preload/markers/scorep.c \
	%D%/preload/markers/tau.c \
	%D%/preload/openmp/gomp.c \
	%D%/preload/openmp/gomp.h \
	%D%/preload/openmp/gomp_tasks.c \
	%D%/preload/openmp/gomp_waits.c \
	%D%/preload/openmp/mask.c \
	%D%/preload/openmp/ompt.c \
	%D%/preload/openmp/ompt.h \
	%D%/preload/openmp/parallel.c \
	%D%/preload/openmp/parallel.h \
	%D%/preload/openmp/wait.c \
	%D%/preload/openmp/wait.h \
	%D%/preload/process/asan.c \
	%D%/preload/process/death.c \
	%D%/preload/process/fit.c \
	%D%/preload/process/fit.h \
	%D%/preload/process/leave.c \
	%D%/preload/process/main.c \
	%D%/preload/process/python.c \
	%D%/preload/process/python.h \
	%D%/preload/process/sandbox.c \
	%D%/preload/process/spawn.c \
	%D%/preload/process/target.c \
	%D%/preload/process/target.h \
	%D%/preload/process/threads.c \
	%D%/preload/symbols/demangle.c \
	%D%/preload/symbols/elf.c \
	%D%/preload/symbols/elf.h \
	%D%/preload/symbols/imports.c \
	%D%/preload/symbols/imports.h \
	%D%/preload/symbols/plt.c \
	%D%/preload/symbols/plt.h \
	%D%/preload/symbols/seen.c \
	%D%/preload/symbols/seen.h \
	%D%/preload/symbols/symbols.c \
	%D%/preload/symbols/symbols.h \
	%D%/preload/wrap/bind.c \
	%D%/preload/wrap/bind.h \
	%D%/preload/wrap/call.c \
	%D%/preload/wrap/call.h \
	%D%/preload/wrap/candidates.c \
	%D%/preload/wrap/candidates.h \
	%D%/preload/wrap/list.c \
	%D%/preload/wrap/list.h \
	%D%/preload/wrap/note.c \
	%D%/preload/wrap/note.h \
	%D%/preload/wrap/opened.c \
	%D%/preload/wrap/stand_in.c \
	%D%/preload/wrap/stand_in.h \
	%D%/preload/wrap/trampoline.h \
	%D%/preload/wrap/trampoline_aarch64.S \
	%D%/preload/wrap/trampoline_x86_64.S \
	%D%/preload/wrap/wrap.c \
	lib/base/execroom.c \
	lib/base/lost.c \
	lib/base/own.c \
	lib/base/write.c
%C%_libpmu_preload_la_CPPFLAGS = -include config.h -I$(top_srcdir) -I$(top_srcdir)/include -I$(top_srcdir)/lib
%C%_libpmu_preload_la_CFLAGS = $(AM_CFLAGS) $(STACK_CFLAGS) -Wmissing-prototypes -fvisibility=hidden \
	-ftls-model=initial-exec -fasynchronous-unwind-tables
# Larger frames: what the first thread does once, before main.
$(filter %load.lo %/libpmu_preload_la-python.lo,$(%C%_libpmu_preload_la_OBJECTS)): CFLAGS += $(ROOM_CFLAGS)
# nodelete: threads and signal handlers come back to it.  now: it is used where nothing may be looked up.
%C%_libpmu_preload_la_LDFLAGS = -module -avoid-version -no-undefined \
	-Wl,-z,nodelete -Wl,-z,now -Wl,--as-needed

# For programs with annotations for other tools: they load it by themselves, where a variable names it.
annotation_sources = \
	%D%/annotations/aside.c \
	%D%/annotations/aside.h \
	%D%/annotations/handles.c \
	%D%/annotations/handles.h \
	%D%/annotations/names.c \
	%D%/annotations/names.h \
	%D%/annotations/prefix.h \
	%D%/annotations/stack.c \
	%D%/annotations/stack.h \
	%D%/annotations/thread.c \
	%D%/annotations/thread.h \
	%D%/preload/keep.c \
	%D%/preload/keep.h
lib_LTLIBRARIES += %D%/libpmu-annotations.la
%C%_libpmu_annotations_la_SOURCES = $(annotation_sources) \
	%D%/annotations/categories.c \
	%D%/annotations/categories.h \
	%D%/annotations/door.c \
	%D%/annotations/door.h \
	%D%/annotations/itt.c \
	%D%/annotations/itt.h \
	%D%/annotations/itt_objects.c \
	%D%/annotations/nvtx.c \
	%D%/annotations/nvtx.h \
	%D%/annotations/wide.h \
	%D%/annotations/functor.c \
	%D%/annotations/functor.h \
	%D%/annotations/kokkos.c \
	%D%/preload/inside.h \
	%D%/preload/parts.h \
	%D%/preload/preload.h \
	%D%/preload/words.h \
	%D%/preload/symbols/demangle.c \
	%D%/preload/symbols/elf.c \
	%D%/preload/symbols/elf.h \
	%D%/preload/symbols/symbols.c \
	%D%/preload/symbols/symbols.h
%C%_libpmu_annotations_la_CPPFLAGS = -include config.h -I$(top_srcdir) -I$(top_srcdir)/include -I$(top_srcdir)/lib
%C%_libpmu_annotations_la_CFLAGS = $(AM_CFLAGS) $(STACK_CFLAGS) -Wmissing-prototypes -fvisibility=hidden -ftls-model=initial-exec
# Not as libtool would link libpmu, with the prefix of configure in it: where it is not loaded already it is found beside
# this one.
%C%_libpmu_annotations_la_LIBADD = $(OWN_LIBRARY)
EXTRA_%C%_libpmu_annotations_la_DEPENDENCIES = lib/libpmu.la
%C%_libpmu_annotations_la_LDFLAGS = -module -avoid-version -no-undefined $(DEFS_LDFLAGS) \
	-Wl,-z,nodelete -Wl,-z,now -Wl,--as-needed

# For Python programs: loaded into interpreters, by libpmu-preload or the package pmu.  It needs no Python to be built.
lib_LTLIBRARIES += %D%/libpmu-python.la
%C%_libpmu_python_la_SOURCES = \
	%D%/preload/inside.h \
	%D%/preload/keep.c \
	%D%/preload/keep.h \
	%D%/preload/preload.h \
	%D%/preload/words.h \
	%D%/preload/functions/filter.c \
	%D%/preload/functions/filter.h \
	%D%/preload/functions/names.c \
	%D%/preload/functions/names.h \
	%D%/preload/functions/short.c \
	%D%/preload/functions/short.h \
	%D%/python/functions/api.c \
	%D%/python/functions/api.h \
	%D%/python/functions/code.c \
	%D%/python/functions/code.h \
	%D%/python/functions/functions.c \
	%D%/python/functions/functions.h \
	%D%/python/functions/monitoring.c \
	%D%/python/functions/open.c \
	%D%/python/functions/open.h \
	%D%/python/functions/profile.c \
	%D%/python/functions/ways.h
%C%_libpmu_python_la_CPPFLAGS = $(%C%_libpmu_preload_la_CPPFLAGS)
%C%_libpmu_python_la_CFLAGS = $(AM_CFLAGS) $(STACK_CFLAGS) -Wmissing-prototypes -fvisibility=hidden -ftls-model=initial-exec
%C%_libpmu_python_la_LIBADD = lib/libpmu.la
%C%_libpmu_python_la_LDFLAGS = -module -avoid-version -no-undefined -Wl,-z,nodelete -Wl,-z,now -Wl,--as-needed

# For MPI programs: linked or preloaded.  It makes reports, so it carries what of the library does.
# It needs no MPI to be built, and speaks with any.
lib_LTLIBRARIES += %D%/libpmu-mpi.la
%C%_libpmu_mpi_la_SOURCES = \
	%D%/mpi/calls.c \
	%D%/mpi/finalize.c \
	%D%/mpi/job.c \
	%D%/mpi/job.h \
	%D%/mpi/library.c \
	%D%/mpi/mpi.h \
	%D%/mpi/table.h
%C%_libpmu_mpi_la_CPPFLAGS = -include config.h -I$(top_srcdir) -I$(top_srcdir)/include -I$(top_srcdir)/lib
%C%_libpmu_mpi_la_CFLAGS = $(AM_CFLAGS) $(STACK_CFLAGS) -Wmissing-prototypes -fvisibility=hidden $(SECTION_CFLAGS)
# Larger frames: what is called through pmu_with_room().
$(filter %job.lo,$(%C%_libpmu_mpi_la_OBJECTS)): CFLAGS += $(ROOM_CFLAGS)
# An archive, of which the linker takes what is needed: not a second session.
%C%_libpmu_mpi_la_LIBADD = $(CORE_ARCHIVE)
EXTRA_%C%_libpmu_mpi_la_DEPENDENCIES = lib/libpmu-core.la
%C%_libpmu_mpi_la_LDFLAGS = -avoid-version -no-undefined $(DEFS_LDFLAGS) -Wl,-z,nodelete -Wl,-z,now -Wl,--as-needed \
	$(SECTION_LDFLAGS)
pkgconfig_DATA += pmu-mpi.pc

# C++: a header.
include_HEADERS += %D%/cxx/pmu.hpp
# Counts in the results of Google Benchmark and Catch2: <pmu/benchmark.hpp>, <pmu/catch2.hpp>.
pmuincludedir = $(includedir)/pmu
pmuinclude_HEADERS = \
	%D%/cxx/pmu/benchmark.hpp \
	%D%/cxx/pmu/catch2.hpp

# Fortran: the module's source in any case; compiled, for the compiler that configure found.  A module file
# is of use to one compiler alone, so it is in a folder of ours.
fortransourcedir = $(pkgdatadir)/fortran
dist_fortransource_DATA = %D%/fortran/pmu.f90
if HAVE_FORTRAN
fortranmoddir = $(libdir)/pmu/fortran
nodist_fortranmod_DATA = %D%/fortran/pmu.mod
fortranlibdir = $(libdir)
nodist_fortranlib_DATA = %D%/fortran/libpmu_fortran.a
pkgconfig_DATA += pmu-fortran.pc
endif
CLEANFILES += %D%/fortran/libpmu_fortran.a %D%/fortran/pmu.mod %D%/fortran/pmu.o
%D%/fortran/libpmu_fortran.a: %D%/fortran/pmu.f90
	@$(MKDIR_P) $(@D) && rm -f $@
	$(AM_V_GEN)cd $(@D) && $(FC) $(FCFLAGS) -fPIC -c $(abs_srcdir)/%D%/fortran/pmu.f90 && \
		$(AR) cr libpmu_fortran.a pmu.o && $(RANLIB) libpmu_fortran.a
# Compilers leave a module as it is where it would come out the same.
%D%/fortran/pmu.mod: %D%/fortran/libpmu_fortran.a
	@if test -f $@; then touch $@; else rm -f $<; $(MAKE) $(AM_MAKEFLAGS) $<; fi

# Python: nothing to build.
if HAVE_PYTHON
pmupydir = $(pythondir)/pmu
pmupy_PYTHON = \
	%D%/python/pmu/__init__.py \
	%D%/python/pmu/__main__.py \
	%D%/python/pmu/_library.py \
	%D%/python/pmu/_command.py \
	%D%/python/pmu/_context.py \
	%D%/python/pmu/_functions.py \
	%D%/python/pmu/_region.py \
	%D%/python/pmu/_report.py \
	%D%/python/pmu/_session.py \
	%D%/python/pmu/jupyter.py \
	%D%/python/pmu/pytest.py
endif
EXTRA_DIST += %D%/README.md %D%/annotations/README.md %D%/python/backend.py %D%/python/pyproject.toml %D%/python/wheel.py
# A wheel with the library inside, and the sdist, in dist/.
wheel: pmu %D%/libpmu-preload.la %D%/libpmu-annotations.la %D%/libpmu-python.la %D%/libpmu-mpi.la lib/libpmu.la lib/libpmu-events.la
	PYTHONDONTWRITEBYTECODE=1 $(PYTHON) $(srcdir)/%D%/python/wheel.py --licence $(srcdir)/LICENSE --build . \
		--folders '$(bindir)' '$(libdir)' --output $(WHEEL_OUTPUT)
WHEEL_OUTPUT = dist
.PHONY: wheel

# Shells' completion, where they look below the prefix.
bashcompletiondir = $(datadir)/bash-completion/completions
dist_bashcompletion_DATA = %D%/command/complete/bash/pmu
zshcompletiondir = $(datadir)/zsh/site-functions
dist_zshcompletion_DATA = %D%/command/complete/zsh/_pmu
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_fishcompletion_DATA = %D%/command/complete/fish/pmu.fish

# CMake: find_package(pmu).
cmakedir = $(libdir)/cmake/pmu
nodist_cmake_DATA = pmu-config.cmake pmu-config-version.cmake

examplesdir = $(docdir)/examples
dist_examples_DATA = \
	%D%/examples/README.md \
	%D%/examples/heat.c \
	%D%/examples/heat.cc \
	%D%/examples/pool.cc \
	%D%/examples/heat.f90 \
	%D%/examples/heat.py
examplesgodir = $(examplesdir)/go
dist_examplesgo_DATA = \
	%D%/examples/go/go.mod \
	%D%/examples/go/heat.go \
	%D%/examples/go/heat_test.go
examplesgopmudir = $(examplesgodir)/pmu
dist_examplesgopmu_DATA = \
	%D%/examples/go/pmu/bench.go \
	%D%/examples/go/pmu/pmu.go
examplesrustdir = $(examplesdir)/rust
dist_examplesrust_DATA = \
	%D%/examples/rust/Cargo.toml \
	%D%/examples/rust/bench.rs \
	%D%/examples/rust/build.rs \
	%D%/examples/rust/debian.toml \
	%D%/examples/rust/heat.rs \
	%D%/examples/rust/measure.rs \
	%D%/examples/rust/plate.rs \
	%D%/examples/rust/pmu.rs

# For programs annotated for other libraries: their headers' names, in folders that a program asks for.
likwidincludedir = $(includedir)/pmu/likwid
likwidinclude_HEADERS = \
	%D%/likwid/likwid-marker.h \
	%D%/likwid/likwid.h \
	%D%/likwid/pmu-likwid.h
papiincludedir = $(includedir)/pmu/papi
papiinclude_HEADERS = \
	%D%/papi/papi.h \
	%D%/papi/pmu-papi.h
