/* SPDX-License-Identifier: BSD-3-Clause */
/* Accesses of the simulated machine's registers: the log, one by one, and in batches. */
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "server.h"

/* --- text --- */

__attribute__((format(printf, 2, 0))) static void add_text(struct sim_text *text, const char *fmt,
							   va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (text->length + (size_t)n + 1 > text->room) {
		size_t room = 2 * (text->length + (size_t)n) + 4096;
		char *larger = realloc(text->text, room);

		if (!larger)
			abort();
		text->text = larger;
		text->room = room;
	}
	vsnprintf(text->text + text->length, (size_t)n + 1, fmt, args);
	text->length += (size_t)n;
}

void sim_text_add(struct sim_text *text, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	add_text(text, fmt, args);
	va_end(args);
}

void sim_log_line(struct sim_server *server, const char *fmt, ...)
{
	size_t start = server->log.length;
	va_list args;

	sim_text_add(&server->log, "%llu ", (unsigned long long)++server->n_log);
	va_start(args, fmt);
	add_text(&server->log, fmt, args);
	va_end(args);
	sim_text_add(&server->log, "\n");
	if (server->copy) {
		fputs(server->log.text + start, server->copy);
		fflush(server->copy);
	}
}

static const char *result(int rc)
{
	const char *name = rc ? strerrorname_np(-rc) : "ok";

	return name ? name : "?";
}

/* --- one register --- */

/* What was asked to happen at this access: 0 or a negative errno. */
static int happens_now(struct sim_server *server)
{
	if (!server->at || --server->at)
		return 0;
	if (server->at_signal && server->caller > 0)
		kill(server->caller, server->at_signal);
	return server->at_error;
}

int sim_access(struct sim_server *server, int cpu, uint32_t address, bool write, uint64_t *value)
{
	int rc = happens_now(server);

	if (rc)
		; /* the register is not touched */
	else if (server->vanished)
		rc = -ENODEV;
	else if (write)
		rc = sim_write(server->machine, cpu, address, *value);
	else
		rc = sim_read(server->machine, cpu, address, value);
	if (rc && !write)
		sim_log_line(server, "cpu %d read %XH - %s", cpu, address, result(rc));
	else
		sim_log_line(server, "cpu %d %s %XH %016llX %s", cpu, write ? "write" : "read",
			     address, (unsigned long long)*value, result(rc));
	return rc;
}

/* --- msr-safe's batches --- */

/* The interface of msr-safe 1.x: /dev/cpu/msr_batch, _IOWR('c', 0xA2, struct batch). */
struct batch_op {
	uint16_t cpu;
	uint16_t is_read;
	int32_t error;
	uint32_t address;
	uint64_t value;
	uint64_t mask; /* out: what the allow list lets through */
};

struct batch {
	uint32_t n;
	uint32_t version;
	uint64_t ops; /* address in the caller */
};

#define MAX_OPS 65536

static int copy(pid_t pid, struct batch_op *op, const struct batch *batch, bool out)
{
	struct iovec here = { op, batch->n * sizeof(*op) };
	struct iovec there = { (void *)(uintptr_t)batch->ops, here.iov_len };
	ssize_t n = out ? process_vm_writev(pid, &here, 1, &there, 1, 0)
			: process_vm_readv(pid, &here, 1, &there, 1, 0);

	if (n < 0)
		return -errno;
	return (size_t)n == here.iov_len ? 0 : -EFAULT;
}

/*
 * Before anything is done: the processors must be there.  Every register is on the allow list, with
 * all its bits.
 */
static int check(struct sim_server *server, struct batch_op *op, uint32_t n)
{
	int rc = 0;

	for (uint32_t i = 0; i < n; i++) {
		op[i].error = 0;
		op[i].mask = UINT64_MAX;
		if (server->vanished)
			op[i].error = rc = -ENODEV;
		else if (sim_is_offline(server->machine, op[i].cpu))
			op[i].error = rc = -ENXIO;
	}
	return rc;
}

/* As the driver, which reads a register before it writes it, and goes on after a failure. */
static void run_one(struct sim_server *server, struct batch_op *op)
{
	uint64_t old;

	if (op->is_read) {
		op->error = sim_access(server, op->cpu, op->address, false, &op->value);
		return;
	}
	op->error = sim_read(server->machine, op->cpu, op->address, &old);
	if (op->error)
		sim_log_line(server, "cpu %u write %XH %016llX %s", op->cpu, op->address,
			     (unsigned long long)op->value, result(op->error));
	else
		op->error = sim_access(server, op->cpu, op->address, true, &op->value);
}

/* Each processor does its own in order; between processors there is no order. */
static int run(struct sim_server *server, struct batch_op *op, uint32_t n)
{
	for (size_t place = 0; place < server->n_places; place++)
		for (uint32_t i = 0; i < n; i++)
			if (op[i].cpu == server->place[place].cpu)
				run_one(server, &op[i]);
	for (uint32_t i = 0; i < n; i++)
		if (op[i].error)
			return op[i].error;
	return 0;
}

int sim_batch(struct sim_server *server, pid_t pid, const void *data)
{
	struct batch batch;
	struct batch_op *op;
	int rc, copied;

	memcpy(&batch, data, sizeof(batch));
	sim_log_line(server, "batch %u", batch.n);
	if (!batch.n)
		return -EINVAL;
	if (batch.n > MAX_OPS)
		return -E2BIG;
	op = calloc(batch.n, sizeof(*op));
	if (!op)
		return -E2BIG;
	rc = copy(pid, op, &batch, false);
	if (!rc) {
		rc = check(server, op, batch.n);
		if (!rc)
			rc = run(server, op, batch.n);
		copied = copy(pid, op, &batch, true);
		if (!rc)
			rc = copied;
	}
	free(op);
	return rc;
}

/* --- everything --- */

static void add_state(void *context, int cpu, uint32_t address, uint64_t value)
{
	sim_text_add(context, "%d %XH %016llX\n", cpu, address, (unsigned long long)value);
}

void sim_state(struct sim_server *server, struct sim_text *text)
{
	sim_each(server->machine, add_state, text);
}
