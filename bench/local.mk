# SPDX-License-Identifier: BSD-3-Clause
# Kernels with known counts, and what a begin/end pair costs; all see the library as users do.

noinst_PROGRAMS += %D%/demo %D%/overhead
%C%_demo_LDADD = lib/libpmu.la
%C%_overhead_LDADD = lib/libpmu.la
%C%_overhead_SOURCES = \
	%D%/child.c \
	%D%/loops.c \
	%D%/memory.c \
	%D%/overhead.c \
	%D%/overhead.h \
	%D%/pairs.c \
	%D%/session.c \
	%D%/table.c \
	%D%/tools.c

.PHONY: demo
demo: %D%/demo$(EXEEXT)
	@./%D%/demo$(EXEEXT)
