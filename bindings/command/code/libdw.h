/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of elfutils' libdw, and of libelf, which that brings along. */
#ifndef PMU_COMMAND_CODE_LIBDW_H
#define PMU_COMMAND_CODE_LIBDW_H

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#define PMU_LIBDW_CALLS(CALL)              \
	CALL(dwarf_attr)                   \
	CALL(dwarf_dieoffset)              \
	CALL(dwarf_formstring)             \
	CALL(dwarf_getsrc_die)             \
	CALL(dwarf_lineno)                 \
	CALL(dwarf_linesrc)                \
	CALL(dwarf_nextcu)                 \
	CALL(dwarf_offdie)                 \
	CALL(dwarf_ranges)                 \
	CALL(dwfl_begin)                   \
	CALL(dwfl_build_id_find_elf)       \
	CALL(dwfl_end)                     \
	CALL(dwfl_module_build_id)         \
	CALL(dwfl_module_getdwarf)         \
	CALL(dwfl_module_getelf)           \
	CALL(dwfl_module_getsym_info)      \
	CALL(dwfl_module_getsymtab)        \
	CALL(dwfl_offline_section_address) \
	CALL(dwfl_report_end)              \
	CALL(dwfl_report_offline)          \
	CALL(dwfl_standard_find_debuginfo) \
	CALL(elf_getphdrnum)               \
	CALL(elf_getshdrstrndx)            \
	CALL(elf_nextscn)                  \
	CALL(elf_rawdata)                  \
	CALL(elf_rawfile)                  \
	CALL(elf_strptr)                   \
	CALL(gelf_getphdr)                 \
	CALL(gelf_getshdr)

struct pmu_libdw_calls {
#define PMU_LIBDW_CALL(name) __typeof__(name) *name;
	PMU_LIBDW_CALLS(PMU_LIBDW_CALL)
};

/**
 * pmu_libdw_load() - loads it, once
 * Return: its functions; NULL with a sentence.
 */
const struct pmu_libdw_calls *pmu_libdw_load(void);

#endif
