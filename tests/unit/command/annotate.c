/* SPDX-License-Identifier: BSD-3-Clause */
/* What is chosen to be listed, files of source as they come, instructions of bytes, and this program's own listing. */
#include "bindings/command/annotate/annotate.h"

#include <elf.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "bindings/command/annotate/disassemble.h"
#include "bindings/command/annotate/source.h"
#include "bindings/command/code/code.h"
#include "bindings/command/code/object.h"
#include "report/model/objects.h"
#include "unit/model_sample.h"
#include "unit/part.h"
#include "unit/samples_sample.h"

static const uint64_t ms = 1000000;

static char folder[] = "/tmp/pmu-annotate-XXXXXX";

/* --- source --- */

static const char *write_source(const char *name, const char *text, size_t len)
{
	static char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	ok(file && fwrite(text, 1, len, file) == len, "%s is written", name);
	if (file)
		fclose(file);
	return path;
}

static void lines_of_a_file_are_found(void)
{
	static const char text[] = "one\r\n\n\tthree\0not\nfour";
	struct pmu_source *list = NULL, *source;
	const char *path = write_source("a.c", text, sizeof(text) - 1);

	source = pmu_source_find(&list, path, NULL, "/bin/none");
	is_str(pmu_source_line(source, 1), "one", "without its end");
	is_str(pmu_source_line(source, 2), "", "an empty one");
	is_str(pmu_source_line(source, 3), "\tthree", "up to a NUL");
	is_str(pmu_source_line(source, 4), "four", "one that has no end");
	ok(!pmu_source_line(source, 5) && !pmu_source_line(source, 0) &&
		   !pmu_source_line(source, UINT32_MAX),
	   "none beyond");
	ok(pmu_source_find(&list, path, NULL, "") == source, "read once");
	source = pmu_source_find(&list, write_source("empty.c", "", 0), NULL, "");
	ok(source->text && !pmu_source_line(source, 1), "an empty file has none");
	source = pmu_source_find(&list, folder, NULL, "");
	ok(!source->text && source->error, "a folder is no file");
	source = pmu_source_find(&list, "/nowhere/a.c", NULL, "");
	is_int(source->error, ENOENT, "what is not there");
	ok(!pmu_source_line(source, 1), "has no lines");
	pmu_source_free(&list);
}

static void files_are_looked_for_where_they_may_be(void)
{
	struct pmu_source *list = NULL, *source;
	char object[64];

	write_source("here.c", "here\n", 5);
	snprintf(object, sizeof(object), "%s/program", folder);
	source = pmu_source_find(&list, "here.c", NULL, object);
	is_str(pmu_source_line(source, 1), "here", "beside the program");
	source = pmu_source_find(&list, "/build/x/here.c", folder, "");
	is_str(pmu_source_line(source, 1), "here",
	       "in a folder that is said, by the end of its name");
	source = pmu_source_find(&list, "/build/x/", folder, "");
	ok(!source->text, "a name without an end");
	source = pmu_source_find(&list, "/build/y/here.c", NULL, object);
	ok(!source->text, "beside the program only where it has no folder");
	pmu_source_free(&list);
}

/* --- instructions --- */

static void bytes_are_instructions(void)
{
	/* push %rbp; what is none; ret */
	static const unsigned char bytes[] = { 0x55, 0x06, 0xc3 };
	struct pmu_model_block *blocks = NULL;
	struct pmu_instruction *list = NULL;
	size_t n = 0;
	int rc = pmu_disassemble(EM_X86_64, bytes, sizeof(bytes), 0x1000, &blocks, &list, &n);

	if (rc == -ENOTSUP) {
		skip("instructions", "no capstone");
		return;
	}
	is_int(rc, 0, "disassembled");
	if (is_u64(n, 3, "each byte")) {
		is_str(list[0].text, "pushq   %rbp", "as GNU's tools have it");
		is_u64(list[1].address, 0x1001, "what is none is a byte");
		ok(strstr(list[1].text, ".byte") != NULL, "  which is said: %s", list[1].text);
		is_str(list[2].text, "retq", "what is behind it is one again");
	}
	is_int(pmu_disassemble(EM_AARCH64, (const unsigned char[]){ 0xc0, 0x03, 0x5f, 0xd6 }, 4, 0,
			       &blocks, &list, &n),
	       0, "of arm64, too");
	is_str(n == 1 ? list[0].text : "", "ret", "one");
	is_int(pmu_disassemble(EM_NONE, bytes, sizeof(bytes), 0, &blocks, &list, &n), -ENOTSUP,
	       "not of every processor");
	pmu_block_free(&blocks);
}

/* --- what is chosen --- */

static const struct samples_of of_solve[] = { { "ns::dgemm(int)", 60, { 40, 20 } },
					      { "pack.constprop.0", 35, { 0 } },
					      { "rare", 5, { 0 } } };
static const struct samples_of of_main[] = { { "ns::dgemm(int)", 31, { 31, 0 } },
					     { "solve", 31, { 0 } } };

static struct pmu_model *sampled_model(void)
{
	struct pmu_model *model = sample_head();
	struct pmu_model_section *s;

	sample_threads(model, 1, 1000 * ms);
	sample_sections(model, 1, 4);
	s = model->section;
	sample_core(model, s);
	sample_row(model, s, 0, -1, "main", 1, 500 * ms);
	sample_row(model, s, 0, 0, "solve", 2, 400 * ms);
	sample_row(model, s, 0, 0, "idle", 2, 40 * ms);
	is_int(pmu_model_finish(model), 0, "finished");
	is_int(attach_samples(model, 0, "main", of_main, 2), 0, "main's");
	is_int(attach_samples(model, 0, "solve", of_solve, 3), 0, "solve's");
	return model;
}

/* "PATH:FUNCTION ..." */
static void is_chosen(const struct pmu_model *model, const char *of, const char *want)
{
	struct pmu_model_block *blocks = NULL;
	struct pmu_annotate_choice *choice = NULL;
	struct pmu_strbuf got = { 0 };
	unsigned int n = 0;
	int rc = pmu_annotate_choose(model, of, &blocks, &choice, &n);

	for (unsigned int i = 0; !rc && i < n; i++)
		pmu_strbuf_addf(&got, "%s%s:%s", i ? " " : "", choice[i].row->path,
				choice[i].function->name);
	is_str(pmu_strbuf_text(&got), want, of ? of : "nothing said");
	if (!want[0])
		is_int(rc, pmu_model_has_samples(model) ? -ENOENT : -ENODATA, "a sentence");
	pmu_strbuf_free(&got);
	pmu_block_free(&blocks);
}

static void functions_are_chosen(void)
{
	struct pmu_model *model = sampled_model(), *none = sample_head();

	is_chosen(model, NULL, "main/solve:ns::dgemm(int) main/solve:pack.constprop.0");
	is_chosen(model, "main", "main:ns::dgemm(int) main:solve");
	is_chosen(model, "solve", "main/solve:ns::dgemm(int) main/solve:pack.constprop.0");
	is_chosen(model, "main/solve", "main/solve:ns::dgemm(int) main/solve:pack.constprop.0");
	is_chosen(model, "ns::dgemm(int)", "main/solve:ns::dgemm(int) main:ns::dgemm(int)");
	is_chosen(model, "dgemm", "main/solve:ns::dgemm(int) main:ns::dgemm(int)");
	is_chosen(model, "pack", "main/solve:pack.constprop.0");
	is_chosen(model, "rare", "main/solve:rare");
	is_chosen(model, "gemm", "");
	is_chosen(model, "idle", "");
	is_chosen(model, "", "");
	is_int(pmu_model_finish(none), 0, "finished");
	is_chosen(none, NULL, "");
	pmu_model_free(none);
	pmu_model_free(model);
}

/* --- a listing --- */

__attribute__((noinline, used)) static unsigned int is_listed(unsigned int n)
{
	unsigned int sum = 0;

	for (volatile unsigned int i = 0; i < n; i++)
		sum += i * sum;
	return sum;
}

/** Samples of is_listed(): two instructions', and one's that is none of its. */
struct own {
	struct pmu_model *model;
	struct pmu_model_address address[3];
	struct pmu_model_code code;
	struct pmu_model_function function;
};

/* Return: whether its file can be read. */
static bool make_own(struct own *own, const char *build_id)
{
	struct pmu_code_object *object;
	struct pmu_code_found found = { 0 };
	char path[4096];
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[len > 0 ? len : 0] = '\0';
	object = pmu_code_open(path);
	/* its name is in this file alone */
	for (uint64_t at = 0; object && at < 64u << 20; at += 4) {
		found = pmu_code_object_find_address(object, at);
		if (found.name && !strcmp(found.name, "is_listed"))
			break;
	}
	if (!object || !found.name || strcmp(found.name, "is_listed") != 0) {
		pmu_code_object_close(object);
		return false;
	}
	own->model = sample_head();
	own->address[0] = (struct pmu_model_address){ found.start, 10 };
	own->address[1] = (struct pmu_model_address){ found.start + found.size - 1, 80 };
	own->address[2] = (struct pmu_model_address){ found.start + found.size, 10 };
	own->code = (struct pmu_model_code){
		pmu_model_object(own->model, path,
				 build_id ? build_id : pmu_code_object_build_id(object)),
		found.start, found.size, 3, own->address
	};
	own->function = (struct pmu_model_function){ .name = "is_listed",
						     .object = "all",
						     .n_samples = 100,
						     .n_codes = 1,
						     .code = &own->code };
	pmu_code_object_close(object);
	return true;
}

static void this_program_is_listed(void)
{
	struct pmu_annotate *annotate;
	struct pmu_listing listing;
	struct own own;
	uint64_t end;

	if (!make_own(&own, NULL)) {
		skip("this program", "no elfutils");
		return;
	}
	annotate = pmu_annotate_new(own.model, NULL);
	is_int(pmu_annotate_list(annotate, &own.function, 0, &listing), 0, "listed");
	if (!listing.n_instructions) {
		ok(listing.why[0], "why there is none: %s", listing.why);
	} else {
		end = own.code.start;
		for (unsigned int i = 0; i < listing.n_instructions; i++) {
			ok(listing.instruction[i].address == end, "one behind the other");
			end += listing.instruction[i].size;
		}
		is_u64(end, own.code.start + own.code.size, "all of it");
		is_u64(listing.instruction[0].n_samples, 10, "the first one's");
		is_u64(listing.instruction[listing.n_instructions - 1].n_samples, 80,
		       "inside an instruction");
		is_u64(listing.n_samples, 90, "without what is behind the function");
		ok(listing.n_files > 0 && listing.file[0].n_samples <= 90, "lines have them, too");
	}
	pmu_annotate_free(annotate);
	pmu_model_free(own.model);
}

static void another_build_is_not(void)
{
	struct pmu_annotate *annotate;
	struct pmu_listing listing;
	struct own own;

	if (!make_own(&own, "c0de")) {
		skip("this program", "no elfutils");
		return;
	}
	annotate = pmu_annotate_new(own.model, NULL);
	is_int(pmu_annotate_list(annotate, &own.function, 0, &listing), 0, "listed");
	is_u64(listing.n_instructions, 0, "without instructions");
	ok(strstr(listing.why, "has changed since") != NULL, "why: %s", listing.why);
	pmu_annotate_free(annotate);
	pmu_model_free(own.model);
}

UNIT_PART(annotate)
{
	ok(mkdtemp(folder) != NULL, "a folder");
	lines_of_a_file_are_found();
	files_are_looked_for_where_they_may_be();
	bytes_are_instructions();
	functions_are_chosen();
	this_program_is_listed();
	another_build_is_not();
	is_int(is_listed(0), 0, "it does nothing");
	return done_testing();
}
