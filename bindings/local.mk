# SPDX-License-Identifier: BSD-3-Clause
# Other languages, other libraries' markers, and the shell.

# A fuzz target is compiled with them too.
json_read_sources = \
	%D%/command/json_read.c \
	%D%/command/json_read.h \
	%D%/command/json_read_head.c \
	%D%/command/json_read_member.c \
	%D%/command/json_read_regions.c \
	%D%/command/json_reader.h

# The command sees the report's model, so it carries the library's objects itself.
bin_PROGRAMS += pmu
pmu_SOURCES = $(json_read_sources) \
	%D%/command/command.h \
	%D%/command/doctor.c \
	%D%/command/event.c \
	%D%/command/event.h \
	%D%/command/event_view.c \
	%D%/command/from.c \
	%D%/command/help.c \
	%D%/command/inputs.h \
	%D%/command/info.c \
	%D%/command/info.h \
	%D%/command/info_json.c \
	%D%/command/info_text.c \
	%D%/command/list.c \
	%D%/command/list.h \
	%D%/command/list_find.c \
	%D%/command/list_view.c \
	%D%/command/main.c \
	%D%/command/options.c \
	%D%/command/plan.c \
	%D%/command/plan.h \
	%D%/command/plan_json.c \
	%D%/command/plan_text.c \
	%D%/command/report.c \
	%D%/command/report_input.c \
	%D%/command/report_list.c \
	%D%/command/report_merge.c \
	%D%/command/restore.c \
	%D%/command/run.c \
	%D%/command/run.h \
	%D%/command/run_child.c \
	%D%/command/run_collect.c \
	%D%/command/run_emulate.c \
	%D%/command/run_environment.c \
	%D%/command/run_folder.c \
	%D%/command/run_look.c \
	%D%/command/run_options.c \
	%D%/command/run_outliving.c \
	%D%/command/run_write.c
pmu_LDADD = lib/libpmu-core.la $(JANSSON_LIBS)
dist_man_MANS += %D%/command/pmu.1
# Where `pmu run` finds what it preloads; by the way from the one to the other also in a moved installation.
pmu_CPPFLAGS = $(AM_CPPFLAGS) -DPMU_BINDIR='"$(bindir)"' -DPMU_LIBDIR='"$(libdir)"'

# For unmodified programs: loaded into them by LD_PRELOAD, with nothing but libc.
lib_LTLIBRARIES += %D%/libpmu-preload.la
%C%_libpmu_preload_la_SOURCES = \
	%D%/preload/asan.c \
	%D%/preload/candidates.c \
	%D%/preload/candidates.h \
	%D%/preload/death.c \
	%D%/preload/demangle.c \
	%D%/preload/elf.c \
	%D%/preload/elf.h \
	%D%/preload/extent.c \
	%D%/preload/extent.h \
	%D%/preload/filter.c \
	%D%/preload/filter.h \
	%D%/preload/fortran.h \
	%D%/preload/forward.c \
	%D%/preload/functions.c \
	%D%/preload/functions.h \
	%D%/preload/gomp.c \
	%D%/preload/imports.c \
	%D%/preload/imports.h \
	%D%/preload/inside.h \
	%D%/preload/jump.c \
	%D%/preload/keep.c \
	%D%/preload/keep.h \
	%D%/preload/known.c \
	%D%/preload/known.h \
	%D%/preload/leave.c \
	%D%/preload/likwid.c \
	%D%/preload/load.c \
	%D%/preload/main.c \
	%D%/preload/maps.c \
	%D%/preload/maps.h \
	%D%/preload/omp_mask.c \
	%D%/preload/ompt.c \
	%D%/preload/ompt.h \
	%D%/preload/opened.c \
	%D%/preload/papi.c \
	%D%/preload/parallel.c \
	%D%/preload/parallel.h \
	%D%/preload/plt.c \
	%D%/preload/plt.h \
	%D%/preload/preload.h \
	%D%/preload/sandbox.c \
	%D%/preload/short.c \
	%D%/preload/short.h \
	%D%/preload/symbols.c \
	%D%/preload/symbols.h \
	%D%/preload/threads.c \
	%D%/preload/trampoline.h \
	%D%/preload/trampoline_aarch64.S \
	%D%/preload/trampoline_x86_64.S \
	%D%/preload/wrap.c \
	%D%/preload/wrap_bind.c \
	%D%/preload/wrap_bind.h \
	%D%/preload/wrap_call.c \
	%D%/preload/wrap_call.h \
	%D%/preload/wrap_list.c \
	%D%/preload/wrap_list.h \
	%D%/preload/wrap_note.c \
	%D%/preload/wrap_note.h
%C%_libpmu_preload_la_CPPFLAGS = -include config.h -I$(top_srcdir)/include
%C%_libpmu_preload_la_CFLAGS = $(AM_CFLAGS) -Wmissing-prototypes -fvisibility=hidden \
	-ftls-model=initial-exec -fasynchronous-unwind-tables
# nodelete: threads and signal handlers come back to it.  now: it is used where nothing may be looked up.
%C%_libpmu_preload_la_LDFLAGS = -module -avoid-version -no-undefined \
	-Wl,-z,nodelete -Wl,-z,now -Wl,--as-needed

# C++: a header.
include_HEADERS += %D%/cxx/pmu.hpp

# Fortran: the module's source for everybody; compiled, for the compiler that configure found.  A module file
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
	%D%/python/pmu/_region.py \
	%D%/python/pmu/_report.py \
	%D%/python/pmu/_session.py
endif
EXTRA_DIST += %D%/python/backend.py %D%/python/pyproject.toml

examplesdir = $(docdir)/examples
dist_examples_DATA = \
	%D%/examples/README.md \
	%D%/examples/heat.c \
	%D%/examples/heat.cc \
	%D%/examples/heat.f90 \
	%D%/examples/heat.py

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
