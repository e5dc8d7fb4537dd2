/* SPDX-License-Identifier: BSD-3-Clause */
/* What libcpuid says of recorded processors and of this one, and what it must not be given. */
#include "machine/libcpuid/libcpuid.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/error.h"
#include "unit/part.h"

static const char *top(void)
{
	const char *folder = getenv("TEST_SRCDIR");

	return folder ? folder : ".";
}

/* --- which processor it is --- */

/* The two ways to a processor's identity: with libcpuid, and from the few leaves of a start. */
static void agrees_about(const char *path)
{
	struct pmu_libcpuid_identity theirs;
	struct pmu_cpuid_dump dump;
	struct pmu_cpu_id ours;

	if (!is_int(pmu_cpuid_load(path, &dump), 0, path))
		return;
	for (size_t i = 0; i < dump.n_cpus; i++) {
		bool same = !pmu_cpu_identify_by(&dump.cpu[i], &ours) &&
			    !pmu_libcpuid_identify(&dump.cpu[i], &theirs) &&
			    !strcmp(ours.vendor, theirs.id.vendor) &&
			    !strcmp(ours.brand, theirs.id.brand) &&
			    ours.family == theirs.id.family && ours.model == theirs.id.model &&
			    ours.stepping == theirs.id.stepping &&
			    ours.hypervisor == theirs.id.hypervisor;

		if (!same && !ok(false, "processor %zu is the same for both", i))
			diag("ours %s %s %x %x %x, libcpuid's %s %s %x %x %x", ours.vendor,
			     ours.brand, ours.family, ours.model, ours.stepping, theirs.id.vendor,
			     theirs.id.brand, theirs.id.family, theirs.id.model,
			     theirs.id.stepping);
	}
	ok(theirs.codename[0] && theirs.n_features > 10, "%s has %zu features", theirs.codename,
	   theirs.n_features);
	pmu_cpuid_dump_free(&dump);
}

/* @folder: of dumps */
static void agrees_in(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *entry;
	unsigned int n = 0;
	char path[PATH_MAX];

	if (!dir) {
		skip("dumps", "there is no %s", folder);
		return;
	}
	while ((entry = readdir(dir))) {
		if (!strstr(entry->d_name, ".txt"))
			continue;
		n++;
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		/* a Pentium 4 has 30 features, what a few leaves tell are fewer */
		if (strstr(path, "skylake-i3-6100") || strstr(path, "zen3-5950x"))
			continue;
		agrees_about(path);
	}
	closedir(dir);
	ok(n > 5, "%u dumps in %s", n, folder);
}

static void agrees_everywhere(void)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/tests/data/cpuid", top());
	agrees_in(path);
	snprintf(path, sizeof(path), "%s/../shared/facts/cpuid", top());
	agrees_in(path);
}

static bool has_feature(const struct pmu_libcpuid_identity *identity, const char *name)
{
	for (size_t i = 0; i < identity->n_features; i++)
		if (!strcmp(identity->feature[i], name))
			return true;
	return false;
}

static void names_features(void)
{
	struct pmu_libcpuid_identity identity;
	struct pmu_cpuid_dump dump;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/tests/data/cpuid/haswell-i7-4770.txt", top());
	is_int(pmu_cpuid_load(path, &dump), 0, "Haswell");
	is_int(pmu_libcpuid_identify(&dump.cpu[0], &identity), 0, "is identified");
	is_str(identity.codename, "Haswell (Core i7)", "code name");
	ok(has_feature(&identity, "avx2"), "it has AVX2");
	ok(has_feature(&identity, "constant_tsc"), "and an invariant TSC");
	ok(!has_feature(&identity, "avx512f"), "no AVX-512");
	ok(!has_feature(&identity, "hypervisor"), "no hypervisor");
	pmu_cpuid_dump_free(&dump);
}

static int identify(const char *text, struct pmu_libcpuid_identity *identity)
{
	struct pmu_cpuid_dump dump;
	int rc = pmu_cpuid_parse(text, strlen(text), &dump);

	if (rc)
		return rc;
	rc = pmu_libcpuid_identify(&dump.cpu[0], identity);
	pmu_cpuid_dump_free(&dump);
	return rc;
}

/* What libcpuid 0.6.2 would divide by, ask this processor for, or give to isdigit(). */
static void tames_leaves(void)
{
#define LEAF_0 "CPUID 00000000: 0000001B-756E6547-6C65746E-49656E69\n"
#define LEAF_1 "CPUID 00000001: 000706E5-00100800-7FFAFBBF-BFEBFBFF\n"
	struct pmu_libcpuid_identity identity;

	is_int(identify(LEAF_0 LEAF_1 "CPUID 0000000B: 1-10000-100-0 [SL 00]\n"
				      "CPUID 0000000B: 4-8-201-0 [SL 01]\n",
			&identity),
	       0, "no siblings at all");
	is_int(identify(LEAF_0 LEAF_1 "CPUID 00000004: 1C004121-01C0003F-0000003F-0\n"
				      "CPUID 00000004: 1C004122-01C0003F-0000003F-0\n"
				      "CPUID 00000004: 1C004143-01C0003F-000001FF-0\n"
				      "CPUID 00000004: 1C03C163-03C0003F-00001FFF-0\n"
				      "CPUID 00000004: 1C004121-01C0003F-0000003F-0\n"
				      "CPUID 00000004: 1C004122-01C0003F-0000003F-0\n"
				      "CPUID 00000004: 1C004143-01C0003F-000001FF-0\n"
				      "CPUID 00000004: 1C03C163-03C0003F-00001FFF-0\n",
			&identity),
	       0, "more caches than there is room for");
	is_int(identify(LEAF_0 LEAF_1
			"CPUID 00000007: 00000000-00000004-00000000-00000000\n"
			"CPUID 00000012: 00000001-00000000-00000000-0000241F [SL 00]\n"
			"CPUID 00000012: 00000001-00000001-FFFFF001-00000001 [SL 02]\n"
			"CPUID 00000012: 00000001-00000001-FFFFF001-00000001 [SL 03]\n",
			&identity),
	       0, "SGX with more than it has");
	ok(!has_feature(&identity, "sgx"), "is left out");
	is_int(identify(LEAF_0 LEAF_1 "CPUID 80000000: 80000008-0-0-0\n"
				      "CPUID 80000002: FF808182-FFFFFFFF-FFFFFFFF-FFFFFFFF\n"
				      "CPUID 80000003: FF808182-39393939-39393939-39393939\n"
				      "CPUID 80000004: 39393939-39393939-39393939-39393939\n",
			&identity),
	       0, "a brand of anything");
	ok(strspn(identity.id.brand, "9 ") == strlen(identity.id.brand), "shows what can be shown");
	is_int(identify(LEAF_0, &identity), -ENODEV, "no leaf 01H");
	has(pmu_error_text(), "leaf 01H is missing", "is said");
	is_int(identify("CPUID 00000000: 00000001-20202020-68677366-68676961\n" LEAF_1, &identity),
	       -ENODEV, "nobody's processor");
}

/* --- its raw format --- */

/* Lines that libcpuid 0.6.2 writes beyond its arrays for, or follows a null pointer. */
static void keeps_lines_from_it(void)
{
#define GOOD                                                   \
	"basic_cpuid[0]=0000000b 756e6547 6c65746e 49656e69\n" \
	"basic_cpuid[1]=000106a5 00100800 0098e3bd bfebfbff\n"
	static const struct {
		const char *text;
		size_t n_cpus;
	} row[] = {
		{ "version=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n" GOOD,
		  1 },
		{ "ext_cpuid[0]=80000008 0 0 0\n" GOOD, 1 },
		{ "------[ Versions ]------\n" GOOD, 1 },
		{ "_________________ Logical CPU #65535 _________________\n" GOOD, 1 },
		{ "_________________ Logical CPU #-1 _________________\n" GOOD
		  "_________________ Logical CPU #-2 _________________\n" GOOD,
		  2 },
		{ GOOD "CPUID 00000004: 1-2-3-4 [SL 7FFFFFFF]\n", 1 },
		{ GOOD "CPUID 0000000B: 1-2-3-4 [SL 99]\n", 1 },
	};
	static const char *const refused[] = {
		GOOD "basic_cpuid[32]=1 2 3 4\n",
		GOOD "basic_cpuid[-1]=1 2 3 4\n",
		GOOD "intel_fn4[99999999999999999999]=1 2 3 4\n",
		GOOD "ext_cpuid[1]=1 2 3 %%%%\n",
		GOOD "ext_cpuid[1]=1 2 3 4                                                       "
		     "                                                  4\n",
	};
	struct pmu_cpuid_dump dump;
	struct pmu_cpuid_regs regs;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		if (!is_int(pmu_cpuid_parse(row[i].text, strlen(row[i].text), &dump), 0, "taken"))
			diag("%s: %s", row[i].text, pmu_error_text());
		is_u64(dump.n_cpus, row[i].n_cpus, "processors");
		ok(dump.n_cpus && pmu_cpuid_get(&dump.cpu[0], 1, 0, &regs) && regs.eax == 0x106a5,
		   "with what it says");
		pmu_cpuid_dump_free(&dump);
	}
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		is_int(pmu_cpuid_parse(refused[i], strlen(refused[i]), &dump), -EINVAL, "refused");
		has(pmu_error_text(), "line 3", "with the line");
	}
}

static void refuses_nothing(void)
{
	static const char text[] = GOOD "_________________ Logical CPU #1 _________________\n"
					"basic_cpuid[12]=0 0 0 0\n";
	struct pmu_cpuid_dump dump;

	is_int(pmu_cpuid_parse(text, strlen(text), &dump), -EINVAL, "a processor of zeros");
	has(pmu_error_text(), "processor 1 has no CPUID leaf", "is named");
}

/* The same leaves, as far as they say anything. */
static bool same_leaves(const struct pmu_cpuid *a, const struct pmu_cpuid *b)
{
	struct pmu_cpuid_regs other;

	for (size_t i = 0; i < a->n; i++) {
		const struct pmu_cpuid_regs *regs = &a->entry[i].regs;

		if (!pmu_cpuid_get(a, a->entry[i].leaf, a->entry[i].subleaf, &other))
			continue;
		pmu_cpuid_get(b, a->entry[i].leaf, a->entry[i].subleaf, &other);
		if (memcmp(regs, &other, sizeof(other)) != 0) {
			diag("leaf %x.%x", a->entry[i].leaf, a->entry[i].subleaf);
			return false;
		}
	}
	return true;
}

static void writes_what_it_reads(const char *name)
{
	struct pmu_cpuid_dump dump, again;
	struct pmu_strbuf out = { 0 };
	char path[PATH_MAX];
	bool same;

	snprintf(path, sizeof(path), "%s/tests/data/cpuid/%s", top(), name);
	if (!is_int(pmu_cpuid_load(path, &dump), 0, name))
		return;
	is_int(pmu_libcpuid_print(&dump, &out), 0, "is written");
	has(pmu_strbuf_text(&out), "\nbasic_cpuid[31]=", "in libcpuid's format");
	if (!is_int(pmu_cpuid_parse(out.text, out.len, &again), 0, "is read again"))
		diag("%s", pmu_error_text());
	same = dump.n_cpus == again.n_cpus;
	for (size_t i = 0; same && i < dump.n_cpus; i++)
		same = same_leaves(&dump.cpu[i], &again.cpu[i]) &&
		       same_leaves(&again.cpu[i], &dump.cpu[i]);
	ok(same, "every leaf of %zu processors, also those that libcpuid does not keep",
	   dump.n_cpus);
	pmu_strbuf_free(&out);
	pmu_cpuid_dump_free(&dump);
	pmu_cpuid_dump_free(&again);
}

static void reads_this_processor(void)
{
	struct pmu_libcpuid_identity identity;
	struct pmu_cpu_id id;
	struct pmu_cpuid cpuid;
	int rc = pmu_libcpuid_here(&cpuid);

	if (rc == -ENODEV) {
		skip("this processor", "it has no CPUID");
		return;
	}
	is_int(rc, 0, "this processor");
	for (size_t i = 1; i < cpuid.n; i++) {
		const struct pmu_cpuid_entry *s = &cpuid.entry[i - 1], *t = &cpuid.entry[i];

		if (s->leaf > t->leaf || (s->leaf == t->leaf && s->subleaf >= t->subleaf))
			ok(false, "leaves in order");
	}
	is_int(pmu_libcpuid_identify(&cpuid, &identity), 0, "is identified");
	is_int(pmu_cpu_identify(&id), 0, "by us, too");
	ok(!strcmp(id.vendor, identity.id.vendor) && !strcmp(id.brand, identity.id.brand) &&
		   id.family == identity.id.family && id.model == identity.id.model,
	   "and is the same");
	pmu_cpuid_free(&cpuid);
}

UNIT_PART(libcpuid)
{
	if (!pmu_libcpuid_version()[0])
		return skip_all(pmu_error_text());
	diag("libcpuid %s", pmu_libcpuid_version());
	agrees_everywhere();
	names_features();
	tames_leaves();
	keeps_lines_from_it();
	refuses_nothing();
	writes_what_it_reads("arrowlake-ultra9-285h.txt");
	writes_what_it_reads("zen4-8700g.txt");
	writes_what_it_reads("core2-q9450.txt");
	writes_what_it_reads("westmere-ep-x5667.txt");
	reads_this_processor();
	return done_testing();
}
