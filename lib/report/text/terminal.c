/* SPDX-License-Identifier: BSD-3-Clause */
/* Text on a terminal: as wide as it is, and in colour where it wants that. */
#include "report/text/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Narrower ones break the lines that nothing can make shorter. */
#define LEAST_COLUMNS 60

/* https://no-color.org: any value but an empty one */
static bool wants_color(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no_color && *no_color) && term && *term && strcmp(term, "dumb") != 0;
}

void pmu_terminal_fit(struct pmu_text_options *options, int fd)
{
	struct winsize size;

	if (fd < 0 || !isatty(fd))
		return;
	/* 0: its size was never set */
	if (!ioctl(fd, TIOCGWINSZ, &size) && size.ws_col)
		options->columns = size.ws_col < LEAST_COLUMNS ? LEAST_COLUMNS : size.ws_col;
	options->color = wants_color();
}

/* ECMA-48, "SGR": bold, yellow, neither. */
static const struct {
	char sign;
	const char *sequence;
} styles[] = { { PMU_STYLE_HEAD[0], "\033[1m" },
	       { PMU_STYLE_WARN[0], "\033[33m" },
	       { PMU_STYLE_END[0], "\033[0m" } };

void pmu_style_apply(struct pmu_strbuf *out, size_t start)
{
	char *plain = out->failed || out->len <= start ? NULL : strdup(out->text + start);

	if (!plain) {
		out->failed |= out->len > start;
		return;
	}
	out->text[out->len = start] = '\0';
	for (const char *at = plain; *at;) {
		size_t n = strcspn(at, PMU_STYLE_HEAD PMU_STYLE_WARN PMU_STYLE_END);

		pmu_strbuf_add_n(out, at, n);
		for (size_t i = 0; i < PMU_ARRAY_LEN(styles); i++)
			if (at[n] == styles[i].sign)
				pmu_strbuf_add(out, styles[i].sequence);
		at += n + (at[n] != '\0');
	}
	free(plain);
}
