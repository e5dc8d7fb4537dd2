# SPDX-License-Identifier: BSD-3-Clause
# The library: libpmu-core carries the objects to the unit tests, libpmu is the same behind the map.

noinst_LTLIBRARIES += %D%/libpmu-core.la
%C%_libpmu_core_la_SOURCES = \
	%D%/base/arena.c \
	%D%/base/arena.h \
	%D%/base/compiler.h \
	%D%/base/environ.c \
	%D%/base/environ.h \
	%D%/base/error.c \
	%D%/base/error.h \
	%D%/base/fd.c \
	%D%/base/fd.h \
	%D%/base/hash.h \
	%D%/base/json.c \
	%D%/base/json.h \
	%D%/base/lock.h \
	%D%/base/strbuf.c \
	%D%/base/strbuf.h \
	%D%/base/sysfile.c \
	%D%/base/sysfile.h \
	%D%/machine/boxes.c \
	%D%/machine/boxes.h \
	%D%/machine/claims.c \
	%D%/machine/claims.h \
	%D%/machine/cpu.c \
	%D%/machine/cpu.h \
	%D%/machine/cpuid.c \
	%D%/machine/cpuid.h \
	%D%/machine/cpuid_dump.c \
	%D%/machine/machine.c \
	%D%/machine/machine.h \
	%D%/machine/mask.c \
	%D%/machine/mask.h \
	%D%/machine/models.c \
	%D%/machine/models.h \
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
	%D%/report/block.c \
	%D%/report/block.h \
	%D%/report/cell.c \
	%D%/report/cell.h \
	%D%/report/csv.c \
	%D%/report/encode.c \
	%D%/report/encode.h \
	%D%/report/finish.c \
	%D%/report/finish.h \
	%D%/report/json.c \
	%D%/report/model.c \
	%D%/report/model.h \
	%D%/report/output.c \
	%D%/report/report.c \
	%D%/report/report.h \
	%D%/report/rows.c \
	%D%/report/rows.h \
	%D%/report/sums.c \
	%D%/report/table.c \
	%D%/report/table.h \
	%D%/report/text.c \
	%D%/report/text.h \
	%D%/report/text_head.c \
	%D%/report/text_rows.c \
	%D%/store/bank.h \
	%D%/store/check.c \
	%D%/store/check.h \
	%D%/store/convert.h \
	%D%/store/convert_fold.c \
	%D%/store/convert_rows.c \
	%D%/store/convert_thread.c \
	%D%/store/fate.c \
	%D%/store/list.c \
	%D%/store/merge.c \
	%D%/store/merge.h \
	%D%/store/place.c \
	%D%/store/place.h \
	%D%/store/place_dirs.h \
	%D%/store/read.c \
	%D%/store/read.h \
	%D%/store/read_rows.c \
	%D%/store/read_texts.c \
	%D%/store/read_threads.c \
	%D%/store/read_walk.c \
	%D%/store/reader.h \
	%D%/store/row.h \
	%D%/store/snapshot.c \
	%D%/store/snapshot.h \
	%D%/store/snapshot_file.c \
	%D%/store/table.c \
	%D%/store/table.h \
	%D%/counters/backend.c \
	%D%/counters/backend.h \
	%D%/counters/clock.c \
	%D%/counters/clock.h \
	%D%/counters/perf/perf.c \
	%D%/counters/perf/perf.h \
	%D%/counters/perf/group.c \
	%D%/counters/perf/group.h \
	%D%/counters/perf/box.c \
	%D%/counters/perf/box.h \
	%D%/counters/perf/hybrid.c \
	%D%/counters/perf/hybrid.h \
	%D%/counters/perf/places.c \
	%D%/counters/perf/places.h \
	%D%/counters/perf/probe.c \
	%D%/counters/perf/socket.c \
	%D%/counters/perf/socket.h \
	%D%/counters/perf/socket_probe.c \
	%D%/counters/perf/system.c \
	%D%/counters/perf/system.h \
	%D%/counters/perf/thread.c \
	%D%/counters/perf/user.c \
	%D%/counters/perf/user.h \
	%D%/counters/perf/why.c \
	%D%/counters/perf/why.h \
	%D%/counters/msr/access.c \
	%D%/counters/msr/amd_limits.c \
	%D%/counters/msr/amd_limits.h \
	%D%/counters/msr/assign.c \
	%D%/counters/msr/assign.h \
	%D%/counters/msr/batch.c \
	%D%/counters/msr/batch.h \
	%D%/counters/msr/cell.c \
	%D%/counters/msr/cell.h \
	%D%/counters/msr/cells.c \
	%D%/counters/msr/check.c \
	%D%/counters/msr/device.c \
	%D%/counters/msr/device.h \
	%D%/counters/msr/journal.c \
	%D%/counters/msr/journal.h \
	%D%/counters/msr/journal_text.c \
	%D%/counters/msr/journal_write.c \
	%D%/counters/msr/keeper.c \
	%D%/counters/msr/keeper.h \
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
	%D%/counters/msr/select.c \
	%D%/counters/msr/select.h \
	%D%/counters/msr/signals.c \
	%D%/counters/msr/signals.h \
	%D%/counters/msr/start.c \
	%D%/counters/msr/state.h \
	%D%/counters/plan.c \
	%D%/counters/plan.h \
	%D%/counters/software.c \
	%D%/group/absent.c \
	%D%/group/absent.h \
	%D%/group/catalog.c \
	%D%/group/catalog.h \
	%D%/group/event.c \
	%D%/group/event.h \
	%D%/group/event_names.c \
	%D%/group/file/file.c \
	%D%/group/file/file.h \
	%D%/group/file/cpu.c \
	%D%/group/file/formula.c \
	%D%/group/file/look.c \
	%D%/group/file/parse.c \
	%D%/group/file/parts.h \
	%D%/group/file/scan.c \
	%D%/group/fit.c \
	%D%/group/fit.h \
	%D%/group/formula.c \
	%D%/group/formula.h \
	%D%/group/group.c \
	%D%/group/group.h \
	%D%/group/intel/intel.c \
	%D%/group/intel/intel.h \
	%D%/group/intel/file.c \
	%D%/group/intel/file.h \
	%D%/group/intel/formula.c \
	%D%/group/intel/formula.h \
	%D%/group/intel/map.c \
	%D%/group/intel/map.h \
	%D%/group/intel/metric.c \
	%D%/group/intel/metric.h \
	%D%/group/intel/metric_group.c \
	%D%/group/intel/metric_parts.h \
	%D%/group/intel/metric_read.c \
	%D%/group/intel/metric_terms.c \
	%D%/group/intel/slot.c \
	%D%/group/intel/slot.h \
	%D%/group/intel/text.c \
	%D%/group/intel/uncore.c \
	%D%/group/metric.c \
	%D%/group/metric.h \
	%D%/group/pfm/pfm.c \
	%D%/group/pfm/pfm.h \
	%D%/group/pfm/limits.c \
	%D%/group/pfm/list.c \
	%D%/group/pfm/load.c \
	%D%/group/pfm/load.h \
	%D%/group/pfm/names.c \
	%D%/group/pfm/names.h \
	%D%/group/sysfs/sysfs.c \
	%D%/group/sysfs/sysfs.h \
	%D%/group/sysfs/files.c \
	%D%/group/sysfs/files.h \
	%D%/group/sysfs/format.c \
	%D%/group/sysfs/format.h \
	%D%/group/sysfs/list.c \
	%D%/group/sysfs/names.c \
	%D%/group/sysfs/names.h \
	%D%/group/terms.c \
	%D%/group/terms.h \
	%D%/group/terms_place.c \
	%D%/group/terms_place.h \
	%D%/session/api.c \
	%D%/session/choose.c \
	%D%/session/config.c \
	%D%/session/config.h \
	%D%/session/counters_api.c \
	%D%/session/describe.c \
	%D%/session/enter.c \
	%D%/session/gate.c \
	%D%/session/gate.h \
	%D%/session/lifecycle.c \
	%D%/session/literals.c \
	%D%/session/output.c \
	%D%/session/session.c \
	%D%/session/session.h \
	%D%/session/sink.c \
	%D%/session/sockets.c \
	%D%/session/sockets.h \
	%D%/session/sockets_table.h \
	%D%/session/spawn.c \
	%D%/session/spawn.h \
	%D%/session/stay.c \
	%D%/session/thread.c \
	%D%/session/thread.h \
	%D%/session/usage.c \
	%D%/session/usage.h \
	%D%/region/query.c \
	%D%/region/publish.h \
	%D%/region/region.c \
	%D%/region/slow.c \
	%D%/region/slow.h \
	%D%/region/tree.c \
	%D%/region/tree.h
%C%_libpmu_core_la_CPPFLAGS = $(lib_cppflags)
%C%_libpmu_core_la_CFLAGS = $(AM_CFLAGS) -Wmissing-prototypes -fvisibility=hidden
%C%_libpmu_core_la_LDFLAGS =
%C%_libpmu_core_la_LIBADD = $(HWLOC_LIBS) $(INIH_LIBS)

# The shipped groups: in the library, and installed for people to read and copy.
groupsdir = $(pkgdatadir)/groups
dist_groups_DATA = \
	%D%/group/data/BRANCH.group \
	%D%/group/data/CACHE.group \
	%D%/group/data/CORE.group \
	%D%/group/data/CYCLES.group \
	%D%/group/data/ENERGY.group \
	%D%/group/data/FLOPS_DP.group \
	%D%/group/data/FLOPS_SP.group \
	%D%/group/data/MEM.group \
	%D%/group/data/SOFTWARE.group \
	%D%/group/data/STALLS.group \
	%D%/group/data/TIME.group \
	%D%/group/data/TLB.group \
	%D%/group/data/TOPDOWN.group
nodist_%C%_libpmu_core_la_SOURCES = %D%/group/shipped.c
CLEANFILES += %D%/group/shipped.c
EXTRA_DIST += %D%/group/data/embed.awk
%D%/group/shipped.c: $(dist_groups_DATA) %D%/group/data/embed.awk
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)$(AWK) -f $(filter %.awk,$^) $(filter %.group,$^) >$@.tmp && mv $@.tmp $@

lib_LTLIBRARIES += %D%/libpmu.la
%C%_libpmu_la_SOURCES =
%C%_libpmu_la_LIBADD = %D%/libpmu-core.la
# config.status: the folder it will be installed in is written into it.
EXTRA_%C%_libpmu_la_DEPENDENCIES = %D%/libpmu.map $(top_builddir)/config.status
# nodelete: threads hold pointers into it.  now: the hot path resolves nothing.
%C%_libpmu_la_LDFLAGS = -version-info 0:0:0 -no-undefined \
	-Wl,--version-script=$(srcdir)/%D%/libpmu.map \
	-Wl,-z,nodelete -Wl,-z,now -Wl,--as-needed

EXTRA_DIST += %D%/libpmu.map
