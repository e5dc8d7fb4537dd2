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
	%D%/command/help.c \
	%D%/command/main.c \
	%D%/command/report.c
pmu_LDADD = lib/libpmu-core.la $(JANSSON_LIBS)
