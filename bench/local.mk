# SPDX-License-Identifier: BSD-3-Clause
# Kernels with known counts, and what a begin/end pair costs; all see the library as users do.

noinst_PROGRAMS += %D%/demo
%C%_demo_LDADD = lib/libpmu.la

.PHONY: demo
demo: %D%/demo$(EXEEXT)
	@./%D%/demo$(EXEEXT)
