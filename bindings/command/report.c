/* SPDX-License-Identifier: BSD-3-Clause */
/* `pmu report`: stores and JSON reports as text, JSON or CSV; without a file, what stores
 * there are. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/command.h"
#include "bindings/command/json_read.h"
#include "group/metric.h"
#include "report/report.h"
#include "store/place.h"
#include "store/snapshot.h"

#define MAX_JSON ((size_t)512 << 20)
#define MAX_PATH 4096

/** The command line, taken apart. */
struct request {
	const char **file;
	size_t n_files;
	const char **output;
	size_t n_outputs;
	bool threads;
	bool all;
	bool remove;
	bool dash_dash; /* everything from here on is a file */
};

/** A file and what became of it. */
struct input {
	const char *path;
	struct pmu_model *model;
	bool is_store;
	bool is_alive; /* its program still runs */
};

/* --- the command line --- */

static const char *const option_names[] = {"--output", "--threads", "--all", "--remove", "--help",
					   NULL};

/* The value of -o OUT, -oOUT, --output OUT or --output=OUT at argv[*i]; NULL for anything
 * else. */
static const char *output_value(char **argv, int *i)
{
	const char *arg = argv[*i];

	if (!strncmp(arg, "--output=", 9))
		return arg + 9;
	if (!strncmp(arg, "-o", 2) && arg[2])
		return arg + 2;
	if (strcmp(arg, "-o") && strcmp(arg, "--output"))
		return NULL;
	return argv[*i + 1] ? argv[++*i] : "";
}

static int parse_option(const struct pmu_command *self, struct request *request,
			char **argv, int *i)
{
	const char *arg = argv[*i], *value = output_value(argv, i), *nearest;

	if (value) {
		if (!*value)
			return pmu_command_usage_error(
				self, "%s needs the name of a file", arg);
		request->output[request->n_outputs++] = value;
	} else if (!strcmp(arg, "--threads")) {
		request->threads = true;
	} else if (!strcmp(arg, "--all")) {
		request->all = true;
	} else if (!strcmp(arg, "--remove")) {
		request->remove = true;
	} else if (!strcmp(arg, "--")) {
		request->dash_dash = true;
	} else {
		nearest = pmu_closest(arg, option_names);
		return pmu_command_usage_error(self, "there is no option %s%s%s%s", arg,
					       nearest ? ", did you mean " : "",
					       nearest ? nearest : "",
					       nearest ? "?" : "");
	}
	return 0;
}

/* Several files into one output: only where its name tells them apart. */
static int check_outputs(const struct pmu_command *self, const struct request *request)
{
	size_t i;

	if (!request->n_files &&
	    (request->n_outputs || request->remove || request->threads || request->all))
		return pmu_command_usage_error(
			self, "which store? 'pmu report' alone lists those there are");
	for (i = 0; i < request->n_outputs && request->n_files > 1; i++)
		if (strcmp(request->output[i], "-") && !strstr(request->output[i], "%p"))
			return pmu_command_usage_error(
				self,
				"%zu reports would go into one file %s; put %%p (the "
				"process) into "
				"its name, or name one FILE",
				request->n_files, request->output[i]);
	return 0;
}

static int parse(const struct pmu_command *self, int argc, char **argv,
		 struct request *request)
{
	int i, rc;

	request->file = calloc((size_t)argc, sizeof(*request->file));
	request->output = calloc((size_t)argc, sizeof(*request->output));
	if (!request->file || !request->output) {
		pmu_command_error("no memory");
		return PMU_EXIT_FAILED;
	}
	for (i = 1; i < argc; i++) {
		if (request->dash_dash || argv[i][0] != '-') {
			request->file[request->n_files++] = argv[i];
			continue;
		}
		rc = parse_option(self, request, argv, &i);
		if (rc)
			return rc;
	}
	return check_outputs(self, request);
}

/* --- reading --- */

/* All of a file.  Return: its text for free(), or NULL with a sentence. */
static char *read_text(const char *path, int fd, size_t *len)
{
	size_t room = 65536, n = 0;
	char *text = malloc(room), *grown;
	ssize_t got;

	while (text) {
		got = read(fd, text + n, room - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			pmu_fail(errno, "cannot read %s: %s", path, strerror(errno));
			break;
		}
		n += (size_t)got;
		*len = n;
		if (!got)
			return text;
		if (n < room)
			continue;
		if (n > MAX_JSON) {
			pmu_fail(EFBIG, "cannot read %s: it is larger than %zu MiB", path,
				 MAX_JSON >> 20);
			break;
		}
		room *= 2;
		grown = realloc(text, room);
		if (!grown) {
			pmu_fail(ENOMEM, "cannot read %s: no memory", path);
			break;
		}
		text = grown;
	}
	free(text);
	return NULL;
}

static int read_json(struct input *input, int fd)
{
	size_t len = 0;
	char *text = read_text(input->path, fd, &len);
	int rc;

	if (!text)
		return -EIO;
	rc = pmu_json_read(text, len, &input->model);
	free(text);
	if (rc) {
		char reason[PMU_ERROR_MAX];

		snprintf(reason, sizeof(reason), "%s", pmu_error_text());
		return pmu_fail(rc, "cannot read %s: %s", input->path, reason);
	}
	return 0;
}

static int read_store(struct input *input, const struct pmu_store_head *head)
{
	char reason[PMU_ERROR_MAX];
	int rc = pmu_store_snapshot_file(input->path, &input->model);

	input->is_store = true;
	if (rc) {
		snprintf(reason, sizeof(reason), "%s", pmu_error_text());
		if (!strstr(reason, input->path))
			return pmu_fail(rc, "cannot read %s: %s", input->path, reason);
		return rc;
	}
	input->is_alive = !head->ended && pmu_store_fate(head) == PMU_STORE_ALIVE;
	pmu_metric_fill(input->model);
	return 0;
}

/* What a file is, is told by how it begins. */
static int read_input(struct input *input)
{
	struct pmu_store_head head = {0};
	struct stat st;
	ssize_t n;
	int fd, rc;

	fd = open(input->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return pmu_fail(errno, "cannot open %s: %s", input->path,
				strerror(errno));
	n = fstat(fd, &st) || !S_ISREG(st.st_mode) ? -1
						   : pread(fd, &head, sizeof(head), 0);
	if (n < 0)
		rc = pmu_fail(EINVAL, "cannot read %s: it is not an ordinary file",
			      input->path);
	else if (!n)
		rc = pmu_fail(EINVAL, "cannot read %s: it is empty", input->path);
	else if (n >= 8 && !memcmp(head.magic, PMU_STORE_MAGIC, 8))
		rc = read_store(input, &head);
	else if (n >= 8 && !memcmp(head.magic, "\0\0\0\0\0\0\0", 8))
		rc = pmu_fail(EINVAL,
			      "cannot read %s: it begins with zeros, as the store of a program "
			      "that was killed while it started: it can be deleted",
			      input->path);
	else if (memchr("{ \t\r\n", head.magic[0], 5))
		rc = read_json(input, fd);
	else
		rc = pmu_fail(EINVAL,
			      "cannot read %s: it is neither a store nor a JSON report",
			      input->path);
	close(fd);
	return rc;
}

/* --- writing --- */

static unsigned int terminal_columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return 0;
	return size.ws_col < 60 ? 60 : size.ws_col;
}

static int write_stdout(const struct pmu_model *model, const struct request *request,
			bool first)
{
	struct pmu_text_options options = {.threads = request->threads,
					   .all = request->all,
					   .columns = terminal_columns()};
	struct pmu_strbuf out = {0};

	if (!first)
		pmu_strbuf_add(&out, "\n");
	pmu_report_render(&out, model, PMU_REPORT_TEXT, &options);
	return pmu_command_print(&out);
}

/* The library's sentence speaks of a setting that has no say here. */
static void tell_unwritten(const char *path, int rc)
{
	const char *slash = strrchr(path, '/');

	if (rc == -ENOENT && slash && slash > path)
		pmu_command_error("cannot write %s: %s; create %.*s first", path,
				  strerror(-rc), (int)(slash - path), path);
	else
		pmu_command_error("cannot write %s: %s", path, strerror(-rc));
}

static int write_file(const struct pmu_model *model, const struct request *request,
		      const char *output)
{
	const struct pmu_output_names names = {
		.pid = (long)model->pid, .rank = "0", .host = model->host, .nth = 1};
	struct pmu_text_options options = {.threads = request->threads, .all = request->all};
	struct pmu_strbuf out = {0};
	char path[MAX_PATH];
	int rc;

	rc = pmu_output_path(output, &names, path, sizeof(path));
	if (rc < 0) {
		tell_unwritten(output, rc);
		return PMU_EXIT_FAILED;
	}
	pmu_report_render(&out, model, pmu_report_format_of(path), &options);
	rc = out.failed ? -ENOMEM
			: pmu_report_write_file(path, pmu_strbuf_text(&out), out.len);
	pmu_strbuf_free(&out);
	if (!rc || rc == -EPIPE)
		return 0;
	tell_unwritten(path, rc);
	return PMU_EXIT_FAILED;
}

/* A failed output does not keep the others from being written. */
static int write_outputs(const struct pmu_model *model, const struct request *request,
			 bool first)
{
	int failed = 0;
	size_t i;

	if (!request->n_outputs)
		return write_stdout(model, request, first);
	for (i = 0; i < request->n_outputs; i++)
		failed |= strcmp(request->output[i], "-")
				  ? write_file(model, request, request->output[i])
				  : write_stdout(model, request, first);
	return failed ? PMU_EXIT_FAILED : 0;
}

static int remove_store(const struct input *input)
{
	if (!input->is_store)
		pmu_command_error("%s is kept: only stores are removed", input->path);
	else if (input->is_alive)
		pmu_command_error("%s is kept: its program still runs", input->path);
	else if (!unlink(input->path))
		return 0;
	else
		pmu_command_error("cannot remove %s: %s", input->path, strerror(errno));
	return PMU_EXIT_FAILED;
}

static int report_file(const struct request *request, const char *path, bool first)
{
	struct input input = {.path = path};
	int rc;

	if (read_input(&input)) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_FAILED;
	}
	rc = write_outputs(input.model, request, first);
	pmu_model_free(input.model);
	if (rc)
		return rc;
	if (request->remove)
		return remove_store(&input);
	if (input.is_store && !input.is_alive)
		fprintf(stderr, "pmu: %s is kept; 'pmu report --remove %s' removes it\n",
			path, path);
	return 0;
}

/* --- listing --- */

static const char *const fate_words[] = {
	[PMU_STORE_ALIVE] = "running",
	[PMU_STORE_DEAD] = "left over",
	[PMU_STORE_FOREIGN] = "elsewhere",
};

static void add_size(struct pmu_strbuf *out, uint64_t size)
{
	if (size < 10u << 20)
		pmu_strbuf_addf(out, "%6" PRIu64 " KiB", (size + 1023) >> 10);
	else
		pmu_strbuf_addf(out, "%6" PRIu64 " MiB", size >> 20);
}

static void add_entry(struct pmu_strbuf *out, const struct pmu_store_entry *entry)
{
	time_t seconds = (time_t)(entry->start_unix_ns / 1000000000u);
	char when[32] = "?", program[sizeof(entry->program)], *c;
	struct tm tm;

	if (localtime_r(&seconds, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	/* a program's name may hold anything; a terminal should not */
	memcpy(program, entry->program, sizeof(program));
	for (c = program; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	pmu_strbuf_addf(out, "%-19s  %8" PRId32 "  %-9s  %-20s  ", when, entry->pid,
			fate_words[entry->fate], program);
	add_size(out, entry->size);
	pmu_strbuf_addf(out, "  %s\n", entry->path);
}

static int list_stores(void)
{
	struct pmu_strbuf out = {0};
	struct pmu_store_entry *entry;
	int n = pmu_store_list(&entry), i;

	if (n < 0) {
		pmu_command_error("%s", pmu_error_text());
		return PMU_EXIT_FAILED;
	}
	if (!n) {
		pmu_strbuf_add(
			&out,
			"No stores: no program is being measured, and none ended without "
			"its report.\n");
		return pmu_command_print(&out);
	}
	pmu_strbuf_addf(&out, "%-19s  %8s  %-9s  %-20s  %10s  %s\n", "started", "process",
			"state", "program", "size", "store");
	for (i = 0; i < n; i++)
		add_entry(&out, &entry[i]);
	pmu_strbuf_add(&out, "\n'pmu report STORE' makes the report of one, also while "
			     "its program runs.\n");
	free(entry);
	return pmu_command_print(&out);
}

static int run_report(const struct pmu_command *self, int argc, char **argv)
{
	struct request request = {0};
	int rc = parse(self, argc, argv, &request);
	size_t i;

	if (!rc && !request.n_files)
		rc = list_stores();
	else if (!rc)
		for (i = 0; i < request.n_files; i++)
			if (report_file(&request, request.file[i], !i))
				rc = PMU_EXIT_FAILED;
	free(request.file);
	free(request.output);
	return rc;
}

const struct pmu_command pmu_command_report = {
	.name = "report",
	.usage = "report [FILE...] [-o OUT]... [--threads] [--all] [--remove] [--help]",
	.about = "make a report from a store or a JSON report, or list the stores",
	.help = "A FILE is a store (what a program that was killed left over, or that of "
		"one that still\n"
		"runs) or a report that was written as JSON. Without a FILE it lists the "
		"stores.\n"
		"\n"
		"  -o OUT, --output OUT\n"
		"              where the report goes, any number of times; .json and "
		".csv choose the format,\n"
		"              any other name gets text, '-' is standard output; %p "
		"stands for the process,\n"
		"              %h for the host. Without -o: text on standard output\n"
		"  --threads   the text also has each thread's own rows\n"
		"  --all       the text has every region, also beyond the 100 with the most time\n"
		"  --remove    remove the store of a program that is gone once its "
		"report is written\n"
		"  -h, --help  this text\n"
		"  --          what follows are files, also where a name begins with -\n",
	.run = run_report,
};
