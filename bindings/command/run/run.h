/* SPDX-License-Identifier: BSD-3-Clause */
/* What the parts of `pmu run` share. */
#ifndef PMU_COMMAND_RUN_H
#define PMU_COMMAND_RUN_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <wordexp.h>

#include "base/place.h"
#include "bindings/command/annotate/annotate.h"
#include "bindings/command/command.h"
#include "machine/topology.h"
#include "report/report.h"
#include "settings/config.h"

/** Exit statuses of ours, as those of env(1), nohup(1) and timeout(1). */
#define PMU_EXIT_NOT_STARTED 125 /* we failed before the command started */
#define PMU_EXIT_NO_EXEC     126 /* it is there and cannot be executed */
#define PMU_EXIT_NOT_FOUND   127

struct pmu_diff_rename;

/** Those that are simulated. */
struct pmu_run_caches {
	/* for valgrind; "" it is told elsewhere, or finds them itself */
	char option[PMU_CACHES][64];
	char text[256]; /* "I1 32 KiB 8-way, D1 48 KiB 12-way, LL 32 MiB 16-way" */
};

/** What the command line says of repeated runs, as text; NULL where it does not. */
struct pmu_run_said {
	const char *repeat, *warmup, *precision, *limit, *against;
};

/** The command line, and what it means. */
struct pmu_run_request {
	/* What options say in place of variables, which PMU_RUN_SETTING() finds; NULL where none does */
	const char *setting[PMU_CONFIG_VARS];
	const char *cpus;
	const char *topdown; /* the group of --topdown's level; NULL: not asked for */
	const char **output; /* of -o, else of PMU_OUTPUT; none: text on standard error */
	size_t n_outputs;
	char *output_list; /* of PMU_OUTPUT, cut into pieces */
	bool no_report;    /* PMU_OUTPUT=none */
	bool each;
	bool tree;
	bool exact_branches; /* of pmu check: branches that repeat, and nothing else */
	bool all_metrics;    /* PMU_GROUP is all that can be counted: */
	char *all_groups;    /* their names */
	bool pins;           /* threads are to be pinned: libpmu must be in the global scope */
	bool switched_off;   /* PMU_ENABLE=0 */
	bool samples;        /* PMU_SAMPLE */
	bool may_sample;     /* also where nobody asks for it */
	uint64_t late_ns;    /* CPU time between samples where nobody has asked for them; 0: else */
	bool no_aslr;        /* addresses are the same in each run */
	struct pmu_run_said said;
	unsigned int repeat;            /* runs that are one report, or at most; 0: not asked for */
	unsigned int warmup;            /* runs before them, which are not reported */
	bool until_precise;             /* --repeat auto: no more runs than it takes */
	double precision;               /* the interval's width, of the median */
	uint64_t limit_ns;              /* no further run once they took so long */
	const char *metric;             /* what is to be precise; also compared; NULL time */
	wordexp_t against;              /* the other command's words; none: we_wordv is NULL */
	struct pmu_diff_rename *rename; /* regions of that one that have other names here */
	size_t n_renames;
	bool emulate;            /* under valgrind, */
	char valgrind[PATH_MAX]; /* which is here */
	struct pmu_run_caches caches;
	bool fast;            /* by our own tool, */
	char tools[PATH_MAX]; /* in this folder */
	struct pmu_text_options text;
	const char *top; /* --top */
	struct pmu_annotate_request annotate;
	bool roofline;        /* what is written as text is that */
	const char *ceilings; /* a file; NULL: where pmu-bench writes it */
	char **command;       /* ends with NULL */
};

/** What an option says that is as @variable; of PMU_TRACE a file, also where PMU_TRACE has said it */
#define PMU_RUN_SETTING(request, variable) ((request)->setting[PMU_CONFIG_##variable])

/** The options of `pmu run`; end with a NULL name. */
extern const struct pmu_option pmu_run_options[];

/**
 * pmu_run_parse() - the command line, and PMU_OUTPUT where it has no -o
 * @request: all zero but for exact_branches; to be given back by pmu_run_request_free() also after an error
 * Return: 0, or an exit status after a message.
 */
int pmu_run_parse(const struct pmu_command *self, int argc, char **argv,
		  struct pmu_run_request *request);
void pmu_run_request_free(struct pmu_run_request *request);

/** pmu_run_interpret() - "prog.py" that is a file and no command is one of python3's */
void pmu_run_interpret(struct pmu_run_request *request);

/** What the command is: whether something can be preloaded into it. */
struct pmu_run_target {
	char path[PATH_MAX]; /* what the search has found; "" nothing */
	bool no_preload;     /* the loader would complain, or the program break */
	bool is_mpi;         /* linked with an MPI */
	/* execvp() would take a program that the kernel refuses for a script of the shell's */
	bool no_script;
	/* "" or why it cannot be measured from inside: "it is statically linked" */
	char why[2 * PATH_MAX + 64];
};

/**
 * pmu_run_look() - find the command as execvp() does, and look into it
 *
 * A script is as good as its interpreter.  Trusts nothing in the file.  What cannot be read is
 * taken as measurable.
 */
void pmu_run_look(const char *command, struct pmu_run_target *target);

/** The folder that stores of this run go to. */
struct pmu_run_folder {
	char place[PMU_PLACE_MAX]; /* where it is: the folder for stores */
	char path[PMU_PLACE_MAX];
	bool is_private; /* the place is of this run alone */
};

/**
 * pmu_run_folder_make() - a new one
 *
 * Removes those that earlier runs left.  Stores of a run that was killed before its report are
 * moved to where those of killed programs are.
 *
 * Return: 0 or a negative errno with a sentence.
 */
int pmu_run_folder_make(struct pmu_run_folder *folder);
/** pmu_run_folders_sweep() - the same for what earlier runs left, without a new one */
void pmu_run_folders_sweep(void);
/**
 * pmu_run_folder_leave() - to processes that still run, after the report; a later run removes it
 */
void pmu_run_folder_leave(const struct pmu_run_folder *folder);
/** pmu_run_folder_remove() - with all that is in it */
void pmu_run_folder_remove(const struct pmu_run_folder *folder);

/** The libraries that are preloaded. */
struct pmu_run_libraries {
	char preload[PATH_MAX];     /* "" not found, or not usable */
	char mpi[PATH_MAX];         /* behind it, in an MPI program */
	char pmu[PATH_MAX];         /* behind them, where threads are pinned */
	char annotations[PATH_MAX]; /* named by variables, not preloaded */
	char why[PATH_MAX + 128];   /* why there is none */
};

/**
 * pmu_run_libraries_find() - where they are, in words that LD_PRELOAD can hold
 * @folder: gets links to those with a blank or colon in their path
 */
void pmu_run_libraries_find(const struct pmu_run_folder *folder, bool with_pmu, bool with_mpi,
			    struct pmu_run_libraries *libraries);

/**
 * pmu_run_tool_find() - the folder with the tool of valgrind's that counts instructions
 * @why: "" or why it cannot be had
 * Return: is it there?
 */
bool pmu_run_tool_find(char *folder, size_t size, char *why, size_t why_size);

/** pmu_run_is_mpi() - is it, or does it start, an MPI program? */
bool pmu_run_is_mpi(const struct pmu_run_request *request, const struct pmu_run_target *target);

/**
 * pmu_run_environment() - ours, with the request's settings
 * @folder, @libraries: NULL: only what is checked before the start
 * Return: for pmu_run_environment_free(); NULL without memory.
 */
char **pmu_run_environment(const struct pmu_run_request *request,
			   const struct pmu_run_folder *folder,
			   const struct pmu_run_libraries *libraries);
void pmu_run_environment_free(char **environment);

#define PMU_RUN_DOORS 4
/**
 * pmu_run_door() - a variable that names the library to which a program's annotations go
 * @i: below PMU_RUN_DOORS
 * @is_ours: result: it is to name ours
 * Return: the variable; NULL: the user's own value stays.
 */
const char *pmu_run_door(const struct pmu_run_request *request, size_t i, bool *is_ours);

/**
 * pmu_run_check_settings() - as the library would check them.  Return: 0, or an exit status after a
 * message.
 */
int pmu_run_check_settings(struct pmu_run_request *request);

/**
 * pmu_run_check_target() - with --require: can it be measured from inside?  Return: 0, or an exit
 * status after a message.
 */
int pmu_run_check_target(const struct pmu_run_request *request,
			 const struct pmu_run_target *target);

/**
 * pmu_run_check_emulation() - is there what --emulate needs?  Return: 0, or an exit status after a
 * message.
 */
int pmu_run_check_emulation(struct pmu_run_request *request);

/**
 * pmu_run_valgrind_told() - what valgrind's files and VALGRIND_OPTS say of an option
 * @option: "LL"
 * @value: result, cut to @size; 0 where it is not wanted
 * @where: result: "VALGRIND_OPTS"
 * Return: do they?
 */
bool pmu_run_valgrind_told(const char *option, char *value, size_t size, const char **where);

/** pmu_run_caches_find() - this machine's, but for those that valgrind is told elsewhere */
void pmu_run_caches_find(struct pmu_run_caches *caches);

/** pmu_run_check_layout() - can addresses be fixed?  Where not, a message, and it is not asked for. */
void pmu_run_check_layout(struct pmu_run_request *request);
/**
 * pmu_run_layout_fix() - of this process from its next exec on, and of what it starts
 * Return: what personality(2) was, or -1 and errno.  Context: also behind fork().
 */
int pmu_run_layout_fix(void);

/**
 * pmu_run_emulated_errno() - why the command could not be executed, which valgrind would tell
 * otherwise; 0: it can.
 */
int pmu_run_emulated_errno(const struct pmu_run_request *request,
			   const struct pmu_run_target *target);

/**
 * pmu_run_emulated_refuses() - is it a program that valgrind does not run?  True: after a message.
 */
bool pmu_run_emulated_refuses(const struct pmu_run_target *target);

/** A command line; its words are its own. */
struct pmu_run_words {
	char **word; /* ends with NULL */
	size_t n;
	bool failed;
};

/**
 * pmu_run_words_make() - valgrind's command line, with the command's at its end
 * @words: all zero; to be given back also after an error
 * Return: 0 or -ENOMEM.
 */
int pmu_run_words_make(const struct pmu_run_request *request, const struct pmu_run_folder *folder,
		       struct pmu_run_words *words);
void pmu_run_words_free(struct pmu_run_words *words);

/**
 * pmu_run_log_format() - where valgrind's logs are, with %p for the process; to be freed; NULL
 * without memory.
 */
char *pmu_run_log_format(const struct pmu_run_folder *folder);

struct pmu_run_parts;
/** pmu_run_note_valgrind() - where it was valgrind that could not go on, what it said */
void pmu_run_note_valgrind(const struct pmu_run_folder *folder, pid_t pid,
			   struct pmu_run_parts *parts);

struct pmu_mask;
/** How a command is started. */
struct pmu_run_start {
	const char *path; /* of the program; NULL: whatever execvp() finds */
	char **command;
	char **environment;
	const struct pmu_mask *cpus; /* that it is bound to; NULL: as we are */
	bool no_aslr;
	void (*tick)(void *arg); /* called now and then while it runs */
	void *arg;
};

/** What became of it. */
struct pmu_run_end {
	pid_t pid;
	int exec_errno; /* not 0: it was never executed */
	int status;     /* as of wait(2) */
	uint64_t start_unix_ns;
	struct rusage usage;      /* of it and of all that it waited for */
	struct pmu_model_run run; /* all of this for the report */
};

/**
 * pmu_run_command() - execute it and wait for its end
 *
 * Signals that are sent to us are passed on, those of the terminal reach it by themselves; when it
 * is stopped from the terminal, so are we.  Whatever we change for that is as before afterwards.
 *
 * Return: 0, also where it could not be executed; a negative errno with a sentence where no
 * process could be made.
 */
int pmu_run_command(const struct pmu_run_start *start, struct pmu_run_end *end);

/**
 * pmu_run_die() - by the signal that ended the command, without a core of our own; returns where we
 * survive it
 */
void pmu_run_die(int signal_number);

#define PMU_RUN_OUTLIVING 64
/**
 * Processes that the command has started and that still run, without those with results here.
 */
struct pmu_run_outliving {
	pid_t pid[PMU_RUN_OUTLIVING];
	size_t n;
};

#define PMU_RUN_NOTES 8
/** What the processes left behind. */
struct pmu_run_parts {
	struct pmu_model **model;
	size_t n, room;
	size_t n_unread;  /* stores that could not be read */
	size_t n_off;     /* processes in which measuring was never switched on */
	char unread[512]; /* why, of the last */
	int n_lost;       /* processes that could not make one */
	char lost[512];   /* why, of one of them; "": there was no room */
	/* processes that still ran when the report was made: the folder is theirs */
	int n_alive;
	struct pmu_run_outliving outliving; /* those of which nothing is here */
	bool no_memory;
	/*
	 * This is one rank of a job, and the results of all are in the report of the first one.
	 * That one has it.
	 */
	bool in_job;
	struct pmu_model *job;
	struct pmu_samples_collector *samples; /* NULL: none are taken */
	struct pmu_model_run run;
	char note[PMU_RUN_NOTES][3 * PATH_MAX]; /* about the whole run */
	size_t n_notes;
};

/** pmu_run_note() - one more; beyond the most there are, none */
void pmu_run_note(struct pmu_run_parts *parts, const char *fmt, ...) PMU_PRINTF(2, 3);

/**
 * pmu_run_ended() - the command has ended with a status: its stores are marked that do not say so
 *
 * A program that exits by a bare system call does not write that into its store.
 * Return: whether one was marked.
 */
bool pmu_run_ended(const struct pmu_run_folder *folder, pid_t pid);

/** pmu_run_doors_note() - annotations that go elsewhere */
void pmu_run_doors_note(const struct pmu_run_request *request, struct pmu_run_parts *parts);

/**
 * pmu_run_take() - where there are many stores: the results of processes that are gone; their
 * stores are removed
 */
void pmu_run_take(const struct pmu_run_folder *folder, struct pmu_run_parts *parts);
/**
 * pmu_run_take_all() - all results, once the command has ended; in the order of their start
 *
 * Those that end a moment later are waited for; of those that still run then it is what they had
 * done when this was called.
 */
void pmu_run_take_all(const struct pmu_run_folder *folder, struct pmu_run_parts *parts);
void pmu_run_parts_free(struct pmu_run_parts *parts);

/**
 * pmu_run_outliving_find() - by their environment; those with one that cannot be read are not among
 * them
 */
void pmu_run_outliving_find(const struct pmu_run_folder *folder,
			    struct pmu_run_outliving *outliving);
/** pmu_run_outliving_any() - does one of them still run? */
bool pmu_run_outliving_any(const struct pmu_run_folder *folder,
			   const struct pmu_run_outliving *outliving);
void pmu_run_outliving_drop(struct pmu_run_outliving *outliving, pid_t pid);
/** pmu_run_outliving_note() - one of what is not in the report */
void pmu_run_outliving_note(const struct pmu_run_outliving *outliving, struct pmu_run_parts *parts);

/** pmu_run_take_job() - what the ranks of this process's job have made of their results together */
void pmu_run_take_job(const struct pmu_run_folder *folder, struct pmu_run_parts *parts);

/**
 * pmu_run_combine() - the results of all processes as one
 * @parts: one at least; what it is of may be gone from there
 * @model: result: finished, with metrics, for pmu_model_free() before @parts are freed
 * Return: 0; a negative errno after a message.
 */
int pmu_run_combine(const struct pmu_run_request *request, struct pmu_run_parts *parts,
		    struct pmu_model **model);

/** pmu_run_all_metrics() - with --all-metrics: which groups these are.  Return: as pmu_run_roofline(). */
int pmu_run_all_metrics(struct pmu_run_request *request);

/**
 * pmu_run_roofline() - with --roofline: count what it takes, where nothing else is said
 *
 * Bytes are those of the memory controllers where these can be had, else misses of caches.
 *
 * Return: 0, or an exit status after a message.
 */
int pmu_run_roofline(struct pmu_run_request *request);

/** pmu_run_emulation() - will it run under valgrind? */
enum pmu_emulation pmu_run_emulation(const struct pmu_run_request *request);

/** pmu_run_can_count() - could all of a group be counted, or @any of it?  False after a sentence. */
bool pmu_run_can_count(const struct pmu_run_request *request, const char *group, bool any);

/** pmu_run_topdown() - with --topdown: can any of the first level be counted?  Return: 0, or an exit status after a message. */
int pmu_run_topdown(const struct pmu_run_request *request);

/**
 * pmu_run_exact_branches() - count these, where nothing else is said
 * Return: 0, or an exit status after a message.
 */
int pmu_run_exact_branches(const struct pmu_command *self, struct pmu_run_request *request);

/** pmu_run_check_trace() - can --trace be written?  Return: likewise. */
int pmu_run_check_trace(const struct pmu_run_request *request);

/**
 * pmu_run_write_trace() - with --trace: of all processes; while their stores are there
 *
 * What could not be written is said.
 */
void pmu_run_write_trace(const struct pmu_run_request *request,
			 const struct pmu_run_folder *folder);

/** Stores of a run with --trace. */
struct pmu_run_traced {
	struct pmu_store_entry *entry;
	const char **store; /* [n] their files */
	size_t n;
};

/**
 * pmu_run_traced_open() - none without --trace, or without memory
 * @pid: of that process alone; 0: all
 */
void pmu_run_traced_open(const struct pmu_run_request *request, const struct pmu_run_folder *folder,
			 int64_t pid, struct pmu_run_traced *traced);
void pmu_run_traced_close(struct pmu_run_traced *traced);

/** pmu_run_check_outputs() - can they be written?  Return: 0, or an exit status after a message. */
int pmu_run_check_outputs(const struct pmu_run_request *request);

/**
 * pmu_run_write() - the reports
 * @parts: one at least
 *
 * What could not be written is said, and the results are kept as JSON in the folder for stores.
 */
void pmu_run_write(const struct pmu_run_request *request, struct pmu_run_parts *parts,
		   const struct pmu_run_folder *folder);

#endif
