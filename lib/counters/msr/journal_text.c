/* SPDX-License-Identifier: BSD-3-Clause */
/* A journal as text: written by one process, and read by another, which trusts none of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "counters/msr/journal.h"
#include "counters/msr/registers.h"
#include "machine/mask.h"

/*
 *   pmu registers 1 device /dev/cpu/%d/msr boot 3b2c... cpu GenuineIntel-6-44-2 pid 4711 1234567
 *   4026531836                       with its start time and the namespace of pids lock 5 97
 *                                    the file that was locked: its device and inode program solver
 *   write 0 186 0000000000000000 ffffffffffffffff     CPU, decimal; address, value, mask,
 *   hexadecimal ... end 96                                            so many writes
 */
#define FIRST_LINE "pmu registers 1"

void pmu_msr_journal_cpu(const struct pmu_machine *machine, char *text, size_t size)
{
	snprintf(text, size, "%s-%u-%u-%u", machine->id.vendor, machine->id.family,
		 machine->id.model, machine->id.stepping);
}

void pmu_msr_journal_print(const struct pmu_msr_record *record, struct pmu_strbuf *out)
{
	pmu_strbuf_addf(out,
			FIRST_LINE "\ndevice %s\nboot %s\ncpu %s\npid %" PRId32 " %" PRIu64
				   " %" PRIu64 "\n",
			record->device, record->boot, record->cpu, record->pid, record->start_time,
			record->pid_ns);
	pmu_strbuf_addf(out, "lock %" PRIu64 " %" PRIu64 "\nprogram %s\n", record->lock_device,
			record->lock_inode, record->program);
	for (size_t i = 0; i < record->n_ops; i++)
		pmu_strbuf_addf(out, "write %d %" PRIx32 " %016" PRIx64 " %016" PRIx64 "\n",
				record->op[i].cpu, record->op[i].address, record->op[i].value,
				record->op[i].mask);
	pmu_strbuf_addf(out, "end %zu\n", record->n_ops);
}

struct reader {
	const char *rest, *end;
	unsigned int number; /* of the line */
	const char *line;
	size_t len;
};

/* Return: 0; -EINVAL where the text ends, or a line does not. */
static int next_journal_line(struct reader *reader)
{
	const char *stop = memchr(reader->rest, '\n', (size_t)(reader->end - reader->rest));

	reader->number++;
	if (!stop)
		return pmu_fail(EINVAL, "it ends within line %u", reader->number);
	reader->line = reader->rest;
	reader->len = (size_t)(stop - reader->line);
	reader->rest = stop + 1;
	return 0;
}

static int wrong_journal_line(const struct reader *reader, const char *what)
{
	return pmu_fail(EINVAL, "line %u is not %s", reader->number, what);
}

static bool line_begins(const struct reader *reader, const char *word)
{
	size_t len = strlen(word);

	return reader->len > len && !memcmp(reader->line, word, len) && reader->line[len] == ' ';
}

/* The text behind a line's first word. */
static int take_line_text(struct reader *reader, const char *word, char *text, size_t size)
{
	size_t skip = strlen(word) + 1;
	int rc = next_journal_line(reader);

	if (rc)
		return rc;
	if (!line_begins(reader, word) || reader->len - skip >= size ||
	    memchr(reader->line, '\0', reader->len))
		return wrong_journal_line(reader, word);
	memcpy(text, reader->line + skip, reader->len - skip);
	text[reader->len - skip] = '\0';
	return 0;
}

static bool scan_number(const char **at, const char *stop, unsigned int base, uint64_t most,
			uint64_t *value)
{
	const char *p = *at;

	*value = 0;
	for (; p < stop && *p != ' '; p++) {
		unsigned int digit = *p >= '0' && *p <= '9'   ? (unsigned int)(*p - '0')
				     : *p >= 'a' && *p <= 'f' ? (unsigned int)(*p - 'a') + 10
							      : 99;

		if (digit >= base || *value > (most - digit) / base)
			return false;
		*value = *value * base + digit;
	}
	if (p == *at)
		return false;
	*at = p < stop ? p + 1 : p;
	return true;
}

/* A word, then up to three numbers and nothing else. */
static int take_numbers(struct reader *reader, const char *word, uint64_t most, uint64_t *value,
			int n)
{
	const char *at, *stop;
	int rc = next_journal_line(reader);

	if (rc)
		return rc;
	if (!line_begins(reader, word))
		return wrong_journal_line(reader, word);
	at = reader->line + strlen(word) + 1;
	stop = reader->line + reader->len;
	for (int i = 0; i < n; i++)
		if (!scan_number(&at, stop, 10, i ? UINT64_MAX : most, &value[i]))
			return wrong_journal_line(reader, word);
	return at == stop ? 0 : wrong_journal_line(reader, word);
}

static int take_write(const struct reader *reader, const struct pmu_machine *machine,
		      struct pmu_msr_op *op)
{
	const char *at = reader->line + strlen("write "), *stop = reader->line + reader->len;
	uint64_t cpu, address, value, mask;

	if (!scan_number(&at, stop, 10, PMU_MASK_CPUS - 1, &cpu) ||
	    !scan_number(&at, stop, 16, UINT32_MAX, &address) ||
	    !scan_number(&at, stop, 16, UINT64_MAX, &value) ||
	    !scan_number(&at, stop, 16, UINT64_MAX, &mask) || at != stop)
		return wrong_journal_line(reader, "a write");
	if (!pmu_msr_is_counting(machine, (uint32_t)address))
		return pmu_fail(EINVAL, "line %u writes %" PRIX64 "H, which no session programs",
				reader->number, address);
	*op = (struct pmu_msr_op){ .address = (uint32_t)address,
				   .cpu = (int32_t)cpu,
				   .phase = PMU_MSR_RESTORE,
				   .write = true,
				   .slot = -1,
				   .socket = -1,
				   .value = value,
				   .mask = mask };
	return 0;
}

static int add_op(struct pmu_msr_record *record, size_t *room, const struct pmu_msr_op *op)
{
	struct pmu_msr_op *more;

	if (record->n_ops == PMU_MSR_JOURNAL_OPS)
		return pmu_fail(EINVAL, "it has more than %u writes", PMU_MSR_JOURNAL_OPS);
	if (record->n_ops == *room) {
		*room = *room ? *room * 2 : 256;
		more = realloc(record->op, *room * sizeof(*more));
		if (!more)
			return pmu_fail(ENOMEM, "no memory for a journal");
		record->op = more;
	}
	record->op[record->n_ops++] = *op;
	return 0;
}

static int take_writes(struct reader *reader, const struct pmu_machine *machine,
		       struct pmu_msr_record *record)
{
	size_t room = 0;

	for (;;) {
		struct pmu_msr_op op;
		int rc = next_journal_line(reader);

		if (rc || !line_begins(reader, "write"))
			return rc;
		rc = take_write(reader, machine, &op);
		if (!rc)
			rc = add_op(record, &room, &op);
		if (rc)
			return rc;
	}
}

static int take_end(const struct reader *reader, size_t n_ops)
{
	const char *at = reader->line + strlen("end "), *stop = reader->line + reader->len;
	uint64_t n;

	if (!line_begins(reader, "end") || !scan_number(&at, stop, 10, PMU_MSR_JOURNAL_OPS, &n) ||
	    at != stop)
		return wrong_journal_line(reader, "a write, nor the end");
	if (n != n_ops || reader->rest != reader->end)
		return pmu_fail(EINVAL, "it does not have the %" PRIu64 " writes that it says", n);
	return 0;
}

static int parse_record(struct reader *reader, const struct pmu_machine *machine,
			struct pmu_msr_record *record)
{
	uint64_t process[3], lock[2];
	char own[sizeof(record->cpu)];
	int rc = next_journal_line(reader);

	if (!rc && (reader->len != strlen(FIRST_LINE) ||
		    memcmp(reader->line, FIRST_LINE, reader->len) != 0))
		rc = wrong_journal_line(reader, "'" FIRST_LINE "'");
	if (rc || (rc = take_line_text(reader, "device", record->device, sizeof(record->device))) ||
	    (rc = take_line_text(reader, "boot", record->boot, sizeof(record->boot))) ||
	    (rc = take_line_text(reader, "cpu", record->cpu, sizeof(record->cpu))) ||
	    (rc = take_numbers(reader, "pid", INT32_MAX, process, 3)) ||
	    (rc = take_numbers(reader, "lock", UINT64_MAX, lock, 2)) ||
	    (rc = take_line_text(reader, "program", record->program, sizeof(record->program))))
		return rc;
	record->pid = (int32_t)process[0];
	record->start_time = process[1];
	record->pid_ns = process[2];
	record->lock_device = lock[0];
	record->lock_inode = lock[1];
	pmu_msr_journal_cpu(machine, own, sizeof(own));
	if (strcmp(own, record->cpu) != 0)
		return pmu_fail(EINVAL, "it is of another CPU (%s)", record->cpu);
	rc = take_writes(reader, machine, record);
	return rc ? rc : take_end(reader, record->n_ops);
}

int pmu_msr_journal_parse(const char *text, size_t len, const struct pmu_machine *machine,
			  struct pmu_msr_record *record)
{
	struct reader reader = { .rest = text, .end = text + len };
	int rc;

	memset(record, 0, sizeof(*record));
	rc = len > PMU_MSR_JOURNAL_BYTES ? pmu_fail(EINVAL, "it is too large")
					 : parse_record(&reader, machine, record);
	if (rc) {
		free(record->op);
		record->op = NULL;
		record->n_ops = 0;
	}
	return rc;
}
