# SPDX-License-Identifier: BSD-3-Clause
# The library.  libpmu is what a measured program loads, behind the map; libpmu-core carries the objects of
# all that is here to the unit tests and to the command.

if HAVE_LIBCPUID
libcpuid_sources = \
	%D%/machine/libcpuid/file.c \
	%D%/machine/libcpuid/identify.c \
	%D%/machine/libcpuid/load.c \
	%D%/machine/libcpuid/load.h \
	%D%/machine/libcpuid/raw.c \
	%D%/machine/libcpuid/raw.h
else
libcpuid_sources = %D%/machine/libcpuid/none.c
endif

# How each of them is compiled.
lib_cflags = $(AM_CFLAGS) $(STACK_CFLAGS) -Wmissing-prototypes -fvisibility=hidden $(SECTION_CFLAGS)

# A room is an archive: a folder's files, and no others.

# Errors, texts, files, memory, processes.
noinst_LTLIBRARIES += %D%/libpmu-base.la
%C%_libpmu_base_la_SOURCES = \
	%D%/base/arena.c \
	%D%/base/arena.h \
	%D%/base/ascii.h \
	%D%/base/aside.h \
	%D%/base/buckets.h \
	%D%/base/compiler.h \
	%D%/base/environ.c \
	%D%/base/environ.h \
	%D%/base/error.c \
	%D%/base/error.h \
	%D%/base/execl.h \
	%D%/base/execroom.c \
	%D%/base/execroom.h \
	%D%/base/fd.c \
	%D%/base/fd.h \
	%D%/base/hash.h \
	%D%/base/index.c \
	%D%/base/index.h \
	%D%/base/library.c \
	%D%/base/library.h \
	%D%/base/lock.h \
	%D%/base/lost.c \
	%D%/base/lost.h \
	%D%/base/main.h \
	%D%/base/number.h \
	%D%/base/once.h \
	%D%/base/own.c \
	%D%/base/own.h \
	%D%/base/owner.c \
	%D%/base/owner.h \
	%D%/base/place.c \
	%D%/base/place.h \
	%D%/base/process.c \
	%D%/base/process.h \
	%D%/base/races.c \
	%D%/base/races.h \
	%D%/base/retry.h \
	%D%/base/room.c \
	%D%/base/room.h \
	%D%/base/signals.h \
	%D%/base/slots.h \
	%D%/base/spawning.h \
	%D%/base/stars.h \
	%D%/base/strbuf.c \
	%D%/base/strbuf.h \
	%D%/base/sysfile.c \
	%D%/base/sysfile.h \
	%D%/base/systemcall.h \
	%D%/base/textfile.c \
	%D%/base/textfile.h \
	%D%/base/time.h \
	%D%/base/write.c \
	%D%/base/write.h
%C%_libpmu_base_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_base_la_CFLAGS = $(lib_cflags)
%C%_libpmu_base_la_LDFLAGS =

# Who this processor is, what is where, pinning, time.
noinst_LTLIBRARIES += %D%/libpmu-machine.la
%C%_libpmu_machine_la_SOURCES = \
	%D%/machine/boxes.c \
	%D%/machine/boxes.h \
	%D%/machine/claims.c \
	%D%/machine/claims.h \
	%D%/machine/clock.c \
	%D%/machine/clock.h \
	%D%/machine/cpu.c \
	%D%/machine/cpu.h \
	%D%/machine/cpuid.c \
	%D%/machine/cpuid.h \
	%D%/machine/cpuid_dump.c \
	%D%/machine/cpuid_file.c \
	%D%/machine/cpuid_print.c \
	%D%/machine/events.h \
	%D%/machine/hwloc.c \
	%D%/machine/hwloc.h \
	%D%/machine/libcpuid/libcpuid.h \
	%D%/machine/libcpuid/text.c \
	%D%/machine/machine.c \
	%D%/machine/machine.h \
	%D%/machine/mask.c \
	%D%/machine/mask.h \
	%D%/machine/model.c \
	%D%/machine/models.h \
	%D%/machine/perfmon.c \
	%D%/machine/perfmon.h \
	%D%/machine/pin.c \
	%D%/machine/pin.h \
	%D%/machine/pinned.c \
	%D%/machine/pinned.h \
	%D%/machine/places.c \
	%D%/machine/places.h \
	%D%/machine/switches.c \
	%D%/machine/switches.h \
	%D%/machine/topology.c \
	%D%/machine/topology.h \
	$(libcpuid_sources)
%C%_libpmu_machine_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_machine_la_CFLAGS = $(lib_cflags)
%C%_libpmu_machine_la_LDFLAGS =

# What a group of events is, by numbers: what names are turned into, and sources open.
noinst_LTLIBRARIES += %D%/libpmu-plan.la
%C%_libpmu_plan_la_SOURCES = \
	%D%/plan/catalog.h \
	%D%/plan/event.h \
	%D%/plan/fold.c \
	%D%/plan/fold.h \
	%D%/plan/formula.c \
	%D%/plan/formula.h \
	%D%/plan/formula_names.c \
	%D%/plan/formula_names.h \
	%D%/plan/group.h \
	%D%/plan/interrupts.h \
	%D%/plan/plan.c \
	%D%/plan/plan.h \
	%D%/plan/resolve.c \
	%D%/plan/resolve.h \
	%D%/plan/sample.h \
	%D%/plan/select.c \
	%D%/plan/select.h \
	%D%/plan/simulated.c \
	%D%/plan/simulated.h \
	%D%/plan/usual.c \
	%D%/plan/usual.h
%C%_libpmu_plan_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_plan_la_CFLAGS = $(lib_cflags)
%C%_libpmu_plan_la_LDFLAGS =

# The sources of counts.
noinst_LTLIBRARIES += %D%/libpmu-counters.la
%C%_libpmu_counters_la_SOURCES = \
	%D%/counters/backend.c \
	%D%/counters/backend.h \
	%D%/counters/clock.c \
	%D%/counters/msr/access.c \
	%D%/counters/msr/amd_limits.c \
	%D%/counters/msr/amd_limits.h \
	%D%/counters/msr/assign.c \
	%D%/counters/msr/assign.h \
	%D%/counters/msr/batch.c \
	%D%/counters/msr/batch.h \
	%D%/counters/msr/check.c \
	%D%/counters/msr/device.c \
	%D%/counters/msr/device.h \
	%D%/counters/msr/journal.c \
	%D%/counters/msr/journal.h \
	%D%/counters/msr/journal_text.c \
	%D%/counters/msr/journal_write.c \
	%D%/counters/msr/msr.c \
	%D%/counters/msr/poller.c \
	%D%/counters/msr/poller.h \
	%D%/counters/msr/program.c \
	%D%/counters/msr/program.h \
	%D%/counters/msr/program_core.c \
	%D%/counters/msr/program_core_add.c \
	%D%/counters/msr/program_energy.c \
	%D%/counters/msr/program_parts.h \
	%D%/counters/msr/program_taken.c \
	%D%/counters/msr/program_uncore.c \
	%D%/counters/msr/program_uncore_add.c \
	%D%/counters/msr/registers.c \
	%D%/counters/msr/registers.h \
	%D%/counters/msr/request.c \
	%D%/counters/msr/request.h \
	%D%/counters/msr/signals.c \
	%D%/counters/msr/signals.h \
	%D%/counters/msr/start.c \
	%D%/counters/msr/state.h \
	%D%/counters/msr/totals.c \
	%D%/counters/msr/totals.h \
	%D%/counters/msr/totals_all.c \
	%D%/counters/nvml.c \
	%D%/counters/nvml.h \
	%D%/counters/perf/box.c \
	%D%/counters/perf/box.h \
	%D%/counters/perf/by_hand.c \
	%D%/counters/perf/group.c \
	%D%/counters/perf/group.h \
	%D%/counters/perf/hybrid.c \
	%D%/counters/perf/hybrid.h \
	%D%/counters/perf/perf.c \
	%D%/counters/perf/perf.h \
	%D%/counters/perf/places.c \
	%D%/counters/perf/places.h \
	%D%/counters/perf/probe.c \
	%D%/counters/perf/process.c \
	%D%/counters/perf/process.h \
	%D%/counters/perf/socket.c \
	%D%/counters/perf/socket.h \
	%D%/counters/perf/socket_probe.c \
	%D%/counters/perf/system.c \
	%D%/counters/perf/system.h \
	%D%/counters/perf/thread.c \
	%D%/counters/perf/user.c \
	%D%/counters/perf/user.h \
	%D%/counters/perf/watchdog.c \
	%D%/counters/perf/watchdog.h \
	%D%/counters/perf/why.c \
	%D%/counters/perf/why.h \
	%D%/counters/refusable.c \
	%D%/counters/refusable.h \
	%D%/counters/several.c \
	%D%/counters/several.h \
	%D%/counters/software.c \
	%D%/counters/valgrind/counter.h \
	%D%/counters/valgrind/events.c \
	%D%/counters/valgrind/events.h \
	%D%/counters/valgrind/log.c \
	%D%/counters/valgrind/log.h \
	%D%/counters/valgrind/request.h \
	%D%/counters/valgrind/text.c \
	%D%/counters/valgrind/text.h \
	%D%/counters/valgrind/valgrind.c \
	%D%/counters/valgrind/valgrind.h
%C%_libpmu_counters_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_counters_la_CFLAGS = $(lib_cflags)
%C%_libpmu_counters_la_LDFLAGS =

# Where totals lie, and how they are read.
noinst_LTLIBRARIES += %D%/libpmu-store.la
%C%_libpmu_store_la_SOURCES = \
	%D%/store/bank.h \
	%D%/store/brief.c \
	%D%/store/brief.h \
	%D%/store/chunks.c \
	%D%/store/chunks.h \
	%D%/store/index.c \
	%D%/store/index.h \
	%D%/store/merge.c \
	%D%/store/merge.h \
	%D%/store/place.c \
	%D%/store/place.h \
	%D%/store/published.h \
	%D%/store/read/check.c \
	%D%/store/read/check.h \
	%D%/store/read/convert.h \
	%D%/store/read/convert_fold.c \
	%D%/store/read/convert_rows.c \
	%D%/store/read/convert_thread.c \
	%D%/store/read/convert_totals.c \
	%D%/store/read/list.c \
	%D%/store/read/list.h \
	%D%/store/read/live.c \
	%D%/store/read/live.h \
	%D%/store/read/one.c \
	%D%/store/read/one.h \
	%D%/store/read/raw.c \
	%D%/store/read/raw.h \
	%D%/store/read/reader.h \
	%D%/store/read/rows.c \
	%D%/store/read/sides.c \
	%D%/store/read/snapshot.c \
	%D%/store/read/snapshot.h \
	%D%/store/read/snapshot_file.c \
	%D%/store/read/texts.c \
	%D%/store/read/threads.c \
	%D%/store/read/walk.c \
	%D%/store/row.h \
	%D%/store/samples.c \
	%D%/store/samples.h \
	%D%/store/save.c \
	%D%/store/save.h \
	%D%/store/table.c \
	%D%/store/table.h \
	%D%/store/table_rings.c \
	%D%/store/table_rows.c \
	%D%/store/view.h
%C%_libpmu_store_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_store_la_CFLAGS = $(lib_cflags)
%C%_libpmu_store_la_LDFLAGS =

# The model, and the report of one process.
noinst_LTLIBRARIES += %D%/libpmu-report.la
%C%_libpmu_report_la_SOURCES = \
	%D%/report/cell.c \
	%D%/report/cell.h \
	%D%/report/csv.c \
	%D%/report/encode.c \
	%D%/report/encode.h \
	%D%/report/file.c \
	%D%/report/formats.h \
	%D%/report/json.c \
	%D%/report/json.h \
	%D%/report/json_put.h \
	%D%/report/json_samples.c \
	%D%/report/model/all_calls.c \
	%D%/report/model/all_calls.h \
	%D%/report/model/beside.c \
	%D%/report/model/beside.h \
	%D%/report/model/block.c \
	%D%/report/model/block.h \
	%D%/report/model/fields.c \
	%D%/report/model/fields.h \
	%D%/report/model/finish.c \
	%D%/report/model/finish.h \
	%D%/report/model/histogram.c \
	%D%/report/model/histogram.h \
	%D%/report/model/least.c \
	%D%/report/model/least.h \
	%D%/report/model/measure.c \
	%D%/report/model/measure.h \
	%D%/report/model/metric.c \
	%D%/report/model/metric.h \
	%D%/report/model/model.c \
	%D%/report/model/model.h \
	%D%/report/model/objects.c \
	%D%/report/model/objects.h \
	%D%/report/model/pool.c \
	%D%/report/model/pool.h \
	%D%/report/model/rows.c \
	%D%/report/model/rows.h \
	%D%/report/model/samples.c \
	%D%/report/model/samples.h \
	%D%/report/model/samples_sum.c \
	%D%/report/model/sums.c \
	%D%/report/model/team.c \
	%D%/report/model/turns.c \
	%D%/report/model/turns.h \
	%D%/report/name.c \
	%D%/report/name.h \
	%D%/report/output.c \
	%D%/report/report.c \
	%D%/report/report.h \
	%D%/report/several.h \
	%D%/report/text/choose.c \
	%D%/report/text/detail.c \
	%D%/report/text/detail.h \
	%D%/report/text/doubts.c \
	%D%/report/text/estimates.c \
	%D%/report/text/head.c \
	%D%/report/text/least.c \
	%D%/report/text/longest.c \
	%D%/report/text/longest.h \
	%D%/report/text/marks.c \
	%D%/report/text/rows.c \
	%D%/report/text/samples.c \
	%D%/report/text/samples.h \
	%D%/report/text/table.c \
	%D%/report/text/table.h \
	%D%/report/text/terminal.c \
	%D%/report/text/terminal.h \
	%D%/report/text/text.c \
	%D%/report/text/text.h \
	%D%/report/text/times.c \
	%D%/report/text/topdown.c \
	%D%/report/text/topdown.h \
	%D%/report/text/topdown_nodes.c
%C%_libpmu_report_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_report_la_CFLAGS = $(lib_cflags)
%C%_libpmu_report_la_LDFLAGS =

# PMU_ variables, checked.
noinst_LTLIBRARIES += %D%/libpmu-settings.la
%C%_libpmu_settings_la_SOURCES = \
	%D%/settings/config.c \
	%D%/settings/config.h \
	%D%/settings/help.c \
	%D%/settings/refuse.h \
	%D%/settings/sample.c \
	%D%/settings/sample.h \
	%D%/settings/vars.h
%C%_libpmu_settings_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_settings_la_CFLAGS = $(lib_cflags)
%C%_libpmu_settings_la_LDFLAGS =

# Threads, groups, where results go.
noinst_LTLIBRARIES += %D%/libpmu-session.la
%C%_libpmu_session_la_SOURCES = \
	%D%/session/attach.c \
	%D%/session/attach.h \
	%D%/session/choose.c \
	%D%/session/choose.h \
	%D%/session/contexts.c \
	%D%/session/contexts.h \
	%D%/session/describe.c \
	%D%/session/describe.h \
	%D%/session/enter.c \
	%D%/session/enter.h \
	%D%/session/fit.c \
	%D%/session/fit.h \
	%D%/session/groups.c \
	%D%/session/groups.h \
	%D%/session/control.c \
	%D%/session/control.h \
	%D%/session/guard.c \
	%D%/session/guard.h \
	%D%/session/lifecycle.c \
	%D%/session/lifecycle.h \
	%D%/session/literals.c \
	%D%/session/occupancy.c \
	%D%/session/options.c \
	%D%/session/options.h \
	%D%/session/output.c \
	%D%/session/output.h \
	%D%/session/rank.c \
	%D%/session/rank.h \
	%D%/session/require.c \
	%D%/session/require.h \
	%D%/session/rotate.c \
	%D%/session/rotate.h \
	%D%/session/sample_event.c \
	%D%/session/sample_event.h \
	%D%/session/samples.c \
	%D%/session/samples.h \
	%D%/session/samples_hand.c \
	%D%/session/samples_hand.h \
	%D%/session/session.c \
	%D%/session/session.h \
	%D%/session/sink.c \
	%D%/session/sink.h \
	%D%/session/sockets.c \
	%D%/session/sockets.h \
	%D%/session/sockets_table.h \
	%D%/session/spawn.c \
	%D%/session/spawn.h \
	%D%/session/steal.c \
	%D%/session/steal.h \
	%D%/session/thread.c \
	%D%/session/thread.h \
	%D%/session/trace.c \
	%D%/session/trace.h \
	%D%/session/turns.c \
	%D%/session/turns.h \
	%D%/session/usage.c \
	%D%/session/usage.h \
	%D%/session/waits.c \
	%D%/session/waits.h
%C%_libpmu_session_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_session_la_CFLAGS = $(lib_cflags)
%C%_libpmu_session_la_LDFLAGS =

# Begin and end.
noinst_LTLIBRARIES += %D%/libpmu-region.la
%C%_libpmu_region_la_SOURCES = \
	%D%/region/aside/aside.c \
	%D%/region/aside/aside.h \
	%D%/region/aside/enter_aarch64.S \
	%D%/region/aside/enter_x86_64.S \
	%D%/region/aside/probe.c \
	%D%/region/call.c \
	%D%/region/call.h \
	%D%/region/checkpoint.c \
	%D%/region/checkpoint.h \
	%D%/region/context.c \
	%D%/region/context.h \
	%D%/region/cut.c \
	%D%/region/cut.h \
	%D%/region/forked.c \
	%D%/region/forked.h \
	%D%/region/guarded.h \
	%D%/region/is_open.c \
	%D%/region/least.c \
	%D%/region/least.h \
	%D%/region/name.c \
	%D%/region/name.h \
	%D%/region/off.c \
	%D%/region/off.h \
	%D%/region/publish.h \
	%D%/region/region.c \
	%D%/region/selfcost/calibrate.c \
	%D%/region/selfcost/measure.h \
	%D%/region/selfcost/pause.c \
	%D%/region/selfcost/scenes.c \
	%D%/region/selfcost/selfcost.h \
	%D%/region/slow.c \
	%D%/region/slow.h \
	%D%/region/started.c \
	%D%/region/team.c \
	%D%/region/team.h \
	%D%/region/text.h \
	%D%/region/trace.h \
	%D%/region/tree.c \
	%D%/region/tree.h \
	%D%/region/turn.h
%C%_libpmu_region_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_region_la_CFLAGS = $(lib_cflags)
%C%_libpmu_region_la_LDFLAGS =

# The public calls beside them.
noinst_LTLIBRARIES += %D%/libpmu-api.la
%C%_libpmu_api_la_SOURCES = \
	%D%/api/counters.c \
	%D%/api/region.c \
	%D%/api/session.c
%C%_libpmu_api_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_api_la_CFLAGS = $(lib_cflags)
%C%_libpmu_api_la_LDFLAGS =

# What knows names of events and groups.
noinst_LTLIBRARIES += %D%/libpmu-names.la
%C%_libpmu_names_la_SOURCES = \
	%D%/names/absent.c \
	%D%/names/absent.h \
	%D%/names/branches.c \
	%D%/names/branches.h \
	%D%/names/catalog.c \
	%D%/names/event.c \
	%D%/names/event_names.c \
	%D%/names/file/cpu.c \
	%D%/names/file/file.c \
	%D%/names/file/file.h \
	%D%/names/file/formula.c \
	%D%/names/file/look.c \
	%D%/names/file/parse.c \
	%D%/names/file/parts.h \
	%D%/names/file/scan.c \
	%D%/names/group.c \
	%D%/names/interrupts.c \
	%D%/names/json.c \
	%D%/names/json.h \
	%D%/names/likwid/counter.c \
	%D%/names/likwid/event.c \
	%D%/names/likwid/find.c \
	%D%/names/likwid/formula.c \
	%D%/names/likwid/likwid.h \
	%D%/names/likwid/names.c \
	%D%/names/likwid/options.c \
	%D%/names/likwid/parse.c \
	%D%/names/likwid/parts.h \
	%D%/names/likwid/scan.c \
	%D%/names/likwid/slots.c \
	%D%/names/likwid/spelling.c \
	%D%/names/likwid/target.c \
	%D%/names/models.c \
	%D%/names/native.c \
	%D%/names/native.h \
	%D%/names/pfm/events.c \
	%D%/names/pfm/limits.c \
	%D%/names/pfm/list.c \
	%D%/names/pfm/load.c \
	%D%/names/pfm/load.h \
	%D%/names/pfm/names.c \
	%D%/names/pfm/names.h \
	%D%/names/pfm/pfm.c \
	%D%/names/pfm/pfm.h \
	%D%/names/pfm/tables.c \
	%D%/names/resolver.c \
	%D%/names/simulated.c \
	%D%/names/simulated.h \
	%D%/names/spelling.c \
	%D%/names/spelling.h \
	%D%/names/sysfs/files.c \
	%D%/names/sysfs/files.h \
	%D%/names/sysfs/format.c \
	%D%/names/sysfs/format.h \
	%D%/names/sysfs/list.c \
	%D%/names/sysfs/names.c \
	%D%/names/sysfs/names.h \
	%D%/names/sysfs/sysfs.c \
	%D%/names/sysfs/sysfs.h \
	%D%/names/tables/table.c \
	%D%/names/tables/table.h \
	%D%/names/terms.c \
	%D%/names/terms.h \
	%D%/names/terms_place.c \
	%D%/names/terms_place.h \
	%D%/names/vendor/file.c \
	%D%/names/vendor/file.h \
	%D%/names/vendor/files.h \
	%D%/names/vendor/formula.c \
	%D%/names/vendor/formula.h \
	%D%/names/vendor/index.c \
	%D%/names/vendor/linux.c \
	%D%/names/vendor/map.c \
	%D%/names/vendor/map.h \
	%D%/names/vendor/metric.c \
	%D%/names/vendor/metric.h \
	%D%/names/vendor/metric_group.c \
	%D%/names/vendor/metric_parts.h \
	%D%/names/vendor/metric_read.c \
	%D%/names/vendor/metric_shares.c \
	%D%/names/vendor/metric_terms.c \
	%D%/names/vendor/open.c \
	%D%/names/vendor/slot.c \
	%D%/names/vendor/slot.h \
	%D%/names/vendor/text.c \
	%D%/names/vendor/uncore.c \
	%D%/names/vendor/uncore_kernel.c \
	%D%/names/vendor/vendor.c \
	%D%/names/vendor/vendor.h
%C%_libpmu_names_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_names_la_CFLAGS = $(lib_cflags)
%C%_libpmu_names_la_LDFLAGS =

# Reports of several processes as one: for the command and for MPI jobs.
noinst_LTLIBRARIES += %D%/libpmu-reports.la
%C%_libpmu_reports_la_SOURCES = \
	%D%/reports/base64.c \
	%D%/reports/base64.h \
	%D%/reports/combine/columns.c \
	%D%/reports/combine/combine.c \
	%D%/reports/combine/combine.h \
	%D%/reports/combine/combining.h \
	%D%/reports/combine/gather.c \
	%D%/reports/combine/remarks.c \
	%D%/reports/combine/rows.c \
	%D%/reports/combine/teams.c \
	%D%/reports/combine/texts.c \
	%D%/reports/combine/tree.c \
	%D%/reports/json_parts.c \
	%D%/reports/json_parts.h \
	%D%/reports/over_parts.c \
	%D%/reports/over_parts.h \
	%D%/reports/parts.c \
	%D%/reports/ranks/coding.h \
	%D%/reports/ranks/decode.c \
	%D%/reports/ranks/encode.c \
	%D%/reports/ranks/match.c \
	%D%/reports/ranks/merge.c \
	%D%/reports/ranks/of_model.c \
	%D%/reports/ranks/over.c \
	%D%/reports/ranks/ranking.h \
	%D%/reports/ranks/ranks.c \
	%D%/reports/ranks/ranks.h \
	%D%/reports/ranks/to_model.c \
	%D%/reports/several.c \
	%D%/reports/text_parts.c \
	%D%/reports/text_parts.h
%C%_libpmu_reports_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_reports_la_CFLAGS = $(lib_cflags)
%C%_libpmu_reports_la_LDFLAGS =

# What a measured process loads.
measure_libs = %D%/libpmu-base.la %D%/libpmu-machine.la %D%/libpmu-plan.la %D%/libpmu-counters.la %D%/libpmu-store.la %D%/libpmu-report.la %D%/libpmu-settings.la %D%/libpmu-session.la %D%/libpmu-region.la %D%/libpmu-api.la
measure_objects = $(%C%_libpmu_base_la_OBJECTS) $(%C%_libpmu_machine_la_OBJECTS) $(%C%_libpmu_plan_la_OBJECTS) $(%C%_libpmu_counters_la_OBJECTS) $(%C%_libpmu_store_la_OBJECTS) $(%C%_libpmu_report_la_OBJECTS) $(%C%_libpmu_settings_la_OBJECTS) $(%C%_libpmu_session_la_OBJECTS) $(%C%_libpmu_region_la_OBJECTS) $(%C%_libpmu_api_la_OBJECTS)
room_lib_objects = $(measure_objects) $(%C%_libpmu_names_la_OBJECTS) $(%C%_libpmu_reports_la_OBJECTS)
# room_objects FOLDER/NAME...: without its ending; % stands for the rest of a name
room_objects = $(foreach file,$(1),%D%/$(dir $(file))libpmu_$(firstword $(subst /, ,$(file)))_la-$(notdir $(file)).lo)

noinst_LTLIBRARIES += %D%/libpmu-core.la
%C%_libpmu_core_la_SOURCES = %D%/names/resolve_here.c
%C%_libpmu_core_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_core_la_CFLAGS = $(lib_cflags)
%C%_libpmu_core_la_LDFLAGS =
%C%_libpmu_core_la_LIBADD = $(measure_libs) %D%/libpmu-names.la %D%/libpmu-reports.la

# The shipped groups: in the library, and installed for people to read and copy.
groupsdir = $(pkgdatadir)/groups
dist_groups_DATA = \
	%D%/names/data/BRANCH.group \
	%D%/names/data/CACHE.group \
	%D%/names/data/CORE.group \
	%D%/names/data/CYCLES.group \
	%D%/names/data/DATA.group \
	%D%/names/data/ENERGY.group \
	%D%/names/data/FLOPS_DP.group \
	%D%/names/data/FLOPS_SP.group \
	%D%/names/data/GPU.group \
	%D%/names/data/L2.group \
	%D%/names/data/L3.group \
	%D%/names/data/MEM.group \
	%D%/names/data/NUMA.group \
	%D%/names/data/SOFTWARE.group \
	%D%/names/data/STALLS.group \
	%D%/names/data/TIME.group \
	%D%/names/data/TLB.group \
	%D%/names/data/TMA1.group \
	%D%/names/data/TMA2.group \
	%D%/names/data/TMA3.group \
	%D%/names/data/TMA4.group \
	%D%/names/data/TMA_BANDWIDTH.group \
	%D%/names/data/TMA_BOUND.group \
	%D%/names/data/TMA_CORE.group \
	%D%/names/data/TMA_DETAIL.group \
	%D%/names/data/TMA_LATENCY.group \
	%D%/names/data/TMA_MEMORY.group \
	%D%/names/data/TMA_OPS.group \
	%D%/names/data/TMA_SLOTS.group \
	%D%/names/data/TMA_UOPS.group \
	%D%/names/data/TOPDOWN.group \
	%D%/names/data/UOPS.group
nodist_%C%_libpmu_names_la_SOURCES = %D%/names/shipped.c
CLEANFILES += %D%/names/shipped.c
EXTRA_DIST += %D%/names/data/embed.awk %D%/names/data/README.md %D%/names/data/table.sh
%D%/names/shipped.c: $(dist_groups_DATA) %D%/names/data/embed.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(AWK) -f $(filter %.awk,$^) $(filter %.group,$^) >$@.tmp && mv $@.tmp $@

# Which of them work where, by what the command says.
.PHONY: update-groups
update-groups: pmu
	$(SHELL) $(srcdir)/%D%/names/data/table.sh ./pmu >$(srcdir)/%D%/names/data/README.md.tmp
	mv $(srcdir)/%D%/names/data/README.md.tmp $(srcdir)/%D%/names/data/README.md

# The tables of events, made by hand from what vendors publish: make update-events SRC=FOLDER, a
# checkout of intel/perfmon or of Linux.
include %D%/names/tables/files.mk
nodist_%C%_libpmu_names_la_SOURCES += %D%/names/tables/all.c
CLEANFILES += %D%/names/tables/all.c
EXTRA_DIST += $(event_tables) %D%/names/tables/embed.awk %D%/names/tables/update.py %D%/names/tables/README.md
%D%/names/tables/all.c: $(event_tables) %D%/names/tables/embed.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)LC_ALL=C $(AWK) -f $(filter %.awk,$^) $(filter-out %.awk,$^) >$@.tmp && mv $@.tmp $@

# LIKWID's names of events, as text.
nodist_%C%_libpmu_names_la_SOURCES += %D%/names/likwid/all.c
CLEANFILES += %D%/names/likwid/all.c
EXTRA_DIST += %D%/names/likwid/events.names %D%/names/likwid/embed.awk
%D%/names/likwid/all.c: %D%/names/likwid/events.names %D%/names/likwid/embed.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)LC_ALL=C $(AWK) -f $(filter %.awk,$^) $(filter-out %.awk,$^) >$@.tmp && mv $@.tmp $@

.PHONY: update-events
update-events:
	$(PYTHON) $(srcdir)/%D%/names/tables/update.py "$(SRC)"

lib_LTLIBRARIES += %D%/libpmu.la
%C%_libpmu_la_SOURCES = %D%/machine/events_load.c
%C%_libpmu_la_CPPFLAGS = $(lib_cppflags) -DPMU_LIBDIR='"$(libdir)"'
%C%_libpmu_la_CFLAGS = $(lib_cflags)
%C%_libpmu_la_LIBADD = $(measure_libs)
# config.status: the folder it will be installed in is written into it.
EXTRA_%C%_libpmu_la_DEPENDENCIES = %D%/libpmu.map $(top_builddir)/config.status
# nodelete: threads hold pointers into it.  now: the hot path resolves nothing.
%C%_libpmu_la_LDFLAGS = -version-info 0:0:0 -no-undefined \
	-Wl,--version-script=$(srcdir)/%D%/libpmu.map \
	-Wl,-z,nodelete -Wl,-z,now -Wl,--as-needed $(SECTION_LDFLAGS)

EXTRA_DIST += %D%/README.md %D%/ADDING.md %D%/GLOSSARY.md %D%/region/selfcost/README.md %D%/libpmu.map

# Loaded by libpmu when a name has to be looked up.
pmulibdir = $(libdir)/pmu
pmulib_LTLIBRARIES = %D%/libpmu-events.la
%C%_libpmu_events_la_SOURCES = %D%/names/resolve_here.c
%C%_libpmu_events_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_events_la_CFLAGS = $(lib_cflags)
%C%_libpmu_events_la_LIBADD = %D%/libpmu-names.la %D%/libpmu-plan.la %D%/libpmu-machine.la %D%/libpmu-base.la
%C%_libpmu_events_la_LDFLAGS = -module -avoid-version -no-undefined -export-symbols-regex '^pmu_resolver$$$$' \
	-Wl,-z,nodelete -Wl,-z,now -Wl,--as-needed $(DEFS_LDFLAGS) $(SECTION_LDFLAGS)

# The same, linked into a program: names are in it, functions that stand in for libc's are not.  One object, with
# the map's symbols alone left.
EXTRA_LTLIBRARIES = %D%/libpmu-static.la
if HAVE_STATIC
staticlibdir = $(libdir)
nodist_staticlib_DATA = %D%/libpmu.a
endif
check_DATA = %D%/libpmu.a
CLEANFILES += %D%/libpmu-static.la %D%/libpmu.a %D%/libpmu.a.o %D%/libpmu.a.symbols
%C%_libpmu_static_la_SOURCES = %D%/names/resolve_here.c %D%/session/spawn_none.c
%C%_libpmu_static_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_static_la_CFLAGS = $(lib_cflags)
%C%_libpmu_static_la_LDFLAGS =
static_objects = $(%C%_libpmu_static_la_OBJECTS) $(%C%_libpmu_names_la_OBJECTS) \
	$(filter-out $(call room_objects,session/spawn region/started),$(measure_objects))
%D%/libpmu.a: %D%/libpmu-static.la %D%/libpmu-core.la %D%/libpmu.map
	@rm -f $@ && sed -n 's/^\t\(pmu_[a-z_]*\);$$/\1/p' $(srcdir)/%D%/libpmu.map >$@.symbols
	$(AM_V_GEN)$(CC) $(CFLAGS) -r -nostdlib -o $@.o \
		$(foreach object,$(static_objects:.lo=.o),$(dir $(object)).libs/$(notdir $(object))) && \
		$(OBJCOPY) --keep-global-symbols=$@.symbols $@.o && $(AR) cr $@ $@.o

# For size: what runs when a session, a thread or a program of the process starts and ends, at most.
once_objects = $(addprefix %D%/,machine/% plan/% report/% settings/% store/read/% names/% reports/%) $(call room_objects, \
	$(addprefix api/,region% session%) \
	$(addprefix base/,environ% error% library% place% process% races% strbuf% sysfile% textfile% write%) \
	$(addprefix counters/msr/,amd_limits% assign% check% journal% program% registers% request% signals% start%) \
	$(addprefix counters/perf/,hybrid% places% probe% process% socket_probe% watchdog% why%) \
	$(addprefix counters/valgrind/,log% text%) \
	$(addprefix region/,checkpoint% cut% started%) \
	$(addprefix session/,choose% control% describe% fit% lifecycle% literals% options% output% rank% require% sample_event% session% sink% spawn% thread% usage%) \
	$(addprefix store/,merge% place%))
$(filter $(once_objects),$(room_lib_objects)): CFLAGS += $(SIZE_CFLAGS)

# Larger frames: what is called through pmu_with_room() alone, when a session or a thread starts and when a report is made.
in_room_objects = $(call room_objects, \
	$(addprefix api/,counters%) $(addprefix base/,library% process%) $(addprefix counters/,software%) \
	$(addprefix counters/msr/,msr% program_uncore% start%) \
	$(addprefix counters/perf/,box% by_hand% hybrid% perf% places% process% thread% why%) \
	$(addprefix machine/,machine% pin% libcpuid/file% libcpuid/identify%) $(addprefix names/vendor/,metric%) \
	$(addprefix plan/,fold%) $(addprefix region/selfcost/,scenes%) $(addprefix report/,file%) \
	$(addprefix session/,choose% fit% groups% sample_event% session% usage%) $(addprefix settings/,config% sample%) \
	$(addprefix store/read/,convert_rows% list% sides% snapshot%))
$(filter $(in_room_objects),$(room_lib_objects)): CFLAGS += $(ROOM_CFLAGS)

# All C files and headers, for targets that compile them in another way.
lib_sources = $(%C%_libpmu_base_la_SOURCES) $(%C%_libpmu_machine_la_SOURCES) $(%C%_libpmu_plan_la_SOURCES) $(%C%_libpmu_counters_la_SOURCES) $(%C%_libpmu_store_la_SOURCES) $(%C%_libpmu_report_la_SOURCES) $(%C%_libpmu_settings_la_SOURCES) $(%C%_libpmu_session_la_SOURCES) $(%C%_libpmu_region_la_SOURCES) $(%C%_libpmu_api_la_SOURCES) $(%C%_libpmu_names_la_SOURCES) $(%C%_libpmu_reports_la_SOURCES) $(%C%_libpmu_core_la_SOURCES)
nodist_lib_sources = $(nodist_%C%_libpmu_names_la_SOURCES)

# Is the library's interface still that of the last release?  New functions are allowed.  Needs libabigail
# (on Debian: abigail-tools) and debugging information, which CFLAGS ask for by themselves.
abi_dump = $(srcdir)/%D%/abi/libpmu.so.0-$(host_cpu).xml
abi_options = --exported-interfaces-only --suppressions $(srcdir)/%D%/abi/public.suppr
EXTRA_DIST += %D%/abi/libpmu.so.0-x86_64.xml %D%/abi/nodes.awk %D%/abi/public.suppr %D%/abi/released-nodes
.PHONY: check-abi abi-dump
check-abi: %D%/libpmu.la
	@test -e $(abi_dump) || { echo "check-abi: there is no $(abi_dump)" >&2; exit 1; }
	$(ABIDIFF) $(abi_options) --no-added-syms $(abi_dump) %D%/.libs/libpmu.so
# With a release: what the next ones are held to.  Its nodes never change again; new functions go into a new one.
abi-dump: %D%/libpmu.la
	$(ABIDW) $(abi_options) --headers-dir $(srcdir)/include --drop-private-types --no-corpus-path \
		--no-comp-dir-path --no-elf-needed --no-show-locs --type-id-style hash --out-file $(abi_dump) %D%/.libs/libpmu.so
	$(AWK) -f $(srcdir)/%D%/abi/nodes.awk $(srcdir)/%D%/libpmu.map | LC_ALL=C sort >$(srcdir)/%D%/abi/released-nodes
ABIDIFF = abidiff
ABIDW = abidw
