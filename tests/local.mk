# SPDX-License-Identifier: BSD-3-Clause
# The tests: a program or a script a line.  All speak TAP.

# A program a folder, linked with every symbol of the library: a .c each is a part of it (unit/part.h).
unit_tests =
unit_main = %D%/unit/main.c %D%/unit/part.h
unit_tests += %D%/unit/annotations/all
%C%_unit_annotations_all_SOURCES = $(unit_main) \
	$(annotation_sources) \
	%D%/unit/annotations/names.c \
	%D%/unit/annotations/stack.c
unit_tests += %D%/unit/base/all
%C%_unit_base_all_SOURCES = $(unit_main) \
	%D%/unit/base/environ.c \
	%D%/unit/base/error.c \
	%D%/unit/base/fd.c \
	%D%/unit/base/index.c \
	%D%/unit/base/json.c \
	%D%/unit/base/strbuf.c \
	%D%/unit/base/sysfile.c \
	%D%/unit/base/textfile.c \
	%D%/unit/base/write.c
unit_tests += %D%/unit/command/all
%C%_unit_command_all_SOURCES = $(unit_main) \
	$(annotate_sources) $(attach_read_sources) $(code_sources) $(json_read_sources) $(noise_sources) $(roofline_sources) $(sample_sources) $(stacks_sources) $(stats_sources) \
	$(top_sources) $(trace_read_sources) \
	bindings/command/command.h \
	bindings/command/quantity.c \
	bindings/command/quantity.h \
	bindings/command/wrap.c \
	bindings/command/info/codename.c \
	bindings/command/info/codename.h \
	bindings/command/page/calls.h \
	bindings/command/page/longest.c \
	bindings/command/page/timeline.h \
	bindings/command/top/watch.c \
	bindings/command/top/watch.h \
	bindings/command/viewers/protobuf.c \
	bindings/command/viewers/protobuf.h \
	%D%/unit/command/annotate.c \
	%D%/unit/command/attach_look.c \
	%D%/unit/command/code.c \
	%D%/unit/command/code_lines.c \
	%D%/unit/command/codename.c \
	%D%/unit/command/longest.c \
	%D%/unit/command/noise_sample.c \
	%D%/unit/command/noise_summary.c \
	%D%/unit/command/protobuf.c \
	%D%/unit/command/quantity.c \
	%D%/unit/command/roofline.c \
	%D%/unit/command/sample_answer.c \
	%D%/unit/command/sample_chains.c \
	%D%/unit/command/sample_give.c \
	%D%/unit/command/sample_hello.c \
	%D%/unit/command/sample_made.h \
	%D%/unit/command/sample_ring.c \
	%D%/unit/command/sample_sums.c \
	%D%/unit/command/share.c \
	%D%/unit/command/stacks.c \
	%D%/unit/command/stats.c \
	%D%/unit/command/stats_samples.c \
	%D%/unit/command/top.c \
	%D%/unit/command/trace.c \
	%D%/unit/command/value.c \
	%D%/unit/command/watch.c
%C%_unit_command_all_LDADD = $(LDADD) $(DW_LIBS) -lm
%C%_unit_command_all_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS) $(CAPSTONE_CFLAGS)
unit_tests += %D%/unit/counters/all
%C%_unit_counters_all_SOURCES = $(unit_main) \
	$(sim_model_sources) \
	%D%/unit/counters/assign.c \
	%D%/unit/counters/callgrind.c \
	%D%/unit/counters/device.c \
	%D%/unit/counters/journal.c \
	%D%/unit/counters/msr_totals.c \
	%D%/unit/counters/perf.c \
	%D%/unit/counters/perf_hybrid.c \
	%D%/unit/counters/perf_process.c \
	%D%/unit/counters/perf_socket.c \
	%D%/unit/counters/program.c \
	%D%/unit/counters/program_sim.c \
	%D%/unit/counters/program_uncore.c \
	%D%/unit/counters/registers.c \
	%D%/unit/counters/request.c \
	%D%/unit/counters/select.c \
	%D%/unit/counters/several.c \
	%D%/unit/counters/software.c
unit_tests += %D%/unit/names/all
%C%_unit_names_all_SOURCES = $(unit_main) \
	%D%/unit/names/branches.c \
	%D%/unit/names/encodings.c \
	%D%/unit/names/event.c \
	%D%/unit/names/file.c \
	%D%/unit/names/find.c \
	%D%/unit/names/fit.c \
	%D%/unit/names/fold.c \
	%D%/unit/names/formula.c \
	%D%/unit/names/group.c \
	%D%/unit/names/intel.c \
	%D%/unit/names/intel_formula.c \
	%D%/unit/names/intel_metric.c \
	%D%/unit/names/interrupts.c \
	%D%/unit/names/likwid.c \
	%D%/unit/names/likwid_names.c \
	%D%/unit/names/likwid_rows.c \
	%D%/unit/names/linux.c \
	%D%/unit/names/metric.c \
	%D%/unit/names/mistyped.c \
	%D%/unit/names/pfm.c \
	%D%/unit/names/sysfs.c \
	%D%/unit/names/top_down.c \
	%D%/unit/names/uncore.c \
	%D%/unit/names/usual.c
# Run by hand, with LIKWID's own group files: make tests/likwid/survey
EXTRA_PROGRAMS += %D%/likwid/survey
%C%_likwid_survey_SOURCES = %D%/likwid/cpus.h %D%/likwid/survey.c
CLEANFILES += %D%/likwid/survey$(EXEEXT)
unit_tests += %D%/unit/machine/all
%C%_unit_machine_all_SOURCES = $(unit_main) \
	%D%/unit/machine/claims.c \
	%D%/unit/machine/clock.c \
	%D%/unit/machine/cpu.c \
	%D%/unit/machine/cpuid.c \
	%D%/unit/machine/libcpuid.c \
	%D%/unit/machine/machine.c \
	%D%/unit/machine/mask.c \
	%D%/unit/machine/models.c \
	%D%/unit/machine/perfmon.c \
	%D%/unit/machine/pin.c \
	%D%/unit/machine/places.c \
	%D%/unit/machine/switches.c \
	%D%/unit/machine/topology.c
unit_tests += %D%/unit/report/all
%C%_unit_report_all_SOURCES = $(unit_main) \
	$(json_read_sources) \
	%D%/unit/report/cell.c \
	%D%/unit/report/combine.c \
	%D%/unit/report/csv.c \
	%D%/unit/report/encode.c \
	%D%/unit/report/histogram.c \
	%D%/unit/report/json.c \
	%D%/unit/report/least.c \
	%D%/unit/report/model.c \
	%D%/unit/report/name.c \
	%D%/unit/report/order.c \
	%D%/unit/report/ranks.c \
	%D%/unit/report/report.c \
	%D%/unit/report/samples.c \
	%D%/unit/report/samples_event.c \
	%D%/unit/report/samples_report.c \
	%D%/unit/report/team.c \
	%D%/unit/report/text.c \
	%D%/unit/report/topdown.c \
	%D%/unit/report/turns.c
unit_tests += %D%/unit/session/all
%C%_unit_session_all_SOURCES = $(unit_main) \
	$(json_read_sources) \
	%D%/unit/session/groups.c \
	%D%/unit/session/sample.c \
	%D%/unit/session/sockets.c \
	%D%/unit/session/sockets_report.c \
	%D%/unit/session/steal.c \
	%D%/unit/session/usage.c
unit_tests += %D%/unit/store/all
%C%_unit_store_all_SOURCES = $(unit_main) \
	%D%/unit/store/damage.c \
	%D%/unit/store/histogram.c \
	%D%/unit/store/live.c \
	%D%/unit/store/read_one.c \
	%D%/unit/store/team.c

# Programs of their own: what takes arguments, has functions in front of libc's, or runs for many seconds.
unit_tests += \
	%D%/unit/base/retry \
	%D%/unit/bench/verify \
	%D%/unit/names/matrix \
	%D%/unit/names/pfm_load \
	%D%/unit/names/spelling \
	%D%/unit/names/tables \
	%D%/unit/machine/hwloc_load \
	%D%/unit/region/publish \
	%D%/unit/region/stolen \
	%D%/unit/region/teams \
	%D%/unit/report/links \
	%D%/unit/session/spawn \
	%D%/unit/sim/model \
	%D%/unit/store/place \
	%D%/unit/store/save \
	%D%/unit/store/snapshot \
	%D%/unit/store/snapshot_cut
%C%_unit_bench_verify_SOURCES = \
	%D%/unit/bench/verify.c \
	$(bench_kernels) \
	bench/common/report.c \
	bench/verify/around.c \
	bench/verify/bracket.c \
	bench/verify/branch.c \
	bench/verify/known.c \
	bench/verify/tally.c
%C%_unit_bench_verify_LDADD = $(LDADD) -lm
%C%_unit_region_teams_SOURCES = %D%/unit/region/teams.c $(json_read_sources)
%C%_unit_sim_model_SOURCES = %D%/unit/sim/model.c $(sim_model_sources)
%C%_unit_sim_model_LDADD =

# One .c each, linked with the shared library alone: an LDADD line below for each.
api_ldadd = lib/libpmu.la $(JANSSON_LIBS)
api_tests = \
	%D%/api/checkpoint \
	%D%/api/counters \
	%D%/api/death \
	%D%/api/descriptors \
	%D%/api/errors \
	%D%/api/exec \
	%D%/api/files \
	%D%/api/fork \
	%D%/api/histogram \
	%D%/api/least \
	%D%/api/outputs \
	%D%/api/process \
	%D%/api/read \
	%D%/api/regions \
	%D%/api/resident \
	%D%/api/rotate \
	%D%/api/scribble \
	%D%/api/signals \
	%D%/api/stack \
	%D%/api/surroundings \
	%D%/api/threads \
	%D%/api/turns \
	%D%/api/waits
%C%_api_checkpoint_LDADD = $(api_ldadd)
%C%_api_counters_LDADD = $(api_ldadd)
%C%_api_death_LDADD = $(api_ldadd)
%C%_api_descriptors_LDADD = $(api_ldadd)
%C%_api_errors_LDADD = $(api_ldadd)
%C%_api_exec_LDADD = $(api_ldadd)
%C%_api_files_LDADD = $(api_ldadd)
%C%_api_fork_LDADD = $(api_ldadd)
%C%_api_histogram_LDADD = $(api_ldadd)
%C%_api_least_LDADD = $(api_ldadd)
%C%_api_outputs_LDADD = $(api_ldadd)
%C%_api_process_LDADD = $(api_ldadd)
%C%_api_read_LDADD = $(api_ldadd)
%C%_api_regions_LDADD = $(api_ldadd)
%C%_api_resident_LDADD = $(api_ldadd)
%C%_api_rotate_LDADD = $(api_ldadd)
%C%_api_scribble_LDADD = $(api_ldadd)
%C%_api_signals_LDADD = $(api_ldadd)
%C%_api_surroundings_LDADD = $(api_ldadd)
%C%_api_threads_LDADD = $(api_ldadd)
%C%_api_turns_LDADD = $(api_ldadd)
%C%_api_waits_LDADD = $(api_ldadd)
if HAVE_OPENMP
api_tests += %D%/api/openmp
%C%_api_openmp_CFLAGS = $(AM_CFLAGS) $(OPENMP_CFLAGS)
%C%_api_openmp_LDADD = $(api_ldadd)
endif

# Run by scripts.
check_PROGRAMS += %D%/api/pairs %D%/api/names %D%/command/live %D%/command/stats_print %D%/command/switched
%C%_api_pairs_LDADD = $(api_ldadd)
%C%_api_names_LDADD = $(api_ldadd)
%C%_command_live_LDADD = lib/libpmu.la -lpthread
%C%_command_switched_LDADD = lib/libpmu.la -lpthread
%C%_command_stats_print_SOURCES = %D%/command/stats_print.c $(stats_sources)
%C%_command_stats_print_LDADD = -lm

# It is not linked with the library.
check_PROGRAMS += %D%/exact/oracle
%C%_exact_oracle_SOURCES = \
	%D%/exact/oracle.c \
	%D%/exact/oracle_calls.c \
	%D%/exact/oracle_calls.h \
	%D%/exact/oracle_regions.c \
	%D%/exact/oracle_regions.h \
	%D%/exact/oracle_space.c \
	%D%/exact/oracle_space.h \
	%D%/exact/oracle_text.c \
	%D%/exact/oracle_text.h \
	%D%/exact/oracle_thread.c \
	%D%/exact/oracle_thread.h \
	%D%/exact/oracle_trace.c \
	%D%/exact/oracle_trace.h
%C%_exact_oracle_LDADD =

# It is loaded into this one: linked with nothing.
check_PROGRAMS += %D%/preload/preloaded
%C%_preload_preloaded_SOURCES = \
	%D%/preload/ends.c \
	%D%/preload/preloaded.c \
	%D%/preload/preloaded.h \
	%D%/preload/processes.c \
	%D%/preload/signals.c \
	%D%/preload/threads.c
%C%_preload_preloaded_LDADD =
check_PROGRAMS += %D%/preload/preloaded_own
%C%_preload_preloaded_own_SOURCES = %D%/preload/preloaded_own.c
%C%_preload_preloaded_own_LDADD =

# What may fail, fails: memory, system calls.
faults_tests = %D%/faults/memory
%C%_faults_memory_LDADD = $(api_ldadd)
check_PROGRAMS += %D%/faults/program %D%/faults/sweep
%C%_faults_program_LDADD = lib/libpmu.la
%C%_faults_sweep_SOURCES = \
	%D%/faults/callers.c \
	%D%/faults/callers.h \
	%D%/faults/calls.c \
	%D%/faults/calls.h \
	%D%/faults/inject.c \
	%D%/faults/inject.h \
	%D%/faults/judge.c \
	%D%/faults/judge.h \
	%D%/faults/registers.h \
	%D%/faults/sweep.c
%C%_faults_sweep_LDADD = $(JANSSON_LIBS)

# Scripts.
script_tests = \
	%D%/api/disable.sh \
	%D%/api/events_library.sh \
	%D%/api/groups.sh \
	%D%/api/hotpath.sh \
	%D%/api/leaks.sh \
	%D%/api/names.sh \
	%D%/api/scribble_long.sh \
	%D%/api/start.sh \
	%D%/annotations/caliper.sh \
	%D%/annotations/counts.sh \
	%D%/annotations/gptl.sh \
	%D%/annotations/kokkos.sh \
	%D%/annotations/main.sh \
	%D%/annotations/petsc.sh \
	%D%/annotations/scorep.sh \
	%D%/annotations/tau.sh \
	%D%/arm/exact.sh \
	%D%/bench/ceilings.sh \
	%D%/bench/compare.sh \
	%D%/bench/overhead.sh \
	%D%/bench/scale.sh \
	%D%/bench/suite.sh \
	%D%/bench/verify.sh \
	%D%/bindings/benchmark.sh \
	%D%/bindings/catch2.sh \
	%D%/bindings/criterion.sh \
	%D%/bindings/cxx.sh \
	%D%/bindings/examples.sh \
	%D%/bindings/fortran.sh \
	%D%/bindings/functions.sh \
	%D%/bindings/go.sh \
	%D%/bindings/hpp.sh \
	%D%/bindings/jupyter.sh \
	%D%/bindings/likwid.sh \
	%D%/bindings/mpi.sh \
	%D%/bindings/mpi_job.sh \
	%D%/bindings/papi.sh \
	%D%/bindings/python.sh \
	%D%/bindings/pytest.sh \
	%D%/bindings/tbb.sh \
	%D%/command/against.sh \
	%D%/command/annotate.sh \
	%D%/command/attach.sh \
	%D%/command/attach_machine.sh \
	%D%/command/callers.sh \
	%D%/command/check.sh \
	%D%/command/command.sh \
	%D%/command/complete.sh \
	%D%/command/diff.sh \
	%D%/command/diff_functions.sh \
	%D%/command/info.sh \
	%D%/command/list.sh \
	%D%/command/nvml.sh \
	%D%/command/merge.sh \
	%D%/command/page.sh \
	%D%/command/plan.sh \
	%D%/command/repeat.sh \
	%D%/command/roofline.sh \
	%D%/command/run.sh \
	%D%/command/sample.sh \
	%D%/command/sample_auto.sh \
	%D%/command/sample_event.sh \
	%D%/command/stats.sh \
	%D%/command/switched.sh \
	%D%/command/top.sh \
	%D%/command/top_sampled.sh \
	%D%/command/top_screen.sh \
	%D%/command/trace.sh \
	%D%/command/tree.sh \
	%D%/command/viewers.sh \
	%D%/annotations/itt.sh \
	%D%/annotations/nvtx.sh \
	%D%/exact/random.sh \
	%D%/exact/oracle.sh \
	%D%/exact/standins.sh \
	%D%/faults/many.sh \
	%D%/faults/some.sh \
	%D%/fuzz/work.sh \
	%D%/package/action.sh \
	%D%/package/debian.sh \
	%D%/package/cmake.sh \
	%D%/package/docs.sh \
	%D%/package/functions.sh \
	%D%/package/gitlab.sh \
	%D%/package/groups.sh \
	%D%/package/layers.sh \
	%D%/package/man.sh \
	%D%/package/packages.sh \
	%D%/package/meson.sh \
	%D%/package/static.sh \
	%D%/package/published.sh \
	%D%/package/symbols.sh \
	%D%/package/wheel.sh \
	%D%/package/tables.sh \
	%D%/package/version.sh \
	%D%/preload/foreign.sh \
	%D%/preload/functions.sh \
	%D%/preload/locks.sh \
	%D%/preload/openmp.sh \
	%D%/preload/openmp_waits.sh \
	%D%/preload/preload.sh \
	%D%/preload/small_stack.sh \
	%D%/preload/static_tls.sh \
	%D%/preload/team.sh \
	%D%/preload/unchanged.sh \
	%D%/preload/wrap.sh \
	%D%/sim/msrtools.sh \
	%D%/sim/tools.sh \
	%D%/valgrind/emulate.sh \
	%D%/valgrind/calls.sh \
	%D%/valgrind/fast.sh \
	%D%/valgrind/races.sh \
	%D%/x86/amd.sh \
	%D%/x86/attach.sh \
	%D%/x86/beside.sh \
	%D%/x86/intel.sh \
	%D%/x86/random.sh

# A machine's registers, simulated: in the process of a test, and as files by a program of its own.
sim_model_sources = \
	%D%/sim/amd.c \
	%D%/sim/core.c \
	%D%/sim/cpus.c \
	%D%/sim/model.c \
	%D%/sim/model.h \
	%D%/sim/rules.h \
	%D%/sim/uncore.c
sim_control_sources = %D%/sim/control.c %D%/sim/control.h
if HAVE_FUSE
check_PROGRAMS += %D%/sim/machine
endif
%C%_sim_machine_SOURCES = \
	%D%/sim/access.c \
	%D%/sim/command.c \
	%D%/sim/fuse.c \
	%D%/sim/places.c \
	%D%/sim/server.h \
	$(sim_model_sources)
%C%_sim_machine_CFLAGS = $(AM_CFLAGS) $(FUSE_CFLAGS)
%C%_sim_machine_LDADD = $(FUSE_LIBS) $(HWLOC_LIBS)

# The library on simulated machines.
sim_tests = \
	%D%/sim/faults \
	%D%/sim/files \
	%D%/sim/founding \
	%D%/sim/journals \
	%D%/sim/machines \
	%D%/sim/narrow \
	%D%/sim/restore \
	%D%/sim/sessions \
	%D%/sim/taken \
	%D%/sim/threads
%C%_sim_files_SOURCES = %D%/sim/files.c $(sim_control_sources)
%C%_sim_files_LDADD =
sim_measure_sources = $(sim_control_sources) %D%/sim/measure.h %D%/sim/session.h %D%/sim/trace.h
%C%_sim_founding_SOURCES = %D%/sim/founding.c $(sim_measure_sources)
%C%_sim_founding_LDADD = $(JANSSON_LIBS)
%C%_sim_machines_SOURCES = %D%/sim/machines.c $(sim_measure_sources)
%C%_sim_machines_LDADD = $(JANSSON_LIBS)
%C%_sim_narrow_SOURCES = %D%/sim/narrow.c $(sim_measure_sources)
%C%_sim_narrow_LDADD = $(JANSSON_LIBS)
# In processes of their own, with the shared library alone.
sim_session_sources = $(sim_control_sources) %D%/sim/session.h
%C%_sim_faults_SOURCES = %D%/sim/faults.c %D%/sim/marked.h $(sim_session_sources)
%C%_sim_faults_LDADD = $(api_ldadd)
%C%_sim_journals_SOURCES = %D%/sim/journals.c %D%/sim/restore.h $(sim_session_sources)
%C%_sim_journals_LDADD = $(api_ldadd)
%C%_sim_restore_SOURCES = %D%/sim/restore.c %D%/sim/restore.h $(sim_session_sources)
%C%_sim_restore_LDADD = $(api_ldadd)
%C%_sim_sessions_SOURCES = %D%/sim/sessions.c %D%/sim/restore.h $(sim_session_sources)
%C%_sim_sessions_LDADD = $(api_ldadd)
%C%_sim_taken_SOURCES = %D%/sim/taken.c %D%/sim/marked.h $(sim_session_sources)
%C%_sim_taken_LDADD = $(api_ldadd)
%C%_sim_threads_SOURCES = %D%/sim/threads.c $(sim_session_sources)
%C%_sim_threads_LDADD = $(api_ldadd)
# What they run.
check_PROGRAMS += %D%/sim/held %D%/sim/work
%C%_sim_held_LDADD = lib/libpmu.la
%C%_sim_work_LDADD = lib/libpmu.la

# On this machine's counters, whatever it has of them.
live_tests = \
	%D%/live/kernels \
	%D%/live/known \
	%D%/live/perf \
	%D%/live/software \
	%D%/live/sysfs \
	%D%/live/tsc

%C%_live_kernels_SOURCES = %D%/live/kernels.c $(bench_kernels)
%C%_live_kernels_LDADD = $(api_ldadd) -lm
%C%_live_known_LDADD = $(api_ldadd)

# Parsers over their corpus and mutations of it: a SOURCES line below for each.
fuzz_tests = \
	%D%/fuzz/annotate \
	%D%/fuzz/annotation \
	%D%/fuzz/answer \
	%D%/fuzz/base \
	%D%/fuzz/ceilings \
	%D%/fuzz/code \
	%D%/fuzz/code_lines \
	%D%/fuzz/cpuid \
	%D%/fuzz/elf \
	%D%/fuzz/event \
	%D%/fuzz/group \
	%D%/fuzz/intel \
	%D%/fuzz/intel_metric \
	%D%/fuzz/journal \
	%D%/fuzz/json \
	%D%/fuzz/likwid \
	%D%/fuzz/limits \
	%D%/fuzz/look \
	%D%/fuzz/metric \
	%D%/fuzz/noise \
	%D%/fuzz/ranks \
	%D%/fuzz/sample \
	%D%/fuzz/series \
	%D%/fuzz/store \
	%D%/fuzz/table \
	%D%/fuzz/terms \
	%D%/fuzz/top \
	%D%/fuzz/trace \
	%D%/fuzz/wrap
%C%_fuzz_annotate_SOURCES = %D%/fuzz/annotate.c $(annotate_sources) $(code_sources) bindings/command/command.h \
	bindings/command/wrap.c %D%/fuzz/standalone.c
%C%_fuzz_annotate_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS) $(CAPSTONE_CFLAGS)
%C%_fuzz_annotate_LDADD = $(LDADD) $(DW_LIBS) -lm
%C%_fuzz_annotation_SOURCES = %D%/fuzz/annotation.c $(annotation_sources) bindings/annotations/wide.h %D%/fuzz/standalone.c
%C%_fuzz_answer_SOURCES = %D%/fuzz/answer.c $(sample_read_sources) bindings/command/sample/answer.c bindings/command/sample/answer.h \
	bindings/command/sample/collector.h bindings/command/sample/outside.c bindings/command/sample/threads.c %D%/fuzz/standalone.c
%C%_fuzz_base_SOURCES = %D%/fuzz/base.c %D%/fuzz/standalone.c
%C%_fuzz_ceilings_SOURCES = %D%/fuzz/ceilings.c $(json_read_sources) $(roofline_sources) bindings/command/command.h \
	bindings/command/wrap.c %D%/fuzz/standalone.c
%C%_fuzz_ceilings_LDADD = $(LDADD) -lm
%C%_fuzz_code_SOURCES = %D%/fuzz/code.c $(code_sources) %D%/fuzz/standalone.c
%C%_fuzz_code_CPPFLAGS = $(AM_CPPFLAGS) $(DW_CFLAGS)
%C%_fuzz_code_LDADD = $(LDADD) $(DW_LIBS)
%C%_fuzz_code_lines_SOURCES = %D%/fuzz/code_lines.c bindings/command/code/lines.c bindings/command/code/lines.h \
	bindings/command/code/symbols.c bindings/command/code/symbols.h %D%/fuzz/standalone.c
%C%_fuzz_cpuid_SOURCES = %D%/fuzz/cpuid.c %D%/fuzz/standalone.c
%C%_fuzz_elf_SOURCES = %D%/fuzz/elf.c bindings/preload/symbols/elf.c bindings/preload/symbols/elf.h bindings/preload/keep.h \
	%D%/fuzz/standalone.c
%C%_fuzz_event_SOURCES = %D%/fuzz/event.c %D%/fuzz/standalone.c
%C%_fuzz_group_SOURCES = %D%/fuzz/group.c %D%/fuzz/standalone.c
%C%_fuzz_intel_SOURCES = %D%/fuzz/intel.c %D%/fuzz/standalone.c
%C%_fuzz_intel_metric_SOURCES = %D%/fuzz/intel_metric.c %D%/fuzz/standalone.c
%C%_fuzz_journal_SOURCES = %D%/fuzz/journal.c %D%/fuzz/standalone.c
%C%_fuzz_json_SOURCES = %D%/fuzz/json.c $(json_read_sources) bindings/command/page/data.h bindings/command/page/sections.c \
	%D%/fuzz/standalone.c
%C%_fuzz_likwid_SOURCES = %D%/fuzz/likwid.c %D%/fuzz/standalone.c
%C%_fuzz_limits_SOURCES = %D%/fuzz/limits.c $(limits_sources) %D%/fuzz/standalone.c
%C%_fuzz_look_SOURCES = %D%/fuzz/look.c bindings/command/run/look.c bindings/command/run/run.h \
	bindings/preload/process/target.c bindings/preload/process/target.h %D%/fuzz/standalone.c
%C%_fuzz_metric_SOURCES = %D%/fuzz/metric.c %D%/fuzz/standalone.c
%C%_fuzz_noise_SOURCES = %D%/fuzz/noise.c bindings/command/noise/noise.h bindings/command/noise/parse.c \
	bindings/command/noise/parse.h %D%/fuzz/standalone.c
%C%_fuzz_ranks_SOURCES = %D%/fuzz/ranks.c %D%/fuzz/standalone.c
%C%_fuzz_sample_SOURCES = %D%/fuzz/sample.c $(sample_read_sources) %D%/fuzz/standalone.c
%C%_fuzz_series_SOURCES = %D%/fuzz/series.c $(series_read_sources) %D%/fuzz/standalone.c
%C%_fuzz_store_SOURCES = %D%/fuzz/store.c %D%/fuzz/standalone.c
%C%_fuzz_table_SOURCES = %D%/fuzz/table.c %D%/fuzz/standalone.c
%C%_fuzz_terms_SOURCES = %D%/fuzz/terms.c %D%/fuzz/standalone.c
%C%_fuzz_top_SOURCES = %D%/fuzz/top.c $(top_sources) %D%/fuzz/standalone.c
%C%_fuzz_top_LDADD = $(LDADD) -lm
%C%_fuzz_trace_SOURCES = %D%/fuzz/trace.c $(trace_read_sources) %D%/fuzz/standalone.c
%C%_fuzz_trace_LDADD = $(LDADD) -lm
%C%_fuzz_wrap_SOURCES = %D%/fuzz/wrap.c bindings/preload/wrap/list.c bindings/preload/wrap/list.h \
	%D%/fuzz/standalone.c
%C%_fuzz_json_LDADD = $(LDADD) $(JANSSON_LIBS)
%C%_fuzz_series_LDADD = $(LDADD) $(JANSSON_LIBS) -lm

check_PROGRAMS += $(unit_tests) $(api_tests) $(sim_tests) $(live_tests) $(fuzz_tests) $(faults_tests)
TESTS += $(unit_tests) $(api_tests) $(sim_tests) $(live_tests) $(fuzz_tests) $(faults_tests) $(script_tests)

# What takes more than 15 seconds by itself: make check-all runs it, make check does not, unless it is named
# (make check TESTS=...).  Everything is in TESTS, so that each has its rule; TEST_LOGS is what is run.
long_tests = \
	%D%/api/names.sh \
	%D%/api/scribble_long.sh \
	%D%/bindings/catch2.sh \
	%D%/bindings/criterion.sh \
	%D%/bindings/hpp.sh \
	%D%/bindings/pytest.sh \
	%D%/bindings/python.sh \
	%D%/arm/exact.sh \
	%D%/bench/ceilings.sh \
	%D%/bench/overhead.sh \
	%D%/bench/scale.sh \
	%D%/bindings/mpi_job.sh \
	%D%/faults/many.sh \
	%D%/fuzz/event \
	%D%/package/debian.sh \
	%D%/package/wheel.sh \
	%D%/preload/unchanged.sh \
	%D%/sim/restore \
	%D%/valgrind/emulate.sh \
	%D%/valgrind/calls.sh \
	%D%/valgrind/fast.sh \
	%D%/valgrind/races.sh \
	%D%/x86/amd.sh \
	%D%/x86/attach.sh \
	%D%/x86/beside.sh \
	%D%/x86/intel.sh \
	%D%/x86/random.sh
all_tests = $(if $(TEST_LONG)$(filter command,$(origin TESTS)),yes)
TEST_LOGS = $(call logs_of,$(if $(TEST_ONLY),$(filter $(TEST_ONLY),$(TESTS)), \
	$(if $(all_tests),$(TESTS),$(filter-out $(long_tests),$(TESTS)))))
logs_of = $(patsubst %.sh.log,%.log,$(patsubst %$(EXEEXT).log,%.log,$(addsuffix .log,$(1))))
.PHONY: check-all
check-all:
	TEST_LONG=run $(MAKE) $(AM_MAKEFLAGS) check
EXTRA_DIST += \
	$(script_tests) \
	%D%/README.md \
	%D%/data \
	%D%/refuse.h \
	%D%/sanitized.h \
	%D%/steps.h \
	%D%/loads.h \
	%D%/tap.h \
	%D%/package/dist.sh \
	%D%/package/installed.sh \
	%D%/package/readme.sh \
	%D%/package/release.sh \
	%D%/tap.sh \
	%D%/api/openmp.c \
	%D%/api/fork.h \
	%D%/api/faults.h \
	%D%/api/read.h \
	%D%/api/run.h \
	%D%/api/surroundings.h \
	%D%/annotations/caliper.c \
	%D%/annotations/counts.c \
	%D%/annotations/counts_lib.c \
	%D%/annotations/gptl.c \
	%D%/annotations/kokkos.c \
	%D%/annotations/kokkos.cc \
	%D%/annotations/petsc.c \
	%D%/annotations/scorep.c \
	%D%/annotations/standins.sh \
	%D%/annotations/tau.c \
	%D%/arm/build.sh \
	%D%/arm/exact.c \
	%D%/arm/reads.c \
	%D%/arm/run.sh \
	%D%/arm/setup.sh \
	%D%/arm/wrap.sh \
	%D%/bench/bench.sh \
	%D%/bindings/benchmark.cc \
	%D%/bindings/catch2.cc \
	%D%/bindings/cxx.cc \
	%D%/bindings/fortran.f90 \
	%D%/bindings/functions/expected \
	%D%/bindings/functions/monitoring.py \
	%D%/bindings/functions/prog.py \
	%D%/bindings/functions/sitecustomize.py \
	%D%/bindings/go_env.sh \
	%D%/bindings/hpp.cc \
	%D%/bindings/jupyter.py \
	%D%/bindings/likwid.c \
	%D%/bindings/markers.sh \
	%D%/bindings/mpi.c %D%/bindings/mpi_job.c \
	%D%/bindings/papi.c \
	%D%/bindings/python.py \
	%D%/bindings/tbb.cc \
	%D%/command/callers.c \
	%D%/command/callers.py \
	%D%/command/page.mjs \
	%D%/command/page_data.mjs \
	%D%/command/page_timeline.mjs \
	%D%/command/pmu.sh \
	%D%/command/apart.sh \
	%D%/command/sampled.sh \
	%D%/command/series.sh \
	%D%/command/perfetto.proto \
	%D%/command/stats.R \
	%D%/command/viewers.py \
	%D%/exact/contexts.c \
	%D%/exact/cut.c \
	%D%/exact/mix.c \
	%D%/exact/net.c \
	%D%/exact/net.h \
	%D%/exact/calls.c \
	%D%/exact/process.c \
	%D%/exact/cases \
	%D%/exact/random/bench.py \
	%D%/exact/random/judge.py \
	%D%/exact/random/program.py \
	%D%/exact/random/run.py \
	%D%/exact/random/shrink.py \
	%D%/exact/random/work.h \
	%D%/exact/rotate.c \
	%D%/exact/rotate.sh \
	%D%/exact/scope.cc \
	%D%/exact/standins.c \
	%D%/exact/standins_lib.c \
	%D%/exact/standins_mixed.c \
	%D%/exact/team.c \
	%D%/exact/turns.h \
	%D%/exact/ways.c \
	%D%/fuzz/corpus \
	%D%/fuzz/check_group.h \
	%D%/fuzz/check_teams.h \
	%D%/fuzz/fuzz.h \
	%D%/package/install.sh \
	%D%/annotations/common.sh \
	%D%/annotations/dnnl.c \
	%D%/annotations/itt.c \
	%D%/annotations/nvtx.c \
	%D%/annotations/nvtx_lib.c \
	%D%/annotations/nvtx_object.h \
	%D%/annotations/omp.c \
	%D%/annotations/roctx.c \
	%D%/annotations/roctx_lib.c \
	%D%/annotations/tbb.cc \
	%D%/annotations/work.h \
	%D%/package/recipe.py \
	%D%/preload/foreign.c \
	%D%/preload/functions.c \
	%D%/preload/functions.cc \
	%D%/preload/functions_plugin.c \
	%D%/preload/gomp.c \
	%D%/preload/locks.c \
	%D%/preload/locks.cc \
	%D%/preload/locks_plugin.c \
	%D%/preload/ompt_tool.c \
	%D%/preload/openmp.c \
	%D%/preload/openmp.cc \
	%D%/preload/openmp.f90 \
	%D%/preload/openmp_plugin.c \
	%D%/preload/openmp_waits.c \
	%D%/preload/small_stack.c \
	%D%/preload/static_tls.c \
	%D%/preload/team.c \
	%D%/preload/team.cc \
	%D%/preload/wrapped.c \
	%D%/preload/wrapped.cc \
	%D%/preload/wrapped_lib.c \
	%D%/preload/wrapped_lib.h \
	%D%/preload/wrapped_plugin.c \
	%D%/programs/list \
	%D%/programs/run.sh \
	%D%/sim/laid_over.sh \
	%D%/unit/machine/recorded.h \
	%D%/unit/machines.h \
	%D%/unit/model_find.h \
	%D%/unit/model_sample.h \
	%D%/unit/samples_sample.h \
	%D%/unit/store_build.h \
	%D%/unit/counters/perf_fake.h \
	%D%/unit/counters/program_run.h \
	%D%/unit/names/matrix.h \
	%D%/unit/names/shown.h \
	%D%/unit/session/sockets_fake.h \
	%D%/unit/store/simple.h \
	%D%/valgrind/common.sh \
	%D%/valgrind/kernels.c \
	%D%/valgrind/leave.c \
	%D%/valgrind/taken.c \
	%D%/valgrind/threads.c \
	%D%/valgrind/work.c \
	%D%/x86/beside.c \
	%D%/x86/command.sh \
	%D%/x86/counted.c \
	%D%/x86/exact.sh \
	%D%/x86/guest.sh \
	%D%/x86/job_attach.sh \
	%D%/x86/job_beside.sh \
	%D%/x86/job_command.sh \
	%D%/x86/job_exact.sh \
	%D%/x86/job_random.sh \
	%D%/x86/job_sampled.sh \
	%D%/x86/models.sh \
	%D%/x86/names.txt \
	%D%/x86/run.sh \
	%D%/x86/sampled.c \
	%D%/x86/setup.sh \
	%D%/x86/work.c \
	%D%/x86/machine/LICENSE \
	%D%/x86/machine/README.md \
	%D%/x86/machine/qemu-pmu.patch

TEST_EXTENSIONS = .sh
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
# A test that hangs fails, and what it started ends with it.
LOG_COMPILER = timeout -k 10 600
# Of scripts that boot machine after machine on a slow host, too.
SH_LOG_COMPILER = timeout -k 10 1200

# Nothing of the caller's configuration reaches a test.  What the tests may use is called TEST_*;
# TEST_ARM=skip, from outside, leaves the arm64 machine out, TEST_X86=skip the x86-64 ones, TEST_SLOW=skip what takes long and looks at whole programs.
AM_TESTS_ENVIRONMENT = \
	for v in `env | sed -n 's/^\(PMU_[A-Za-z0-9_]*\)=.*/\1/p'`; do unset $$v; done; \
	XDG_CONFIG_HOME='$(abs_top_builddir)/tests/none'; export XDG_CONFIG_HOME; PMU_SAMPLE=off; export PMU_SAMPLE; \
	TEST_SRCDIR='$(abs_top_srcdir)' TEST_BUILDDIR='$(abs_top_builddir)' \
	TEST_CC='$(CC)' TEST_CFLAGS='$(CFLAGS) $(SANITIZER_CFLAGS)' TEST_SANITIZERS='$(SANITIZERS)' \
	TEST_CXX='$(CXX)' TEST_FC='$(FC)' TEST_PYTHON='$(PYTHON)' TEST_NM='$(NM)' TEST_READELF='$(READELF)' \
	TEST_VALGRIND='$(VALGRIND)' TEST_STRACE='$(STRACE)' TEST_MPICC='$(MPICC)' \
	AARCH64_CC='$(AARCH64_CC)'; \
	export TEST_SRCDIR TEST_BUILDDIR TEST_CC TEST_CFLAGS TEST_SANITIZERS TEST_CXX TEST_FC TEST_PYTHON TEST_NM \
		TEST_READELF TEST_VALGRIND TEST_STRACE TEST_MPICC AARCH64_CC;

# An installed library, found by pkg-config, in a program of its own.
installcheck-local:
	CC='$(CC)' CFLAGS='$(CFLAGS) $(SANITIZER_CFLAGS)' PKG_CONFIG='$(PKG_CONFIG)' \
	CXX='$(CXX)' FC='$(if $(HAVE_FORTRAN_TRUE),,$(FC))' PYTHON='$(PYTHON)' pythondir='$(pythondir)' docdir='$(docdir)' mandir='$(mandir)' \
	DESTDIR='$(DESTDIR)' bindir='$(bindir)' libdir='$(libdir)' pkgconfigdir='$(pkgconfigdir)' \
	$(SHELL) $(srcdir)/%D%/package/install.sh

# make fuzz: the same targets under libFuzzer.  The library is an archive here too: what stands in for
# libc's functions stays out of a program that does not ask for it, and out of libFuzzer's way.
fuzz_programs = $(fuzz_tests:=-fuzzer)
fuzz_folder = %D%/fuzz/libfuzzer
fuzz_compile = $(FUZZ_CC) -std=gnu11 -O1 -g $(DEFS) $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(DW_CFLAGS) $(CAPSTONE_CFLAGS) $(CPPFLAGS) \
	-fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
fuzz_objects = $(patsubst %.c,$(fuzz_folder)/%.o,$(filter %.c,$(lib_sources) \
	$(nodist_lib_sources)))

.PHONY: fuzz
if HAVE_FUZZER
fuzz: $(fuzz_programs)
else
fuzz:
	@echo "make fuzz needs clang with libFuzzer (on Debian: clang, libclang-rt-14-dev), found by configure" >&2
	@exit 1
endif

$(fuzz_folder)/%.o: %.c $(filter %.h,$(lib_sources)) config.h
	@$(MKDIR_P) $(@D)
	$(AM_V_CC)$(fuzz_compile) -c -o $@ $<
$(fuzz_folder)/libpmu-core.a: $(fuzz_objects)
	$(AM_V_GEN)rm -f $@ && $(AR) cq $@ $(fuzz_objects)
# What a target needs beside the library.
fuzz_json_extra = $(filter %.c,$(json_read_sources)) bindings/command/page/sections.c
fuzz_ceilings_extra = $(filter %.c,$(json_read_sources) $(roofline_sources)) bindings/command/wrap.c
fuzz_annotate_extra = $(filter %.c,$(annotate_sources) $(code_sources)) bindings/command/wrap.c
fuzz_code_extra = $(filter %.c,$(code_sources))
fuzz_code_lines_extra = bindings/command/code/lines.c bindings/command/code/symbols.c
fuzz_elf_extra = bindings/preload/symbols/elf.c
fuzz_limits_extra = $(filter %.c,$(limits_sources))
fuzz_look_extra = bindings/command/run/look.c bindings/preload/process/target.c
fuzz_noise_extra = bindings/command/noise/parse.c
fuzz_answer_extra = $(filter %.c,$(sample_read_sources)) bindings/command/sample/answer.c bindings/command/sample/outside.c bindings/command/sample/threads.c
fuzz_sample_extra = $(filter %.c,$(sample_read_sources))
fuzz_series_extra = $(filter %.c,$(series_read_sources))
fuzz_top_extra = $(filter %.c,$(top_sources))
fuzz_trace_extra = $(filter %.c,$(trace_read_sources))
fuzz_annotation_extra = bindings/annotations/names.c bindings/annotations/thread.c bindings/preload/keep.c
fuzz_wrap_extra = bindings/preload/wrap/list.c
%D%/fuzz/%-fuzzer: %D%/fuzz/%.c $(fuzz_folder)/libpmu-core.a
	$(AM_V_CCLD)$(fuzz_compile) -fsanitize=fuzzer -o $@ $< $(addprefix $(srcdir)/,$(fuzz_$*_extra)) \
		-lc $(fuzz_folder)/libpmu-core.a $(JANSSON_LIBS) $(if $(filter annotate code,$*),$(DW_LIBS)) $(LIBS)

clean-local:
	rm -rf $(fuzz_programs) $(fuzz_folder) tests/arm/out tests/x86/out bindings/valgrind/lib
distclean-local:
	rm -rf tests/arm/vm tests/x86/vm
