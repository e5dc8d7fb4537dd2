/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of `pmu doctor` share. */
#ifndef PMU_COMMAND_DOCTOR_H
#define PMU_COMMAND_DOCTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "counters/backend.h"
#include "plan/group.h"
#include "session/fit.h"

/** A source, tried as a measured program would. */
struct pmu_doctor_source {
	const struct pmu_backend *backend;
	struct pmu_group group; /* it was tried with */
	struct pmu_fit fit;     /* first: why not, where it is not usable */
	bool usable;
	bool user_read;   /* counts are read without the kernel */
	char detail[256]; /* how they are made; "" nothing to say */
};

void pmu_doctor_try(const struct pmu_backend *backend, struct pmu_doctor_source *source);

/**
 * pmu_doctor_machine() - "AMD EPYC (AuthenticAMD-25-1-1), 2 processors for this process (2 cores, 1
 * socket), ..."
 */
void pmu_doctor_machine(struct pmu_strbuf *line);

/** A setting of the kernel's. */
struct pmu_doctor_setting {
	const char *name; /* as sysctl has it */
	int error;        /* negative errno: it cannot be read */
	int64_t value;
	const char *meaning;
};

/** pmu_doctor_setting() - the @i-th.  Return: false behind the last. */
bool pmu_doctor_setting(unsigned int i, struct pmu_doctor_setting *setting);

/**
 * pmu_doctor_line() - "  label      text", the text wrapped behind its column
 */
void pmu_doctor_line(struct pmu_strbuf *out, const char *label, const char *text);
/** pmu_doctor_advice() - below such a line: "to stop it: ..." */
void pmu_doctor_advice(struct pmu_strbuf *out, const char *what_for, const char *advice);

/** pmu_doctor_here() - the machine, the sources of counts, and the settings that matter to them */
void pmu_doctor_here(struct pmu_strbuf *out);

/** pmu_doctor_noise() - `pmu doctor --noise`.  Return: an exit status. */
int pmu_doctor_noise(bool json);

/** pmu_doctor_json_head() - the members that both documents begin with */
void pmu_doctor_json_head(struct pmu_strbuf *out);

/** pmu_doctor_json() - all of it for programs.  Return: an exit status. */
int pmu_doctor_json(void);

#endif
