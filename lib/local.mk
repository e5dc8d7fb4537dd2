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

# What more than one of them is made of.
noinst_LTLIBRARIES += %D%/libpmu-common.la
%C%_libpmu_common_la_SOURCES = \
	%D%/base/arena.c \
	%D%/base/arena.h \
	%D%/base/aside.h \
	%D%/base/compiler.h \
	%D%/base/environ.c \
	%D%/base/environ.h \
	%D%/base/error.c \
	%D%/base/error.h \
	%D%/base/hash.h \
	%D%/base/index.c \
	%D%/base/index.h \
	%D%/base/library.c \
	%D%/base/library.h \
	%D%/base/lock.h \
	%D%/base/number.h \
	%D%/base/once.h \
	%D%/base/races.c \
	%D%/base/races.h \
	%D%/base/retry.h \
	%D%/base/strbuf.c \
	%D%/base/strbuf.h \
	%D%/base/sysfile.c \
	%D%/base/sysfile.h \
	%D%/base/textfile.c \
	%D%/base/textfile.h \
	%D%/machine/boxes.c \
	%D%/machine/boxes.h \
	%D%/machine/cpu.c \
	%D%/machine/cpu.h \
	%D%/machine/cpuid.c \
	%D%/machine/cpuid.h \
	%D%/machine/mask.c \
	%D%/machine/mask.h \
	%D%/machine/events.h \
	%D%/machine/models.h \
	%D%/counters/msr/select.c \
	%D%/counters/msr/select.h \
	%D%/counters/plan.h \
	%D%/group/catalog.h \
	%D%/group/event.h \
	%D%/group/file/formula_names.c \
	%D%/group/file/parts.h \
	%D%/group/file/file.h \
	%D%/group/formula.c \
	%D%/group/formula.h \
	%D%/group/group.h \
	%D%/group/interrupts.h \
	%D%/group/resolve.h \
	%D%/group/usual.c \
	%D%/group/usual.h
%C%_libpmu_common_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_common_la_CFLAGS = $(lib_cflags)
%C%_libpmu_common_la_LDFLAGS =

# What knows names of events and groups.
noinst_LTLIBRARIES += %D%/libpmu-names.la
%C%_libpmu_names_la_SOURCES = \
	%D%/base/json.c \
	%D%/base/json.h \
	%D%/machine/models.c \
	%D%/group/absent.c \
	%D%/group/absent.h \
	%D%/group/branches.c \
	%D%/group/branches.h \
	%D%/group/catalog.c \
	%D%/group/event.c \
	%D%/group/event_names.c \
	%D%/group/file/file.c \
	%D%/group/file/cpu.c \
	%D%/group/file/formula.c \
	%D%/group/file/look.c \
	%D%/group/file/parse.c \
	%D%/group/file/scan.c \
	%D%/group/group.c \
	%D%/group/interrupts.c \
	%D%/group/native.c \
	%D%/group/native.h \
	%D%/group/vendor/file.c \
	%D%/group/vendor/file.h \
	%D%/group/vendor/files.h \
	%D%/group/vendor/formula.c \
	%D%/group/vendor/formula.h \
	%D%/group/vendor/index.c \
	%D%/group/vendor/linux.c \
	%D%/group/vendor/map.c \
	%D%/group/vendor/map.h \
	%D%/group/vendor/metric.c \
	%D%/group/vendor/metric.h \
	%D%/group/vendor/metric_group.c \
	%D%/group/vendor/metric_parts.h \
	%D%/group/vendor/metric_read.c \
	%D%/group/vendor/metric_shares.c \
	%D%/group/vendor/metric_terms.c \
	%D%/group/vendor/open.c \
	%D%/group/vendor/slot.c \
	%D%/group/vendor/slot.h \
	%D%/group/vendor/text.c \
	%D%/group/vendor/uncore.c \
	%D%/group/vendor/uncore_kernel.c \
	%D%/group/vendor/vendor.c \
	%D%/group/vendor/vendor.h \
	%D%/group/likwid/counter.c \
	%D%/group/likwid/event.c \
	%D%/group/likwid/find.c \
	%D%/group/likwid/formula.c \
	%D%/group/likwid/likwid.h \
	%D%/group/likwid/options.c \
	%D%/group/likwid/parse.c \
	%D%/group/likwid/parts.h \
	%D%/group/likwid/scan.c \
	%D%/group/likwid/spelling.c \
	%D%/group/pfm/pfm.c \
	%D%/group/pfm/pfm.h \
	%D%/group/pfm/events.c \
	%D%/group/pfm/limits.c \
	%D%/group/pfm/list.c \
	%D%/group/pfm/load.c \
	%D%/group/pfm/load.h \
	%D%/group/pfm/names.c \
	%D%/group/pfm/names.h \
	%D%/group/pfm/tables.c \
	%D%/group/spelling.c \
	%D%/group/spelling.h \
	%D%/group/sysfs/sysfs.c \
	%D%/group/sysfs/sysfs.h \
	%D%/group/sysfs/files.c \
	%D%/group/sysfs/files.h \
	%D%/group/sysfs/format.c \
	%D%/group/sysfs/format.h \
	%D%/group/sysfs/list.c \
	%D%/group/sysfs/names.c \
	%D%/group/sysfs/names.h \
	%D%/group/tables/table.c \
	%D%/group/tables/table.h \
	%D%/group/terms.c \
	%D%/group/terms.h \
	%D%/group/terms_place.c \
	%D%/group/terms_place.h \
	%D%/group/resolver.c
%C%_libpmu_names_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_names_la_CFLAGS = $(lib_cflags)
%C%_libpmu_names_la_LDFLAGS =

# What measures.
noinst_LTLIBRARIES += %D%/libpmu-measure.la
%C%_libpmu_measure_la_SOURCES = \
	%D%/base/buckets.h \
	%D%/base/execl.h \
	%D%/base/execroom.c \
	%D%/base/execroom.h \
	%D%/base/fd.c \
	%D%/base/fd.h \
	%D%/base/lost.c \
	%D%/base/lost.h \
	%D%/base/own.c \
	%D%/base/own.h \
	%D%/base/owner.c \
	%D%/base/owner.h \
	%D%/base/main.h \
	%D%/base/spawning.h \
	%D%/base/stars.h \
	%D%/base/place.c \
	%D%/base/place.h \
	%D%/base/process.c \
	%D%/base/process.h \
	%D%/base/room.c \
	%D%/base/room.h \
	%D%/base/slots.h \
	%D%/base/systemcall.h \
	%D%/base/time.h \
	%D%/base/write.c \
	%D%/base/write.h \
	%D%/machine/claims.c \
	%D%/machine/claims.h \
	%D%/machine/clock.c \
	%D%/machine/clock.h \
	%D%/machine/cpuid_dump.c \
	%D%/machine/cpuid_file.c \
	%D%/machine/cpuid_print.c \
	%D%/machine/hwloc.c \
	%D%/machine/hwloc.h \
	%D%/machine/libcpuid/libcpuid.h \
	%D%/machine/libcpuid/text.c \
	$(libcpuid_sources) \
	%D%/machine/machine.c \
	%D%/machine/machine.h \
	%D%/machine/perfmon.c \
	%D%/machine/perfmon.h \
	%D%/machine/pin.c \
	%D%/machine/pin.h \
	%D%/machine/pinned.c \
	%D%/machine/pinned.h \
	%D%/machine/places.c \
	%D%/machine/places.h \
	%D%/machine/topology.c \
	%D%/machine/topology.h \
	%D%/report/cell.c \
	%D%/report/cell.h \
	%D%/report/csv.c \
	%D%/report/encode.c \
	%D%/report/encode.h \
	%D%/report/file.c \
	%D%/report/json.c \
	%D%/report/json.h \
	%D%/report/json_put.h \
	%D%/report/name.c \
	%D%/report/name.h \
	%D%/report/output.c \
	%D%/report/report.c \
	%D%/report/report.h \
	%D%/report/several.h \
	%D%/report/combine/combine.h \
	%D%/report/model/all_calls.c \
	%D%/report/model/all_calls.h \
	%D%/report/model/turns.c \
	%D%/report/model/turns.h \
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
	%D%/report/model/model.c \
	%D%/report/model/model.h \
	%D%/report/model/over_parts.h \
	%D%/report/model/pool.c \
	%D%/report/model/pool.h \
	%D%/report/model/rows.c \
	%D%/report/model/rows.h \
	%D%/report/model/sums.c \
	%D%/report/model/team.c \
	%D%/report/text/choose.c \
	%D%/report/text/detail.c \
	%D%/report/text/detail.h \
	%D%/report/text/doubts.c \
	%D%/report/text/estimates.c \
	%D%/report/text/head.c \
	%D%/report/text/least.c \
	%D%/report/text/longest.c \
	%D%/report/text/longest.h \
	%D%/report/text/rows.c \
	%D%/report/text/table.c \
	%D%/report/text/table.h \
	%D%/report/text/terminal.c \
	%D%/report/text/terminal.h \
	%D%/report/text/text.c \
	%D%/report/text/text.h \
	%D%/report/text/times.c \
	%D%/report/text/topdown.c \
	%D%/report/text/topdown.h \
	%D%/report/text/topdown_nodes.c \
	%D%/store/bank.h \
	%D%/store/brief.c \
	%D%/store/brief.h \
	%D%/store/chunks.c \
	%D%/store/chunks.h \
	%D%/store/read/check.c \
	%D%/store/read/check.h \
	%D%/store/read/convert.h \
	%D%/store/read/convert_fold.c \
	%D%/store/read/convert_rows.c \
	%D%/store/read/convert_thread.c \
	%D%/store/read/convert_totals.c \
	%D%/store/read/list.c \
	%D%/store/read/list.h \
	%D%/store/index.c \
	%D%/store/index.h \
	%D%/store/merge.c \
	%D%/store/merge.h \
	%D%/store/place.c \
	%D%/store/place.h \
	%D%/store/read/one.c \
	%D%/store/read/one.h \
	%D%/store/read/raw.c \
	%D%/store/read/raw.h \
	%D%/store/read/sides.c \
	%D%/store/read/rows.c \
	%D%/store/read/texts.c \
	%D%/store/read/threads.c \
	%D%/store/read/walk.c \
	%D%/store/read/reader.h \
	%D%/store/published.h \
	%D%/store/row.h \
	%D%/store/save.c \
	%D%/store/save.h \
	%D%/store/read/snapshot.c \
	%D%/store/read/snapshot.h \
	%D%/store/read/snapshot_file.c \
	%D%/store/table.c \
	%D%/store/table.h \
	%D%/store/table_rings.c \
	%D%/store/table_rows.c \
	%D%/store/view.h \
	%D%/counters/backend.c \
	%D%/counters/backend.h \
	%D%/counters/clock.c \
	%D%/counters/perf/perf.c \
	%D%/counters/perf/perf.h \
	%D%/counters/perf/by_hand.c \
	%D%/counters/perf/group.c \
	%D%/counters/perf/group.h \
	%D%/counters/perf/box.c \
	%D%/counters/perf/box.h \
	%D%/counters/perf/hybrid.c \
	%D%/counters/perf/hybrid.h \
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
	%D%/counters/valgrind/counter.h \
	%D%/counters/valgrind/events.c \
	%D%/counters/valgrind/events.h \
	%D%/counters/valgrind/log.c \
	%D%/counters/valgrind/log.h \
	%D%/counters/valgrind/request.h \
	%D%/counters/valgrind/text.c \
	%D%/counters/valgrind/text.h \
	%D%/counters/valgrind/valgrind.c \
	%D%/counters/valgrind/valgrind.h \
	%D%/counters/msr/access.c \
	%D%/counters/msr/amd_limits.c \
	%D%/counters/msr/amd_limits.h \
	%D%/counters/msr/assign.c \
	%D%/counters/msr/assign.h \
	%D%/counters/msr/batch.c \
	%D%/counters/msr/batch.h \
	%D%/counters/msr/totals.c \
	%D%/counters/msr/totals.h \
	%D%/counters/msr/totals_all.c \
	%D%/counters/msr/check.c \
	%D%/counters/msr/device.c \
	%D%/counters/msr/device.h \
	%D%/counters/msr/journal.c \
	%D%/counters/msr/journal.h \
	%D%/counters/msr/journal_text.c \
	%D%/counters/msr/journal_write.c \
	%D%/counters/msr/poller.c \
	%D%/counters/msr/poller.h \
	%D%/counters/msr/msr.c \
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
	%D%/counters/plan.c \
	%D%/counters/refusable.c \
	%D%/counters/refusable.h \
	%D%/counters/software.c \
	%D%/group/fit.c \
	%D%/group/fit.h \
	%D%/group/fold.c \
	%D%/group/fold.h \
	%D%/group/metric.c \
	%D%/group/metric.h \
	%D%/group/simulated.c \
	%D%/group/simulated.h \
	%D%/group/resolve.c \
	%D%/session/attach.c \
	%D%/session/attach.h \
	%D%/session/choose.c \
	%D%/session/choose.h \
	%D%/session/config.c \
	%D%/session/config.h \
	%D%/session/config_vars.h \
	%D%/session/contexts.c \
	%D%/session/contexts.h \
	%D%/session/describe.c \
	%D%/session/describe.h \
	%D%/session/enter.c \
	%D%/session/enter.h \
	%D%/session/groups.c \
	%D%/session/groups.h \
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
	%D%/session/session.c \
	%D%/session/session.h \
	%D%/session/sink.c \
	%D%/session/sink.h \
	%D%/session/sockets.c \
	%D%/session/sockets.h \
	%D%/session/sockets_table.h \
	%D%/session/spawn.c \
	%D%/session/spawn.h \
	%D%/session/thread.c \
	%D%/session/thread.h \
	%D%/session/trace.c \
	%D%/session/trace.h \
	%D%/session/turns.c \
	%D%/session/turns.h \
	%D%/session/usage.c \
	%D%/session/usage.h \
	%D%/region/aside/aside.c \
	%D%/region/aside/aside.h \
	%D%/region/aside/enter_aarch64.S \
	%D%/region/aside/enter_x86_64.S \
	%D%/region/aside/probe.c \
	%D%/region/call.c \
	%D%/region/call.h \
	%D%/region/checkpoint.c \
	%D%/region/checkpoint.h \
	%D%/region/selfcost/calibrate.c \
	%D%/region/selfcost/selfcost.h \
	%D%/region/context.c \
	%D%/region/forked.c \
	%D%/region/forked.h \
	%D%/region/guarded.h \
	%D%/region/is_open.c \
	%D%/region/least.c \
	%D%/region/least.h \
	%D%/region/selfcost/measure.h \
	%D%/region/name.c \
	%D%/region/name.h \
	%D%/region/selfcost/pause.c \
	%D%/region/publish.h \
	%D%/region/region.c \
	%D%/region/selfcost/scenes.c \
	%D%/region/slow.c \
	%D%/region/slow.h \
	%D%/region/started.c \
	%D%/region/turn.h \
	%D%/region/trace.h \
	%D%/region/tree.c \
	%D%/region/team.c \
	%D%/region/team.h \
	%D%/region/text.h \
	%D%/region/tree.h \
	%D%/api/counters.c \
	%D%/api/region.c \
	%D%/api/session.c
%C%_libpmu_measure_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_measure_la_CFLAGS = $(lib_cflags)
%C%_libpmu_measure_la_LDFLAGS =

# The command's: reports of several processes as one, and what it says of settings.
noinst_LTLIBRARIES += %D%/libpmu-combine.la
%C%_libpmu_combine_la_SOURCES = \
	%D%/report/base64.c \
	%D%/report/base64.h \
	%D%/report/combine/columns.c \
	%D%/report/combine/combine.c \
	%D%/report/combine/combining.h \
	%D%/report/combine/gather.c \
	%D%/report/combine/remarks.c \
	%D%/report/combine/rows.c \
	%D%/report/combine/teams.c \
	%D%/report/combine/texts.c \
	%D%/report/combine/tree.c \
	%D%/report/json_parts.c \
	%D%/report/json_parts.h \
	%D%/report/model/over_parts.c \
	%D%/report/model/parts.c \
	%D%/report/ranks/coding.h \
	%D%/report/ranks/decode.c \
	%D%/report/ranks/encode.c \
	%D%/report/ranks/match.c \
	%D%/report/ranks/merge.c \
	%D%/report/ranks/of_model.c \
	%D%/report/ranks/over.c \
	%D%/report/ranks/ranking.h \
	%D%/report/ranks/ranks.c \
	%D%/report/ranks/ranks.h \
	%D%/report/ranks/to_model.c \
	%D%/report/several.c \
	%D%/report/text/parts.c \
	%D%/report/text/parts.h \
	%D%/session/config_help.c
%C%_libpmu_combine_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_combine_la_CFLAGS = $(lib_cflags)
%C%_libpmu_combine_la_LDFLAGS =

noinst_LTLIBRARIES += %D%/libpmu-core.la
%C%_libpmu_core_la_SOURCES = %D%/group/resolve_here.c
%C%_libpmu_core_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_core_la_CFLAGS = $(lib_cflags)
%C%_libpmu_core_la_LDFLAGS =
%C%_libpmu_core_la_LIBADD = %D%/libpmu-measure.la %D%/libpmu-combine.la %D%/libpmu-names.la %D%/libpmu-common.la

# The shipped groups: in the library, and installed for people to read and copy.
groupsdir = $(pkgdatadir)/groups
dist_groups_DATA = \
	%D%/group/data/BRANCH.group \
	%D%/group/data/CACHE.group \
	%D%/group/data/CORE.group \
	%D%/group/data/CYCLES.group \
	%D%/group/data/DATA.group \
	%D%/group/data/ENERGY.group \
	%D%/group/data/FLOPS_DP.group \
	%D%/group/data/FLOPS_SP.group \
	%D%/group/data/L2.group \
	%D%/group/data/L3.group \
	%D%/group/data/MEM.group \
	%D%/group/data/NUMA.group \
	%D%/group/data/SOFTWARE.group \
	%D%/group/data/STALLS.group \
	%D%/group/data/TIME.group \
	%D%/group/data/TLB.group \
	%D%/group/data/TMA1.group \
	%D%/group/data/TMA2.group \
	%D%/group/data/TMA3.group \
	%D%/group/data/TMA4.group \
	%D%/group/data/TMA_BANDWIDTH.group \
	%D%/group/data/TMA_BOUND.group \
	%D%/group/data/TMA_CORE.group \
	%D%/group/data/TMA_DETAIL.group \
	%D%/group/data/TMA_LATENCY.group \
	%D%/group/data/TMA_MEMORY.group \
	%D%/group/data/TMA_OPS.group \
	%D%/group/data/TMA_SLOTS.group \
	%D%/group/data/TMA_UOPS.group \
	%D%/group/data/TOPDOWN.group \
	%D%/group/data/UOPS.group
nodist_%C%_libpmu_names_la_SOURCES = %D%/group/shipped.c
CLEANFILES += %D%/group/shipped.c
EXTRA_DIST += %D%/group/data/embed.awk %D%/group/data/README.md %D%/group/data/table.sh
%D%/group/shipped.c: $(dist_groups_DATA) %D%/group/data/embed.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(AWK) -f $(filter %.awk,$^) $(filter %.group,$^) >$@.tmp && mv $@.tmp $@

# Which of them work where, by what the command says.
.PHONY: update-groups
update-groups: pmu
	$(SHELL) $(srcdir)/%D%/group/data/table.sh ./pmu >$(srcdir)/%D%/group/data/README.md.tmp
	mv $(srcdir)/%D%/group/data/README.md.tmp $(srcdir)/%D%/group/data/README.md

# The tables of events, made by hand from what vendors publish: make update-events SRC=FOLDER, a
# checkout of intel/perfmon or of Linux.
include %D%/group/tables/files.mk
nodist_%C%_libpmu_names_la_SOURCES += %D%/group/tables/all.c
CLEANFILES += %D%/group/tables/all.c
EXTRA_DIST += $(event_tables) %D%/group/tables/embed.awk %D%/group/tables/update.py %D%/group/tables/README.md
%D%/group/tables/all.c: $(event_tables) %D%/group/tables/embed.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)LC_ALL=C $(AWK) -f $(filter %.awk,$^) $(filter-out %.awk,$^) >$@.tmp && mv $@.tmp $@
.PHONY: update-events
update-events:
	$(PYTHON) $(srcdir)/%D%/group/tables/update.py "$(SRC)"

lib_LTLIBRARIES += %D%/libpmu.la
%C%_libpmu_la_SOURCES = %D%/machine/events_load.c
%C%_libpmu_la_CPPFLAGS = $(lib_cppflags) -DPMU_LIBDIR='"$(libdir)"'
%C%_libpmu_la_CFLAGS = $(lib_cflags)
%C%_libpmu_la_LIBADD = %D%/libpmu-measure.la %D%/libpmu-common.la
# config.status: the folder it will be installed in is written into it.
EXTRA_%C%_libpmu_la_DEPENDENCIES = %D%/libpmu.map $(top_builddir)/config.status
# nodelete: threads hold pointers into it.  now: the hot path resolves nothing.
%C%_libpmu_la_LDFLAGS = -version-info 0:0:0 -no-undefined \
	-Wl,--version-script=$(srcdir)/%D%/libpmu.map \
	-Wl,-z,nodelete -Wl,-z,now -Wl,--as-needed $(SECTION_LDFLAGS)

EXTRA_DIST += %D%/README.md %D%/region/selfcost/README.md %D%/libpmu.map

# Loaded by libpmu when a name has to be looked up.
pmulibdir = $(libdir)/pmu
pmulib_LTLIBRARIES = %D%/libpmu-events.la
%C%_libpmu_events_la_SOURCES = %D%/group/resolve_here.c
%C%_libpmu_events_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_events_la_CFLAGS = $(lib_cflags)
%C%_libpmu_events_la_LIBADD = %D%/libpmu-names.la %D%/libpmu-common.la
%C%_libpmu_events_la_LDFLAGS = -module -avoid-version -no-undefined \
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
%C%_libpmu_static_la_SOURCES = %D%/group/resolve_here.c %D%/session/spawn_none.c
%C%_libpmu_static_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_static_la_CFLAGS = $(lib_cflags)
%C%_libpmu_static_la_LDFLAGS =
static_objects = $(%C%_libpmu_static_la_OBJECTS) $(%C%_libpmu_common_la_OBJECTS) $(%C%_libpmu_names_la_OBJECTS) \
	$(filter-out $(addprefix %D%/,session/libpmu_measure_la-spawn.lo region/libpmu_measure_la-started.lo), \
		$(%C%_libpmu_measure_la_OBJECTS))
%D%/libpmu.a: %D%/libpmu-static.la %D%/libpmu-core.la %D%/libpmu.map
	@rm -f $@ && sed -n 's/^\t\(pmu_[a-z_]*\);$$/\1/p' $(srcdir)/%D%/libpmu.map >$@.symbols
	$(AM_V_GEN)$(CC) $(CFLAGS) -r -nostdlib -o $@.o \
		$(foreach object,$(static_objects:.lo=.o),$(dir $(object)).libs/$(notdir $(object))) && \
		$(OBJCOPY) --keep-global-symbols=$@.symbols $@.o && $(AR) cr $@ $@.o

# For size: what runs when a session, a thread or a program of the process starts and ends, at most.
libpmu_once = $(addprefix api/libpmu_measure_la-,region% session%) $(addprefix region/libpmu_measure_la-,checkpoint% started%) report/% machine/% group/% \
	$(addprefix base/libpmu_common_la-,environ% error% library% races% strbuf% sysfile% textfile%) \
	$(addprefix base/libpmu_measure_la-,place% process% write%) \
	$(addprefix session/libpmu_measure_la-,choose% config% describe% lifecycle% literals% options% output% rank% require% session% sink% spawn% thread% usage%) \
	$(addprefix store/libpmu_measure_la-,merge% place%) store/read/% \
	$(addprefix counters/msr/libpmu_measure_la-,amd_limits% assign% check% journal% program% registers% request% signals% start%) \
	$(addprefix counters/perf/libpmu_measure_la-,hybrid% places% probe% process% socket_probe% watchdog% why%) \
	$(addprefix counters/valgrind/libpmu_measure_la-,log% text%)
$(filter $(addprefix %D%/,$(libpmu_once)),$(%C%_libpmu_common_la_OBJECTS) $(%C%_libpmu_names_la_OBJECTS) \
	$(%C%_libpmu_measure_la_OBJECTS) $(%C%_libpmu_combine_la_OBJECTS)): CFLAGS += $(SIZE_CFLAGS)

# Larger frames: what is called through pmu_with_room() alone, when a session or a thread starts and when a report is made.
libpmu_in_room = $(addprefix api/libpmu_measure_la-,counters%) $(addprefix base/libpmu_measure_la-,process%) \
	$(addprefix base/libpmu_common_la-,library%) \
	$(addprefix counters/libpmu_measure_la-,software%) \
	$(addprefix counters/msr/libpmu_measure_la-,msr% program_uncore% start%) \
	$(addprefix counters/perf/libpmu_measure_la-,box% by_hand% hybrid% perf.% places% process% thread% why%) \
	$(addprefix group/libpmu_measure_la-,fit% fold%) $(addprefix group/vendor/libpmu_names_la-,metric%) \
	$(addprefix machine/libpmu_measure_la-,machine% pin.%) $(addprefix machine/libcpuid/libpmu_measure_la-,file% identify%) \
	$(addprefix region/selfcost/libpmu_measure_la-,scenes%) \
	$(addprefix report/libpmu_measure_la-,file%) \
	$(addprefix session/libpmu_measure_la-,choose% config% groups% session% usage%) \
	$(addprefix store/read/libpmu_measure_la-,convert_rows% list% sides% snapshot%)
$(filter $(addprefix %D%/,$(libpmu_in_room)),$(%C%_libpmu_common_la_OBJECTS) $(%C%_libpmu_names_la_OBJECTS) \
	$(%C%_libpmu_measure_la_OBJECTS)): CFLAGS += $(ROOM_CFLAGS)

# All C files and headers, for targets that compile them in another way.
lib_sources = $(%C%_libpmu_common_la_SOURCES) $(%C%_libpmu_names_la_SOURCES) \
	$(%C%_libpmu_measure_la_SOURCES) $(%C%_libpmu_combine_la_SOURCES) $(%C%_libpmu_core_la_SOURCES)
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
