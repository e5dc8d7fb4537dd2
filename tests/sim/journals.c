/* SPDX-License-Identifier: BSD-3-Clause */
/* What a file says about registers is not obeyed unless it is ours, whole, and of counters. */
#include "restore.h"

static char *journal_text; /* a good one */
static char journal_path[600];

/* It replaces the first @from; NULL: leaves the text as it is. */
static char *with(const char *from, const char *to)
{
	const char *at = from ? strstr(journal_text, from) : NULL;
	char *text;

	if (from && !at)
		run_die(from);
	if (!from)
		return strdup(journal_text);
	if (asprintf(&text, "%.*s%s%s", (int)(at - journal_text), journal_text, to,
		     at + strlen(from)) < 0)
		run_die("no memory");
	return text;
}

static void put_journal(const char *text, size_t len)
{
	int fd;

	unlink(journal_path);
	fd = open(journal_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, len) != (ssize_t)len)
		run_die(journal_path);
	close(fd);
}

/*
 * Nothing is written by the command; what it says has @words in it.  The journal is or is not there
 * after that.
 */
static void is_not_obeyed(const struct run *r, const char *words, bool stays, const char *name)
{
	struct stat st;
	char *before = sim_state(&sim), *text;
	int status;

	sim_send(&sim, "forget");
	text = session_command(r, env(), "restore", &status);
	ok(status < 2 && strstr(text, words) && !session_count(-1, -1).writes && is_back(before) &&
		   !lstat(journal_path, &st) == stays,
	   "%s", name);
	if (!strstr(text, words) || session_count(-1, -1).writes)
		diag("status %d, %zu writes: %s", status, session_count(-1, -1).writes, text);
	free(text);
	free(before);
}

static void changed_texts_are_not_obeyed(const struct run *r)
{
	static const struct {
		const char *from, *to, *words, *name;
	} changes[] = {
		{ "pmu registers 1", "pmu registers 2", "line 1 is not", "another version" },
		{ "cpu GenuineIntel-6-23", "cpu GenuineIntel-6-24", "another CPU", "another CPU" },
		{ "write 0 ", "write 0x", "is not a write", "a number that is none" },
		{ "write 0 186 ", "write 0 1a0 ", "1A0H, which no session programs",
		  "a register that is not a counter's" },
		{ "write 0 186 ", "write 0 c0000080 ", "C0000080H, which no session programs",
		  "the mode of the processor" },
		{ "write 0 186 ", "write 0 10000000000000186 ", "is not a write",
		  "a number that overflows" },
		{ "write 0 ", "write -1 ", "is not a write", "a processor below zero" },
		{ "write 0 ", "write 99999999999 ", "is not a write", "nor ever will be" },
		{ "write 0 ", "read 0 ", "is not a write, nor the end", "another verb" },
		{ "end ", "end 1", "does not have the", "a wrong number of writes" },
		{ "device /", "device //", "nothing to restore", "another device" },
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		char *text = with(changes[i].from, changes[i].to);

		put_journal(text, strlen(text));
		is_not_obeyed(r, changes[i].words, true, changes[i].name);
		free(text);
	}
}

static void cut_texts_are_not_obeyed(const struct run *r)
{
	size_t len = strlen(journal_text), bad = 0;
	int n_before = tap->n;

	for (size_t cut = 0; cut < len; cut += len / 16) {
		put_journal(journal_text, cut);
		sim_send(&sim, "forget");
		{
			int status;
			char *text = session_command(r, env(), "restore", &status);

			bad += session_count(-1, -1).writes || status > 1 ||
			       access(journal_path, F_OK);
			free(text);
		}
	}
	is_int(tap->n, n_before, "a text that is cut off anywhere");
	is_u64(bad, 0, "is left alone");
}

static void odd_files_are_not_obeyed(const struct run *r)
{
	char elsewhere[600], *text;
	const char *line;

	put_journal(journal_text, strlen(journal_text));
	chmod(journal_path, 0644);
	is_not_obeyed(r, "not a file of this user alone", true, "one that others can read");
	chmod(journal_path, 0602);
	is_not_obeyed(r, "not a file of this user alone", true, "one that others can write");
	chmod(journal_path, 0600);
	if (geteuid() == 0 && !chown(journal_path, 65534, 65534))
		is_not_obeyed(r, "not a file of this user alone", true, "another user's");
	else
		skip("another user's", "needs root");
	put_journal(journal_text, strlen(journal_text));
	snprintf(elsewhere, sizeof(elsewhere), "%s/elsewhere", shared);
	if (rename(journal_path, elsewhere) || symlink(elsewhere, journal_path))
		run_die(elsewhere);
	is_not_obeyed(r, "symbolic link", true, "a link to a good one");
	unlink(journal_path);
	if (mkfifo(journal_path, 0600))
		run_die(journal_path);
	is_not_obeyed(r, "not a file of this user alone", true, "a pipe that nobody writes");
	unlink(journal_path);
	line = strstr(journal_text, "\nboot ");
	text = line ? strdup(journal_text) : NULL;
	if (!text)
		run_die("no boot in the journal");
	text[line - journal_text + 6] ^= 1;
	put_journal(text, strlen(text));
	is_not_obeyed(r, "nothing to restore", false,
		      "one from before the last start of the machine goes");
	free(text);
	put_journal(journal_text, strlen(journal_text));
	chmod(shared, 0777);
	snprintf(elsewhere, sizeof(elsewhere), "%s/pmu", shared);
	chmod(elsewhere, 0777);
	is_not_obeyed(r, "", true, "a folder that others can write to");
	chmod(shared, 0700);
	chmod(elsewhere, 0700);
}

static void hostile_journals_are_refused(void)
{
	char *before, *programmed;
	struct run r, next;

	machine_starts("core2", 0);
	before = sim_state(&sim);
	run_start(&r, wait_in_a_region, NULL, env());
	wait_for_the_run();
	kill(r.pid, SIGKILL);
	run_wait(&r);
	programmed = sim_state(&sim);
	ok(strcmp(before, programmed) != 0, "a killed program leaves registers");
	snprintf(next.dir, sizeof(next.dir), "%s", shared);
	is_int(run_files(&next, "pmu", ".registers", journal_path, sizeof(journal_path)), 1,
	       "and a journal");
	journal_text = run_slurp(journal_path);
	changed_texts_are_not_obeyed(&r);
	cut_texts_are_not_obeyed(&r);
	odd_files_are_not_obeyed(&r);

	/* Without a usable journal, counters left programmed look like another program's. */
	put_journal(journal_text, strlen(journal_text) - 1);
	run(&next, region_of_nothing, NULL, env());
	ok(ended(&next), "a session beside a journal that it cannot use");
	has(session_words(&next), "general counter 0 is in use on CPUs 0-3",
	    "leaves what is programmed alone, and names it");
	run_done(&next);
	session_is_back(programmed, "it is as it was");

	put_journal(journal_text, strlen(journal_text));
	ok(command_restores(&r, 0), "the good one");
	session_is_back(before, "is obeyed");
	free(journal_text);
	run_done(&r);
	machine_stops();
}

int main(void)
{
	int rc = sim_start(&sim, "core2", 0);

	if (rc > 0)
		return skip_all(sim.why);
	sim_stop(&sim);
	hostile_journals_are_refused();
	return done_testing();
}
