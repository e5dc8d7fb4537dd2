/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The sweep as a picture: a row of panels for each source, its axes side by side; gnuplot reads all
 * of it from a pipe.
 */
#include "plot.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/common/machine.h"
#include "sweep.h"

#define N_PANELS 3 /* the axes but the counts, which the clock has not */
#define WIDTH    1080
#define HEAD     90 /* pixels: the title, and the key below it */
#define ROW      290

static const char *path;
static const char *terminal;
static int file = -1;

/* --- before --- */

static bool in_path(const char *program)
{
	const char *folder = getenv("PATH");
	char name[4096];

	if (!folder)
		folder = "/bin:/usr/bin"; /* execvp() looks there, too */
	for (; *folder; folder += strcspn(folder, ":"), folder += *folder == ':') {
		snprintf(name, sizeof(name), "%.*s/%s", (int)strcspn(folder, ":"), folder, program);
		if (access(name, X_OK) == 0)
			return true;
	}
	return false;
}

/* pngcairo has the better letters, but not every gnuplot has it. */
static const char *terminal_for(const char *name)
{
	static const struct {
		const char *ending, *commands;
	} terminals[] = {
		{ ".svg",
		  "set terminal svg size %d,%d noenhanced font 'sans-serif,13' background 'white'\n" },
		{ ".png", "width = %d; height = %d\n"
			  "if (strstrt(GPVAL_TERMINALS, 'pngcairo')) {\n"
			  "	set terminal pngcairo size width,height noenhanced font 'sans,10'\n"
			  "} else {\n"
			  "	set terminal png size width,height noenhanced small\n"
			  "}\n" },
	};
	const char *ending = strrchr(name, '.');

	for (size_t i = 0; ending && i < sizeof(terminals) / sizeof(*terminals); i++)
		if (!strcmp(ending, terminals[i].ending))
			return terminals[i].commands;
	return NULL;
}

int plot_open(const char *name)
{
	path = name;
	terminal = terminal_for(name);
	if (!terminal) {
		fprintf(stderr, "overhead: %s: a plot is a .svg or a .png file\n", path);
		return 2;
	}
	if (!in_path("gnuplot")) {
		fprintf(stderr,
			"overhead: no plot: gnuplot is not in PATH (Debian: gnuplot-nox)\n");
		return 1;
	}
	file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (file < 0) {
		fprintf(stderr, "overhead: cannot write the plot %s: %s\n", path, strerror(errno));
		return 1;
	}
	return 0;
}

/* --- what gnuplot is told --- */

/* The key stands once, below the title, in place of one in each panel. */
static const char *const looks = "set encoding utf8\n"
				 "set style line 1 lc rgb '#1f5fa8' lw 2 pt 7 ps 0.8\n"
				 "set style line 2 lc rgb '#8a8a8a' lw 2 pt 6 ps 0.6\n"
				 "set border 3 lc rgb '#555555'\n"
				 "set xtics nomirror out textcolor rgb '#333333'\n"
				 "set ytics nomirror out textcolor rgb '#333333'\n"
				 "set grid ytics lc rgb '#e4e4e4' lt 1\n"
				 "unset key\n";

/* As gnuplot wants a text between single quotes. */
static void quoted(FILE *out, const char *text)
{
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			putc('\'', out);
		putc(*text == '\n' ? ' ' : *text, out);
	}
	putc('\'', out);
}

/* What the axes of a source have where they are not the counts'. */
static const char *about(const char *source)
{
	static const struct {
		const char *source, *about;
	} texts[] = { { "clock", "clock: time only" },
		      { "software", "software: 1 count (task-clock)" },
		      { "perf", "perf: 1 count (instructions)" },
		      { "msr", "msr: 1 count (instructions)" } };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(texts[i].source, source))
			return texts[i].about;
	return source;
}

static bool is_on(const struct point *point, const char *source, int axis)
{
	return point->source == source && (int)point->axis == axis;
}

/* The points of a panel, as a block of data with a name, and where the tics are. */
static void tell_points(FILE *out, const struct point *point, size_t n, const char *source,
			int axis)
{
	const char *comma = "";

	fprintf(out, "$points << EOD\n");
	for (size_t i = 0; i < n; i++)
		if (is_on(&point[i], source, axis))
			fprintf(out, "%d %.6g %.6g %.2f\n", point[i].at, point[i].ns,
				point[i].bare_ns, point[i].ratio);
	fprintf(out, "EOD\nset xtics (");
	for (size_t i = 0; i < n; i++) {
		char number[16];

		if (!is_on(&point[i], source, axis))
			continue;
		sweep_number(point[i].at, number);
		fprintf(out, "%s'%s' %d", comma, number, point[i].at);
		comma = ", ";
	}
	fprintf(out, ")\n");
}

static void tell_panel(FILE *out, const struct point *point, size_t n, const char *source, int axis)
{
	static const char *const label[N_PANELS] = { [BY_NAMES] = "names in rotation",
						     [BY_DEPTH] = "depth of nesting",
						     [BY_THREADS] = "threads at once" };
	int least = 0, most = 0;

	for (size_t i = 0; i < n; i++) {
		if (!is_on(&point[i], source, axis))
			continue;
		least = least ? least : point[i].at;
		most = point[i].at;
	}
	if (!most)
		return;
	tell_points(out, point, n, source, axis);
	/* room at the sides, so that the ratios over the outer points stay inside */
	fprintf(out, "set xrange [%g:%g]\nset xlabel '%s'\n", least / (most > 100 ? 2.2 : 1.4),
		most * (most > 100 ? 2.2 : 1.4), label[axis]);
	fprintf(out, axis == BY_NAMES ? "set ylabel 'ns per pair'\n" : "unset ylabel\n");
	fprintf(out,
		"plot $points using 1:3 with linespoints ls 2, '' using 1:2 with linespoints ls 1, "
		"'' using 1:2:(sprintf('%%.2fx', $4)) with labels offset 0,1 textcolor rgb '#1f5fa8'\n"
		"unset label\n"); /* each stands once */
}

/*
 * One scale for the panels of a row, which begins at 0: what looks twice as high costs twice as
 * much.
 */
static void tell_row(FILE *out, const struct point *point, size_t n, const char *source, double top,
		     double bottom)
{
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		if (point[i].source != source || point[i].axis >= N_PANELS)
			continue;
		most = point[i].ns > most ? point[i].ns : most;
		most = point[i].bare_ns > most ? point[i].bare_ns : most;
	}
	fprintf(out, "set label 9 '%s' at graph 0,1.09 font ',12' textcolor rgb '#333333'\n",
		about(source));
	fprintf(out, "set yrange [0:%g]\nset tmargin at screen %g\nset bmargin at screen %g\n",
		most * 1.25, top, bottom);
	for (int axis = 0; axis < N_PANELS; axis++) {
		double left = 0.075 + 0.315 * axis;

		fprintf(out, "set lmargin at screen %g\nset rmargin at screen %g\n", left,
			left + 0.275);
		tell_panel(out, point, n, source, axis);
	}
}

/* The lines' names stand once, in their colours, and what the numbers at the points are. */
static void tell_head(FILE *out, int height)
{
	static const struct {
		double x;
		const char *text, *colour;
	} key[] = {
		{ 0.075, "begin/end pair, and its ratio to the bare reads", "#1f5fa8" },
		{ 0.42,
		  "bare reads: what a pair reads, twice, and nothing else; the same threads, in turn",
		  "#777777" }
	};

	fprintf(out,
		"set label 1 'What a begin/end pair costs' at screen 0.075,%g font ',15' front\n",
		1 - 20.0 / height);
	fprintf(out, "set label 2 ");
	quoted(out, machine_line());
	fprintf(out, " at screen 0.075,%g textcolor rgb '#555555' front\n", 1 - 42.0 / height);
	for (size_t i = 0; i < sizeof(key) / sizeof(*key); i++) {
		fprintf(out, "set label %zu '%s' at screen %g,%g textcolor rgb '%s' front\n", i + 3,
			key[i].text, key[i].x, 1 - 64.0 / height, key[i].colour);
	}
}

static void tell(FILE *out, const struct point *point, size_t n)
{
	const char *source[8];
	int n_sources = 0, height;

	for (size_t i = 0; i < n; i++) /* a source's points follow each other */
		if (n_sources < 8 && point[i].axis < N_PANELS &&
		    (!n_sources || source[n_sources - 1] != point[i].source))
			source[n_sources++] = point[i].source;
	height = HEAD + ROW * n_sources;
	fprintf(out, terminal, WIDTH, height);
	fputs(looks, out);
	fprintf(out, "set logscale x\nset multiplot\n");
	tell_head(out, height);
	for (int row = 0; row < n_sources; row++) {
		double top = 1 - (HEAD + ROW * row + 30.0) / height,
		       bottom = 1 - (HEAD + ROW * (row + 1) - 60.0) / height;

		tell_row(out, point, n, source[row], top, bottom);
	}
	fprintf(out, "unset multiplot\n");
}

/* --- drawing --- */

static void become_gnuplot(int commands)
{
	dup2(commands, STDIN_FILENO);
	dup2(file, STDOUT_FILENO); /* where a terminal draws that is told no other place */
	execlp("gnuplot", "gnuplot", (char *)NULL);
	fprintf(stderr, "overhead: cannot run gnuplot: %s\n", strerror(errno));
	_exit(127);
}

static int run_gnuplot(const struct point *point, size_t n)
{
	int commands[2], status = -1;
	FILE *out;
	pid_t pid;

	fflush(NULL);
	if (pipe2(commands, O_CLOEXEC) < 0 || (pid = fork()) < 0)
		return -1;
	if (pid == 0)
		become_gnuplot(commands[0]);
	close(commands[0]);
	signal(SIGPIPE, SIG_IGN); /* where it gives up, its status tells */
	out = fdopen(commands[1], "w");
	if (out) {
		tell(out, point, n);
		fclose(out);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 && out ? 0 : -1;
}

int plot_draw(void)
{
	const struct point *point;
	size_t n = sweep_points(&point);
	struct stat drawn;
	int rc = -1;

	if (n && ftruncate(file, 0) == 0)
		rc = run_gnuplot(point, n);
	if (fstat(file, &drawn) == 0 && drawn.st_size == 0) {
		unlink(path);
		rc = -1;
	}
	close(file);
	if (rc < 0)
		fprintf(stderr, "overhead: no plot: %s\n",
			n ? "gnuplot failed" : "nothing was measured");
	return rc < 0 ? 1 : 0;
}
