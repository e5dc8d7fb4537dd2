# SPDX-License-Identifier: BSD-3-Clause
# The header, and a manual page for each call in it, made from its comments.

include_HEADERS = %D%/pmu.h
dist_man_MANS = %D%/pmu.3 %D%/pmu.7
call_pages = \
	%D%/man/PMU_REGION.3 \
	%D%/man/pmu_checkpoint.3 \
	%D%/man/pmu_context_enter.3 \
	%D%/man/pmu_context_get.3 \
	%D%/man/pmu_context_leave.3 \
	%D%/man/pmu_count_name.3 \
	%D%/man/pmu_counters_close.3 \
	%D%/man/pmu_counters_open.3 \
	%D%/man/pmu_counters_read.3 \
	%D%/man/pmu_counters_reset.3 \
	%D%/man/pmu_counters_start.3 \
	%D%/man/pmu_counters_stop.3 \
	%D%/man/pmu_fini.3 \
	%D%/man/pmu_group_next.3 \
	%D%/man/pmu_init.3 \
	%D%/man/pmu_last_error.3 \
	%D%/man/pmu_note.3 \
	%D%/man/pmu_region_begin.3 \
	%D%/man/pmu_region_begin_n.3 \
	%D%/man/pmu_region_begin_once.3 \
	%D%/man/pmu_region_end.3 \
	%D%/man/pmu_region_end_n.3 \
	%D%/man/pmu_region_is_open.3 \
	%D%/man/pmu_region_read.3 \
	%D%/man/pmu_region_reset.3 \
	%D%/man/pmu_report.3 \
	%D%/man/pmu_report_text.3 \
	%D%/man/pmu_strerror.3 \
	%D%/man/pmu_thread_attach.3 \
	%D%/man/pmu_version.3
nodist_man_MANS = $(call_pages)
EXTRA_DIST += %D%/man.awk
CLEANFILES += $(call_pages) %D%/man/made

# All at once; they have the date of the page that stands above them.
$(call_pages): %D%/man/made
	@test -f $@ || { rm -f $<; $(MAKE) $(AM_MAKEFLAGS) $<; }
%D%/man/made: %D%/pmu.h %D%/man.awk %D%/pmu.3
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)date=`sed -n 's/^\.Dd //p' $(srcdir)/%D%/pmu.3` && \
		$(AWK) -v dir=$(@D) -v date="$$date" -f $(srcdir)/%D%/man.awk $(srcdir)/%D%/pmu.h && touch $@
