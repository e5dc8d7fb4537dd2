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
	%D%/command/restore.c
pmu_LDADD = lib/libpmu-core.la $(JANSSON_LIBS)
