# SPDX-License-Identifier: BSD-3-Clause
# A tool of valgrind's, for `pmu run --emulate=fast`.

EXTRA_DIST += %D%/README.md

if HAVE_VALGRIND_TOOL
noinst_PROGRAMS += %D%/tool
%C%_tool_SOURCES = %D%/tool.c
%C%_tool_CPPFLAGS = -I$(top_srcdir)/lib $(VALGRIND_TOOL_CPPFLAGS)
%C%_tool_CFLAGS = -std=gnu11 $(WARN_CFLAGS) $(VALGRIND_TOOL_CFLAGS)
%C%_tool_LDADD = $(VALGRIND_TOOL_LIBS)
# By the compiler alone: libtool has its own idea of -static.  The user's flags, distributions' hardening among them, are for
# programs with libc.
%D%/tool-tool.$(OBJEXT): CFLAGS =
%C%_tool_LINK = $(CC) $(VALGRIND_TOOL_LDFLAGS) -o $@

# The folder that VALGRIND_LIB names: tools by the name of the platform, and what valgrind preloads.  Programs of 32 bits run
# as well, uncounted.
valgrind_tool = pmu-$(VALGRIND_PLATFORM)
fill_valgrind_folder = \
	$(MKDIR_P) "$$folder" && \
	$(LN_S) -f "$(VALGRIND_LIBEXECDIR)/vgpreload_core-$(VALGRIND_PLATFORM).so" "$$folder" && \
	if test -e "$(VALGRIND_LIBEXECDIR)/none-x86-linux"; then \
		$(LN_S) -f "$(VALGRIND_LIBEXECDIR)/none-x86-linux" "$$folder/pmu-x86-linux" && \
		$(LN_S) -f "$(VALGRIND_LIBEXECDIR)/vgpreload_core-x86-linux.so" "$$folder"; \
	fi
valgrinddir = $(libdir)/pmu/valgrind

all-local: %D%/lib/$(valgrind_tool)
%D%/lib/$(valgrind_tool): %D%/tool$(EXEEXT)
	$(AM_V_GEN)folder=%D%/lib && $(fill_valgrind_folder) && cp $< $@

install-exec-local:
	@$(NORMAL_INSTALL)
	folder="$(DESTDIR)$(valgrinddir)" && $(fill_valgrind_folder)
	$(INSTALL_PROGRAM) %D%/tool$(EXEEXT) "$(DESTDIR)$(valgrinddir)/$(valgrind_tool)"

uninstall-local:
	rm -f "$(DESTDIR)$(valgrinddir)"/pmu-*-linux "$(DESTDIR)$(valgrinddir)"/vgpreload_core-*-linux.so
endif
