# SPDX-License-Identifier: BSD-3-Clause
# Kernels with known counts, and what a begin/end pair costs; all see the library as users do.

noinst_PROGRAMS += %D%/demo %D%/overhead %D%/ranks
%C%_demo_LDADD = lib/libpmu.la
# Merging what ranks did has no public function.
%C%_ranks_SOURCES = %D%/growth/ranks.c
%C%_ranks_LDADD = lib/libpmu-core.la
%C%_overhead_LDADD = lib/libpmu.la $(JANSSON_LIBS)
%C%_overhead_SOURCES = \
	$(bench_common) \
	%D%/cost/bare.c \
	%D%/cost/bare.h \
	%D%/cost/busy.c \
	%D%/cost/busy.h \
	%D%/cost/counted.c \
	%D%/cost/loops.c \
	%D%/cost/memory.c \
	%D%/cost/overhead.c \
	%D%/cost/overhead.h \
	%D%/cost/pairs.c \
	%D%/cost/plot.c \
	%D%/cost/plot.h \
	%D%/cost/rounds.c \
	%D%/cost/rounds.h \
	%D%/cost/session.c \
	%D%/cost/sweep.c \
	%D%/cost/sweep.h \
	%D%/cost/tools.c

# What the programs share that measure in processes of their own.
bench_common = \
	%D%/common/child.c \
	%D%/common/child.h \
	%D%/common/json_text.h \
	%D%/common/machine.c \
	%D%/common/machine.h \
	%D%/common/numbers.c \
	%D%/common/numbers.h \
	%D%/common/page_count.h \
	%D%/common/processors.h \
	%D%/common/report.c \
	%D%/common/report.h \
	%D%/common/table.c \
	%D%/common/table.h

# Loops of known behaviour, each with its model.
bench_kernels = \
	%D%/kernels/branchy.c \
	%D%/kernels/chase.c \
	%D%/kernels/divide.c \
	%D%/kernels/gather.c \
	%D%/kernels/histogram.c \
	%D%/kernels/kernel.h \
	%D%/kernels/kernels.c \
	%D%/kernels/kernels.h \
	%D%/kernels/matmul.c \
	%D%/kernels/scan.c \
	%D%/kernels/search.c \
	%D%/kernels/stencil.c \
	%D%/kernels/stream.c \
	%D%/kernels/transpose.c \
	%D%/kernels/vectors.c

# Is what is counted right?
bench_verify = \
	%D%/verify/around.c \
	%D%/verify/around.h \
	%D%/verify/bracket.c \
	%D%/verify/bracket.h \
	%D%/verify/branch.c \
	%D%/verify/branch.h \
	%D%/verify/count.c \
	%D%/verify/interrupts.c \
	%D%/verify/json.c \
	%D%/verify/known.c \
	%D%/verify/tally.c \
	%D%/verify/text.c \
	%D%/verify/verify.c \
	%D%/verify/verify.h

# What a machine computes and moves at most.
bench_ceilings = \
	%D%/ceilings/ceilings.c \
	%D%/ceilings/ceilings.h \
	%D%/ceilings/flops.c \
	%D%/ceilings/flops.h \
	%D%/ceilings/json.c \
	%D%/ceilings/levels.c \
	%D%/ceilings/streams.c \
	%D%/ceilings/streams.h \
	%D%/ceilings/sve.h \
	%D%/ceilings/team.c \
	%D%/ceilings/text.c \
	bindings/command/roofline/place.c \
	bindings/command/roofline/place.h

bin_PROGRAMS += pmu-bench
# Where the compiler goes by way of the PLT, the dynamic linker's work at the first pmu_region_end is in a region.
pmu_bench_LDFLAGS = $(AM_LDFLAGS) -Wl,-z,now
pmu_bench_LDADD = lib/libpmu.la $(JANSSON_LIBS) $(HWLOC_LIBS) -lm
pmu_bench_SOURCES = \
	$(bench_ceilings) \
	$(bench_kernels) \
	$(bench_verify) \
	%D%/common/child.c \
	%D%/common/child.h \
	%D%/common/numbers.c \
	%D%/common/numbers.h \
	%D%/common/processors.h \
	%D%/common/report.c \
	%D%/common/report.h \
	%D%/suite/counts.c \
	%D%/suite/emulate.c \
	%D%/suite/json.c \
	%D%/suite/main.c \
	%D%/suite/options.c \
	%D%/suite/suite.h \
	%D%/suite/surroundings.c \
	%D%/suite/team.c \
	%D%/suite/text.c

# The same without the way into the build tree by which that one finds the library where it was built.
noinst_PROGRAMS += %D%/installed/pmu-bench
%C%_installed_pmu_bench_LDFLAGS = -Wl,--as-needed -Wl,-z,now
%C%_installed_pmu_bench_LDADD = $(pmu_bench_LDADD)
%C%_installed_pmu_bench_SOURCES = $(pmu_bench_SOURCES)
install-exec-hook:
	$(LIBTOOL) $(AM_V_lt) $(LIBTOOLFLAGS) --mode=install $(INSTALL_PROGRAM) %D%/installed/pmu-bench "$(DESTDIR)$(bindir)/pmu-bench"

dist_man_MANS += %D%/suite/pmu-bench.1

.PHONY: bench
bench: pmu-bench$(EXEEXT)
	@./pmu-bench$(EXEEXT)

# How store and report grow.
noinst_PROGRAMS += %D%/scale
%C%_scale_LDADD = lib/libpmu.la -lm
%C%_scale_SOURCES = \
	%D%/common/child.c \
	%D%/common/child.h \
	%D%/common/json_text.h \
	%D%/common/numbers.c \
	%D%/common/numbers.h \
	%D%/growth/run.c \
	%D%/growth/scale.c \
	%D%/growth/scale.h \
	%D%/growth/series.c \
	%D%/growth/series.h \
	%D%/growth/stores.c \
	%D%/growth/stores.h \
	%D%/growth/sweeps.c

.PHONY: scale
scale: %D%/scale$(EXEEXT) pmu$(EXEEXT)
	@./%D%/scale$(EXEEXT)

EXTRA_DIST += %D%/README.md %D%/python_cost.py
.PHONY: python-cost
python-cost: lib/libpmu.la
	PYTHONPATH='$(abs_srcdir)/bindings/python' PYTHONDONTWRITEBYTECODE=1 \
		PMU_LIBRARY='$(abs_builddir)/lib/.libs/libpmu.so.0' $(PYTHON) $(srcdir)/%D%/python_cost.py

# How often comparisons of runs are right.
noinst_PROGRAMS += %D%/regions
%C%_regions_SOURCES = %D%/verdicts/regions.c
%C%_regions_LDADD = lib/libpmu.la

EXTRA_DIST += %D%/verdicts/verdicts.py
.PHONY: verdicts
verdicts: %D%/regions$(EXEEXT) pmu$(EXEEXT)
	$(PYTHON) $(srcdir)/%D%/verdicts/verdicts.py --pmu ./pmu$(EXEEXT) --program %D%/regions$(EXEEXT) $(VERDICTS)

# Whether samples are those that perf has.
EXTRA_DIST += %D%/sampled/against_perf.py
.PHONY: sampled
sampled: all
	$(PYTHON) $(srcdir)/%D%/sampled/against_perf.py --pmu ./pmu$(EXEEXT) $(SAMPLED)

# What it needs, and what "./pmu run" does: a fourth less to compile than all.
.PHONY: demo
demo: lib/libpmu.la lib/libpmu-events.la bindings/libpmu-preload.la pmu$(EXEEXT) %D%/demo$(EXEEXT)
	@./%D%/demo$(EXEEXT)

# The same annotated loop with this library and with others: each in a program of its own, linked with one of them.
bench_workers = \
	%D%/with_libpmu \
	%D%/with_perf_read \
	%D%/with_perf_user \
	%D%/with_time_stamp
bench_worker = \
	%D%/common/numbers.c \
	%D%/common/numbers.h \
	%D%/others/worker.c \
	%D%/others/worker.h
bench_papi = %D%/others/papi_common.h
bench_perf = %D%/common/page_count.h %D%/others/perf_event.h
%C%_with_libpmu_SOURCES = $(bench_worker) %D%/others/libpmu.c
%C%_with_libpmu_LDADD = lib/libpmu.la
%C%_with_perf_read_SOURCES = $(bench_worker) $(bench_perf) %D%/others/perf_read.c
%C%_with_perf_read_LDADD =
%C%_with_perf_user_SOURCES = $(bench_worker) $(bench_perf) %D%/others/perf_user.c
%C%_with_perf_user_LDADD =
%C%_with_time_stamp_SOURCES = $(bench_worker) %D%/others/time_stamp.c
%C%_with_time_stamp_LDADD =
if HAVE_PAPI
bench_workers += %D%/with_papi_hl %D%/with_papi_read
endif
%C%_with_papi_hl_SOURCES = $(bench_worker) $(bench_papi) %D%/others/papi_hl.c
%C%_with_papi_hl_LDADD = -lpapi
%C%_with_papi_read_SOURCES = $(bench_worker) $(bench_papi) %D%/others/papi_read.c
%C%_with_papi_read_LDADD = -lpapi
if HAVE_LIKWID
bench_workers += %D%/with_likwid
endif
%C%_with_likwid_SOURCES = $(bench_worker) %D%/others/likwid.c
%C%_with_likwid_LDADD = -llikwid
if HAVE_CALIPER
bench_workers += %D%/with_caliper
endif
%C%_with_caliper_SOURCES = $(bench_worker) %D%/others/caliper.c
%C%_with_caliper_LDADD = -lcaliper

noinst_PROGRAMS += %D%/compare $(bench_workers)
%C%_compare_LDADD = lib/libpmu.la $(JANSSON_LIBS)
%C%_compare_SOURCES = \
	$(bench_common) \
	%D%/others/compare.c \
	%D%/others/workers.c \
	%D%/others/workers.h

.PHONY: compare
compare: %D%/compare$(EXEEXT) $(bench_workers:=$(EXEEXT))
	@./%D%/compare$(EXEEXT)
