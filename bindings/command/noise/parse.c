/* SPDX-License-Identifier: BSD-3-Clause */
/* Reads the kernel's texts about load and limits, whatever is in them. */
#include "bindings/command/noise/parse.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/ascii.h"
#include "machine/mask.h"

static void skip_stat_blanks(const char **at)
{
	while (**at == ' ' || **at == '\t')
		(*at)++;
}

/* A number behind blanks, which ends where no digit is.  False: none, or too large. */
static bool take_stat_number(const char **at, uint64_t *value)
{
	uint64_t sum = 0;

	skip_stat_blanks(at);
	if (!pmu_is_digit(**at))
		return false;
	for (; pmu_is_digit(**at); (*at)++)
		if (__builtin_mul_overflow(sum, 10u, &sum) ||
		    __builtin_add_overflow(sum, (uint64_t)(**at - '0'), &sum))
			return false;
	*value = sum;
	return true;
}

static bool take_word(const char **at, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(*at, word, len) != 0)
		return false;
	*at += len;
	return true;
}

/* The beginning of the next line; NULL behind the last. */
static const char *next_line(const char *at)
{
	at = strchr(at, '\n');
	return at && at[1] ? at + 1 : NULL;
}

/* --- /proc/stat --- */

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, N_TIMES };

/* "N user nice system idle ..." behind "cpu". */
static bool take_cpu(const char *at, struct pmu_noise_cpu *cpu)
{
	uint64_t number, time[N_TIMES] = { 0 };
	size_t n = 0;

	if (!pmu_is_digit(*at) || !take_stat_number(&at, &number) || number >= PMU_MASK_CPUS)
		return false;
	while (n < N_TIMES && take_stat_number(&at, &time[n]))
		n++;
	if (n <= IDLE)
		return false;
	*cpu = (struct pmu_noise_cpu){
		.cpu = (int)number,
		.core = -1,
		.busy = time[USER] + time[NICE] + time[SYSTEM],
		.idle = time[IDLE],
		.irq = time[IRQ] + time[SOFTIRQ],
		.steal = n > STEAL ? time[STEAL] : PMU_NOISE_MISSING,
		.interrupts = PMU_NOISE_MISSING,
		.device_interrupts = PMU_NOISE_MISSING,
		.khz = PMU_NOISE_MISSING,
		.throttles = PMU_NOISE_MISSING,
	};
	return true;
}

static int grow_cpus(struct pmu_noise_sample *out, size_t *room)
{
	struct pmu_noise_cpu *more;

	if (out->n_cpus < *room)
		return 0;
	*room = *room ? 2 * *room : 64;
	more = realloc(out->cpu, *room * sizeof(*more));
	if (!more)
		return -ENOMEM;
	out->cpu = more;
	return 0;
}

int pmu_noise_parse_stat(const char *text, struct pmu_noise_sample *out)
{
	struct pmu_noise_cpu cpu;
	size_t room = 0;

	out->n_cpus = 0;
	for (const char *line = text; line; line = next_line(line)) {
		const char *at = line;

		if (!take_word(&at, "cpu") || !take_cpu(at, &cpu) ||
		    (out->n_cpus && cpu.cpu <= out->cpu[out->n_cpus - 1].cpu))
			continue;
		if (grow_cpus(out, &room))
			return -ENOMEM;
		out->cpu[out->n_cpus++] = cpu;
	}
	out->switches = pmu_noise_parse_field(text, "ctxt");
	return 0;
}

/* --- /proc/interrupts --- */

struct pmu_noise_cpu *pmu_noise_find(const struct pmu_noise_sample *sample, int cpu)
{
	size_t low = 0, high = sample->n_cpus;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int found = sample->cpu[middle].cpu;

		if (found == cpu)
			return &sample->cpu[middle];
		if (found < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* "  CPU0  CPU2": which processor a column is.  Return: how many. */
static size_t take_columns(const char *at, struct pmu_noise_sample *out,
			   struct pmu_noise_cpu *column[PMU_MASK_CPUS])
{
	uint64_t number;
	size_t n = 0;

	for (skip_stat_blanks(&at); n < PMU_MASK_CPUS && take_word(&at, "CPU");
	     skip_stat_blanks(&at)) {
		if (!pmu_is_digit(*at) || !take_stat_number(&at, &number))
			break;
		column[n] = number < PMU_MASK_CPUS ? pmu_noise_find(out, (int)number) : NULL;
		if (column[n])
			column[n]->interrupts = column[n]->device_interrupts = 0;
		n++;
	}
	return n;
}

/* "  24:  1  0  IO-APIC ..." */
static void add_interrupts_line(const char *at, struct pmu_noise_cpu *column[], size_t n)
{
	bool device;
	uint64_t count;

	skip_stat_blanks(&at);
	device = pmu_is_digit(*at);
	at += strcspn(at, ":\n");
	if (*at != ':')
		return;
	at++;
	for (size_t i = 0; i < n && take_stat_number(&at, &count); i++) {
		if (!column[i])
			continue;
		column[i]->interrupts += count;
		column[i]->device_interrupts += device ? count : 0;
	}
}

void pmu_noise_parse_interrupts(const char *text, struct pmu_noise_sample *out)
{
	struct pmu_noise_cpu **column = calloc(PMU_MASK_CPUS, sizeof(*column));
	size_t n = column ? take_columns(text, out, column) : 0;

	if (n)
		for (const char *line = next_line(text); line; line = next_line(line))
			add_interrupts_line(line, column, n);
	free(column);
}

/* --- small ones --- */

uint64_t pmu_noise_parse_field(const char *text, const char *name)
{
	uint64_t value;

	for (const char *line = text; line; line = next_line(line)) {
		const char *at = line;

		if (take_word(&at, name) && (*at == ' ' || *at == '\t') &&
		    take_stat_number(&at, &value))
			return value;
	}
	return PMU_NOISE_MISSING;
}

uint64_t pmu_noise_parse_pressure(const char *text)
{
	uint64_t value;

	for (const char *line = text; line; line = next_line(line)) {
		const char *at = line, *end = line + strcspn(line, "\n");

		if (!take_word(&at, "some "))
			continue;
		at = strstr(at, "total=");
		if (at && at < end && take_word(&at, "total=") && take_stat_number(&at, &value))
			return value;
	}
	return PMU_NOISE_MISSING;
}

double pmu_noise_parse_load(const char *text)
{
	uint64_t whole, hundredths = 0;

	if (!take_stat_number(&text, &whole))
		return NAN;
	/* two digits: Documentation/filesystems/proc.rst */
	if (text[0] == '.' && pmu_is_digit(text[1]) && pmu_is_digit(text[2]))
		hundredths = (uint64_t)(text[1] - '0') * 10 + (uint64_t)(text[2] - '0');
	return (double)whole + (double)hundredths / 100;
}

double pmu_noise_parse_max(const char *text)
{
	uint64_t quota, period;

	if (!take_stat_number(&text, &quota) || !take_stat_number(&text, &period) || !quota ||
	    !period)
		return NAN;
	return (double)quota / (double)period;
}

void pmu_noise_parse_choice(const char *text, char *out, size_t size)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;
	size_t len = close ? (size_t)(close - open) - 1 : 0;

	out[0] = '\0';
	if (!close || len >= size)
		return;
	memcpy(out, open + 1, len);
	out[len] = '\0';
}

/* Is @controller among "cpu,cpuacct", which ends at @end? */
static bool lists(const char *at, const char *end, const char *controller)
{
	size_t len = strlen(controller);

	if (!len)
		return at == end;
	while (at < end) {
		const char *comma = memchr(at, ',', (size_t)(end - at));
		size_t n = (size_t)((comma ? comma : end) - at);

		if (n == len && !memcmp(at, controller, len))
			return true;
		at += n + 1;
	}
	return false;
}

/* cgroup_namespaces(7): what is outside of ours begins with "/..". */
static bool take_path(const char *at, char *out, size_t size)
{
	size_t len = strcspn(at, "\n");

	if (at[0] != '/' || len >= size)
		return false;
	memcpy(out, at, len);
	out[len] = '\0';
	return !strstr(out, "/..");
}

bool pmu_noise_parse_cgroup(const char *text, const char *controller, char *out, size_t size)
{
	uint64_t number;

	for (const char *line = text; line; line = next_line(line)) {
		const char *at = line, *end;

		if (!take_stat_number(&at, &number) || *at++ != ':')
			continue;
		end = at + strcspn(at, ":\n");
		if (*end == ':' && lists(at, end, controller))
			return take_path(end + 1, out, size);
	}
	return false;
}
