/* SPDX-License-Identifier: BSD-3-Clause */
/* Where what a command has found out goes: files, standard output, standard error. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/write.h"
#include "bindings/command/command.h"
#include "bindings/command/output.h"
#include "report/text/terminal.h"

static int write_text_to(const char *output, const struct pmu_strbuf *text)
{
	char path[PATH_MAX];
	int rc;

	if (!output)
		return pmu_write_message(STDERR_FILENO, text->text, text->len, true);
	if (!strcmp(output, "-"))
		return pmu_write_all(STDOUT_FILENO, text->text, text->len);
	rc = pmu_output_path_of(output, NULL, path, sizeof(path));
	return rc < 0 ? rc : pmu_report_write_file(path, text->text, text->len);
}

/* @output: NULL: standard error.  Return: whether it was written. */
static bool write_rendered(const char *output, const struct pmu_text_options *text_options,
			   pmu_output_render *render, const void *what)
{
	bool to_file = output && strcmp(output, "-");
	struct pmu_text_options options = *text_options;
	struct pmu_strbuf text = { 0 };
	int rc;

	if (!to_file)
		pmu_terminal_fit(&options, output ? STDOUT_FILENO : STDERR_FILENO);
	rc = render(&text, what, to_file ? output : NULL, &options);
	if (!rc)
		rc = write_text_to(output, &text);
	pmu_strbuf_free(&text);
	if (rc && rc != -EPIPE)
		pmu_command_error("cannot write %s: %s",
				  to_file  ? output
				  : output ? "to standard output"
					   : "to standard error",
				  strerror(-rc));
	return !rc || rc == -EPIPE;
}

bool pmu_output_write(const char *const *output, size_t n, const struct pmu_text_options *options,
		      pmu_output_render *render, const void *what)
{
	bool written = true;

	if (!n)
		return write_rendered(NULL, options, render, what);
	for (size_t i = 0; i < n; i++)
		written &= write_rendered(output[i], options, render, what);
	/* all that work is not to be for nothing */
	if (!written)
		write_rendered(NULL, options, render, what);
	return written;
}
