/* SPDX-License-Identifier: BSD-3-Clause */
/* What stands at an address of a program's code: function, file, line. */
#ifndef PMU_COMMAND_CODE_H
#define PMU_COMMAND_CODE_H

#include <stdbool.h>
#include <stdint.h>

/** Objects that were opened, for all processes of a run. */
struct pmu_code;

/** Where an address is: a byte of a mapped file, or of memory that is none's. */
struct pmu_code_at {
	/* of the file, as /proc/PID/maps has it; "[vdso]"; "[kernel]"; "": anonymous memory */
	const char *path;
	uint64_t
		offset; /* of the byte in the file, or from where "[vdso]" begins; not used for others */
	uint64_t address; /* in the process */
	int64_t pid;      /* whose: for /tmp/perf-PID.map of compilers at run time */
};

/** Texts live as long as their struct pmu_code. */
struct pmu_code_place {
	const char *function; /* demangled; "libfoo.so.1+0x1230" where nothing names it */
	const char *object;   /* the path's last component; "[jit]"; "" */
	const char *file;     /* as debugging information has it; "" not known */
	uint32_t line;        /* 0: not known */
	const char
		*path; /* what the address is in, where that could be read; "": in no such file */
	const char *build_id; /* of that; "" it has none */
	uint64_t address;     /* in it, as nm(1) has it */
	uint64_t start, size; /* of the function; 0 bytes: not known */
};

/** pmu_code_named() - a place of which no more than that is known */
static inline struct pmu_code_place pmu_code_named(const char *function, const char *object)
{
	return (struct pmu_code_place){
		.function = function, .object = object, .file = "", .path = "", .build_id = ""
	};
}

/** pmu_code_new() - NULL without memory */
struct pmu_code *pmu_code_new(void);
void pmu_code_free(struct pmu_code *code);

/** pmu_code_why() - addresses have no names, and what would help: a sentence; "": they have */
const char *pmu_code_why(void);

/** pmu_code_renew() - processes may have compiled more since they were asked about */
void pmu_code_renew(struct pmu_code *code);

/** pmu_code_find() - what is at @at; always says something.  What files hold may be anything. */
struct pmu_code_place pmu_code_find(struct pmu_code *code, const struct pmu_code_at *at);

struct pmu_code_object;
/** pmu_code_open() - for pmu_code_object_close(); @path: as in struct pmu_code_at; NULL: no such file */
struct pmu_code_object *pmu_code_open(const char *path);

/** pmu_code_has_kernel() - is the kernel's list of symbols read already? */
bool pmu_code_has_kernel(const struct pmu_code *code);

#endif
