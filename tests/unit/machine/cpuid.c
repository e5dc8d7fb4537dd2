/* SPDX-License-Identifier: BSD-3-Clause */
/* CPUID leaves: live, and in dumps of every format. */
#include "machine/cpuid.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "machine/cpu.h"
#include "pmu.h"
#include "unit/part.h"

static const char *data_path(const char *name)
{
	static char path[PATH_MAX];
	const char *top = getenv("TEST_SRCDIR");

	snprintf(path, sizeof(path), "%s/tests/data/cpuid/%s", top ? top : ".", name);
	return path;
}

static bool load(const char *name, struct pmu_cpuid_dump *dump)
{
	int rc = pmu_cpuid_load(data_path(name), dump);

	if (rc == -ENOTSUP) {
		skip(name, "%s", pmu_error_text());
		return false;
	}
	if (!ok(!rc, "%s is read", name))
		diag("%s", pmu_error_text());
	return !rc;
}

static bool same_regs(const struct pmu_cpuid_regs *a, const struct pmu_cpuid_regs *b)
{
	return a->eax == b->eax && a->ebx == b->ebx && a->ecx == b->ecx && a->edx == b->edx;
}

static bool same_dump(const struct pmu_cpuid_dump *a, const struct pmu_cpuid_dump *b)
{
	bool same = a->n_cpus == b->n_cpus;

	for (size_t i = 0; same && i < a->n_cpus; i++) {
		same = a->cpu[i].n == b->cpu[i].n;
		for (size_t j = 0; same && j < a->cpu[i].n; j++) {
			const struct pmu_cpuid_entry *s = &a->cpu[i].entry[j],
						     *t = &b->cpu[i].entry[j];

			same = s->leaf == t->leaf && s->subleaf == t->subleaf &&
			       same_regs(&s->regs, &t->regs);
		}
	}
	return same;
}

static void reads_every_dump(void)
{
	static const struct {
		const char *name;
		size_t n_cpus;
		const char *vendor;
		uint32_t family, model, stepping;
		const char *brand;
	} row[] = {
		{ "alderlake-i9-12900k.txt", 24, "GenuineIntel", 6, 0x97, 2,
		  "12th Gen Intel(R) Core(TM) i9-12900K" },
		{ "arrowlake-ultra9-285h.txt", 16, "GenuineIntel", 6, 0xc5, 2,
		  "Intel(R) Core(TM) Ultra 9 285H" },
		{ "core2-q9450.txt", 1, "GenuineIntel", 6, 0x17, 7,
		  "Intel(R) Core(TM)2 Quad CPU Q9450 @ 2.66GHz" },
		{ "haswell-i7-4770.txt", 8, "GenuineIntel", 6, 0x3c, 3,
		  "Intel(R) Core(TM) i7-4770 CPU @ 3.40GHz" },
		{ "icelake-i7-1065g7.txt", 8, "GenuineIntel", 6, 0x7e, 5,
		  "Intel(R) Core(TM) i7-1065G7 CPU @ 1.30GHz" },
		{ "nehalem-i7-920.txt", 1, "GenuineIntel", 6, 0x1a, 4,
		  "Intel(R) Core(TM) i7 CPU 920 @ 2.67GHz" },
		{ "pentium4-no-leaf-0ah.txt", 2, "GenuineIntel", 15, 2, 9,
		  "Intel(R) Pentium(R) 4 CPU 2.80GHz" },
		{ "sandybridge-i5-2400-8gp.txt", 4, "GenuineIntel", 6, 0x2a, 7,
		  "Intel(R) Core(TM) i5-2400 CPU @ 3.10GHz" },
		{ "sandybridge-i7-2600k.txt", 1, "GenuineIntel", 6, 0x2a, 7,
		  "Intel(R) Core(TM) i7-2600K CPU @ 3.40GHz" },
		{ "silvermont-e3827.txt", 2, "GenuineIntel", 6, 0x37, 9,
		  "Intel(R) Atom(TM) CPU E3827 @ 1.74GHz" },
		{ "westmere-ep-x5667.txt", 16, "GenuineIntel", 6, 0x2c, 1,
		  "Intel(R) Xeon(R) CPU X5667 @ 3.07GHz" },
		{ "zen2-apu-0932.txt", 8, "AuthenticAMD", 0x17, 0x91, 0, "AMD Custom APU 0932" },
		{ "zen4-8700g.txt", 16, "AuthenticAMD", 0x19, 0x75, 2,
		  "AMD Ryzen 7 8700G w/ Radeon 780M Graphics" },
		{ "zen5-ai7-350.txt", 16, "AuthenticAMD", 0x1a, 0x60, 0,
		  "AMD Ryzen AI 7 PRO 350 w/ Radeon 860M" },
	};

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct pmu_cpuid_dump dump, again;
		struct pmu_strbuf out = { 0 };
		struct pmu_cpu_id id;

		if (!load(row[i].name, &dump))
			continue;
		is_u64(dump.n_cpus, row[i].n_cpus, "logical processors");
		is_int(pmu_cpu_identify_by(&dump.cpu[0], &id), 0, "says who it is");
		is_str(id.vendor, row[i].vendor, "vendor");
		is_str(id.brand, row[i].brand, "brand");
		if (!ok(id.family == row[i].family && id.model == row[i].model &&
				id.stepping == row[i].stepping,
			"signature"))
			diag("got %x %x %x", id.family, id.model, id.stepping);
		pmu_cpuid_print(&dump, &out);
		is_int(pmu_cpuid_parse(out.text, out.len, &again), 0, "what is printed is read");
		ok(same_dump(&dump, &again), "and is the same");
		pmu_strbuf_free(&out);
		pmu_cpuid_dump_free(&again);
		pmu_cpuid_dump_free(&dump);
	}
}

static int parse(const char *text, struct pmu_cpuid_dump *dump)
{
	return pmu_cpuid_parse(text, strlen(text), dump);
}

static void knows_arrays(void)
{
	static const char text[] = "version=0.6.2\r\n"
				   "basic_cpuid[0]=0000000b 756e6547 6c65746e 49656e69\r\n"
				   "basic_cpuid[1]=000106a5 00100800 0098e3bd bfebfbff\r\n"
				   "basic_cpuid[4]=1c004121 01c0003f 0000003f 00000000\r\n"
				   "basic_cpuid[10]=07300403 00000044 00000000 00000603\r\n"
				   "ext_cpuid[0]=80000008 00000000 00000000 00000000\r\n"
				   "ext_cpuid[8]=00003028 00000000 00000000 00000000\r\n"
				   "intel_fn4[0]=1c004121 01c0003f 0000003f 00000000\r\n"
				   "intel_fn4[3]=1c03c163 03c0003f 00001fff 00000002";
	struct pmu_cpuid_dump dump;
	struct pmu_cpuid_regs regs;

	int rc = parse(text, &dump);

	if (rc == -ENOTSUP) {
		skip("libcpuid's format", "%s", pmu_error_text());
		return;
	}
	if (!ok(!rc, "libcpuid's format is read"))
		diag("%s", pmu_error_text());
	is_u64(dump.n_cpus, 1, "one processor");
	ok(pmu_cpuid_get(&dump.cpu[0], 0xa, 0, &regs) && regs.eax == 0x07300403 &&
		   regs.ebx == 0x44 && regs.ecx == 0 && regs.edx == 0x603,
	   "leaf 0AH, registers in order");
	ok(pmu_cpuid_get(&dump.cpu[0], 4, 3, &regs) && regs.ecx == 0x1fff, "a subleaf");
	ok(pmu_cpuid_get(&dump.cpu[0], 0x80000008, 0, &regs) && regs.eax == 0x3028,
	   "an extended leaf");
	ok(!pmu_cpuid_get(&dump.cpu[0], 4, 2, &regs) && !regs.eax, "no subleaf that is not there");
	pmu_cpuid_dump_free(&dump);
}

static void knows_lines(void)
{
	static const char text[] =
		"a remark\n"
		"------[ Logical CPU #0 ]------\n"
		"CPUID 00000000: 0000000B-756E6547-6C65746E-49656E69 [GenuineIntel]\n"
		"CPUID 00000004: 1C004121-01C0003F-0000003F-00000000\n"
		"CPUID 00000004: 1C004122-00C0003F-0000007F-00000000\n"
		"CPUID 0000000B: 00000001-00000002-00000100-00000005 [SL 00]\n"
		"CPUID 0000000b: 00000004-00000008-00000201-00000005 [SL 01] [a remark]\n"
		"------[ CPUID Registers / Logical CPU #7 ]------\n"
		"CPUID 00000000: 0000000B-756E6547-6C65746E-49656E69\n"
		"CPUID 00000001: 000106A5-00100800-0098E3BD-BFEBFBFF\n";
	struct pmu_cpuid_dump dump;
	struct pmu_cpuid_regs regs;

	if (!ok(!parse(text, &dump), "a line per leaf is read"))
		diag("%s", pmu_error_text());
	if (!is_u64(dump.n_cpus, 2, "two processors"))
		return;
	ok(pmu_cpuid_get(&dump.cpu[0], 4, 1, &regs) && regs.eax == 0x1c004122,
	   "repeated leaves are subleaves");
	ok(pmu_cpuid_get(&dump.cpu[0], 0xb, 1, &regs) && regs.ecx == 0x201, "numbered ones too");
	ok(!pmu_cpuid_get(&dump.cpu[0], 1, 0, &regs), "the second's leaf is not the first's");
	ok(pmu_cpuid_get(&dump.cpu[1], 1, 0, &regs) && regs.eax == 0x106a5, "it is the second's");
	pmu_cpuid_dump_free(&dump);
}

static void knows_the_maximum(void)
{
	static const char text[] = "CPUID 00000000: 00000002-756E6547-6C65746E-49656E69\n"
				   "CPUID 00000002: 665B5001-00000000-00000000-007B7040\n"
				   "CPUID 0000000A: 665B5001-00000000-00000000-007B7040\n"
				   "CPUID 80000000: 80000001-00000000-00000000-00000000\n"
				   "CPUID 80000002: 20202020-20202020-20202020-6E492020\n"
				   "CPUID 40000000: 40000001-4B4D564B-564B4D56-0000004D\n";
	struct pmu_cpuid_regs regs = { 1, 1, 1, 1 };
	struct pmu_cpuid_dump dump;

	is_int(parse(text, &dump), 0, "a dump with more than there is");
	ok(pmu_cpuid_get(&dump.cpu[0], 2, 0, &regs), "the highest leaf");
	ok(!pmu_cpuid_get(&dump.cpu[0], 0xa, 0, &regs), "none above it");
	ok(!regs.eax && !regs.ebx && !regs.ecx && !regs.edx, "reads as 0");
	ok(!pmu_cpuid_get(&dump.cpu[0], 0x80000002, 0, &regs), "nor among the extended");
	ok(pmu_cpuid_get(&dump.cpu[0], 0x40000000, 0, &regs), "a hypervisor's are beside both");
	pmu_cpuid_dump_free(&dump);
	is_int(parse("CPUID 0000000A: 07300403-00000044-00000000-00000603\n", &dump), 0,
	       "a dump without leaf 0");
	ok(!pmu_cpuid_get(&dump.cpu[0], 0xa, 0, &regs), "has no maximum, so nothing in range");
	pmu_cpuid_dump_free(&dump);
}

static void refuses_damage(void)
{
	static const struct {
		const char *text, *part;
		int rc;
	} row[] = {
		{ "", "no CPUID leaf", -EINVAL },
		{ "some text\n", "no CPUID leaf", -EINVAL },
		{ "\n\nCPUID 0000000A: 07300403-00000044-00000000\n", "line 3", -EINVAL },
		{ "CPUID 0000000A 07300403-00000044-00000000-00000000\n", "line 1", -EINVAL },
		{ "CPUID 0000000A: 07300403-00000044-00000000-0000060g", NULL, 0 },
		{ "CPUID 0000000A: 07300403-00000044-00000000-xyz", "line 1", -EINVAL },
		{ "CPUID 0000000A: 07300403-00000044-00000000-00000603 [SL zz]", "line 1",
		  -EINVAL },
		{ "basic_cpuid[10]=07300403 00000044 00000000\n", "line 1", -EINVAL },
		{ "basic_cpuid[=07300403 00000044 00000000 0\n", "line 1", -EINVAL },
		{ "basic_cpuid[99999]=07300403 00000044 00000000 0\n", "line 1", -EINVAL },
		{ "------[ Logical CPU #0 ]------\n------[ Logical CPU #1 ]------\n", "line 2",
		  -EINVAL },
		{ "basic_cpuid[4]=1 2 3 4\nintel_fn4[0]=1 2 3 5\n",
		  "leaf 00000004H, subleaf 0, twice", -EINVAL },
		{ "basic_cpuid[11]=1 2 3 4\nintel_fn11[0]=1 2 3 5\n", NULL, 0 },
	};
	struct pmu_cpuid_dump dump;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		int rc;

		pmu_error_clear();
		rc = parse(row[i].text, &dump);
		if (rc == -ENOTSUP) {
			skip("damage", "%s", pmu_error_text());
			continue;
		}
		is_int(rc, row[i].rc, row[i].rc ? "refused" : "taken");
		if (row[i].rc) {
			has(pmu_error_text(), row[i].part, "with the place");
			ok(!dump.cpu && !dump.n_cpus, "nothing is left behind");
		}
		pmu_cpuid_dump_free(&dump);
	}
}

static void has_limits(void)
{
	struct pmu_strbuf text = { 0 };
	struct pmu_cpuid_dump dump;

	for (unsigned int i = 0; i <= PMU_CPUID_MAX_ENTRIES; i++)
		pmu_strbuf_addf(&text, "CPUID %08X: 1-2-3-4\n", i);
	is_int(pmu_cpuid_parse(text.text, text.len, &dump), -E2BIG, "too many leaves");
	pmu_strbuf_free(&text);
	for (unsigned int i = 0; i <= PMU_CPUID_MAX_CPUS; i++)
		pmu_strbuf_addf(&text, "------[ Logical CPU #%u ]------\nCPUID 00000000: 1-2-3-4\n",
				i);
	is_int(pmu_cpuid_parse(text.text, text.len, &dump), -E2BIG, "too many processors");
	pmu_strbuf_free(&text);
	is_int(pmu_cpuid_parse("", (size_t)PMU_CPUID_MAX_BYTES + 1, &dump), -E2BIG,
	       "too many bytes");
}

static void names_the_file(void)
{
	struct pmu_cpuid_dump dump;

	is_int(pmu_cpuid_load("/nowhere/dump.txt", &dump), -ENOENT, "a file that is not there");
	has(pmu_error_text(), "/nowhere/dump.txt", "is named");
	is_int(pmu_cpuid_load("/", &dump), -EISDIR, "a folder");
	is_int(pmu_cpuid_load("/dev/null", &dump), -EINVAL, "an empty file");
	has(pmu_error_text(), "/dev/null", "is named");
	/* endless */
	is_int(pmu_cpuid_load("/dev/zero", &dump), -E2BIG, "a file without end");
}

static void reads_this_processor(void)
{
	struct pmu_cpu_id live, by;
	struct pmu_cpuid cpuid;
	int rc = pmu_cpuid_live(&cpuid);

	if (rc == -ENODEV) {
		skip("this processor", "it has no CPUID");
		return;
	}
	is_int(rc, 0, "this processor is read");
	for (size_t i = 1; i < cpuid.n; i++) {
		const struct pmu_cpuid_entry *s = &cpuid.entry[i - 1], *t = &cpuid.entry[i];

		if (s->leaf > t->leaf || (s->leaf == t->leaf && s->subleaf >= t->subleaf))
			ok(false, "leaves in order");
	}
	is_int(pmu_cpu_identify(&live), 0, "it says who it is");
	is_int(pmu_cpu_identify_by(&cpuid, &by), 0, "so do its leaves");
	ok(!memcmp(&live, &by, sizeof(live)), "the same");
	pmu_cpuid_free(&cpuid);
}

/* In a virtual machine each instruction takes microseconds of every program's start. */
static void asks_little(void)
{
	struct pmu_cpu_id id;
	unsigned int before;

	if (pmu_cpu_identify(&id) || !pmu_cpuid_executed()) {
		skip("CPUID instructions", "it has no CPUID");
		return;
	}
	before = pmu_cpuid_executed();
	ok(before <= 9, "who the processor is takes %u CPUID instructions", before);
	pmu_cpu_identify(&id);
	pmu_cpu_tsc_invariant();
	is_u64(pmu_cpuid_executed(), before, "and is asked once");
}

/* The leaves of the identity are those of the whole. */
static void reads_the_same(void)
{
	struct pmu_cpuid_entry all[PMU_CPUID_LIVE], some[PMU_CPUID_LIVE];
	struct pmu_cpuid a = { .n = pmu_cpuid_read(all, false), .entry = all };
	struct pmu_cpuid b = { .n = pmu_cpuid_read(some, true), .entry = some };
	struct pmu_cpu_id by_all, by_some;

	if (!a.n) {
		skip("this processor's leaves", "it has no CPUID");
		return;
	}
	ok(b.n < a.n, "%zu leaves of %zu", b.n, a.n);
	is_int(pmu_cpu_identify_by(&a, &by_all), 0, "all say who it is");
	is_int(pmu_cpu_identify_by(&b, &by_some), 0, "so do some");
	ok(!memcmp(&by_all, &by_some, sizeof(by_all)), "the same");
}

/* A start asks which processor it is, and at most once what its PMU can do. */
static void starts_with_little(void)
{
	setenv("PMU_OUTPUT", "/dev/null", 1);
	setenv("PMU_EVENTS", "instructions,cycles", 1);
	is_int(pmu_init(NULL), 0, "a session starts");
	is_int(pmu_fini(), 0, "and ends");
	ok(pmu_cpuid_executed() <= 9 + PMU_CPUID_LIVE, "after %u CPUID instructions",
	   pmu_cpuid_executed());
}

UNIT_PART(cpuid)
{
	asks_little();
	starts_with_little();
	reads_the_same();
	reads_every_dump();
	knows_arrays();
	knows_lines();
	knows_the_maximum();
	refuses_damage();
	has_limits();
	names_the_file();
	reads_this_processor();
	return done_testing();
}
