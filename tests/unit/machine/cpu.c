/* SPDX-License-Identifier: BSD-3-Clause */
/* Which CPU this is: signatures, names, MIDR. */
#include "machine/cpu.h"

#include <errno.h>

#include "unit/part.h"

static void reads_signatures(void)
{
	static const struct {
		uint32_t eax, family, model, stepping;
		const char *what;
	} row[] = {
		{ 0x000206a7, 0x06, 0x2a, 7, "Sandy Bridge" },
		{ 0x000206c2, 0x06, 0x2c, 2, "Westmere-EP" },
		{ 0x000106a5, 0x06, 0x1a, 5, "Nehalem" },
		{ 0x00000f4a, 0x0f, 0x04, 10, "Pentium 4" },
		{ 0x00a20f12, 0x19, 0x21, 2, "Zen 3" },
		{ 0x00b00f21, 0x1a, 0x02, 1, "Zen 5" },
		{ 0x00000543, 0x05, 0x04, 3, "Pentium MMX: no extended model" },
		{ 0x000c0662, 0x06, 0xc6, 2, "Arrow Lake" },
	};
	struct pmu_cpu_id id;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		memset(&id, 0xff, sizeof(id));
		pmu_cpu_signature(row[i].eax, &id);
		if (!ok(id.family == row[i].family && id.model == row[i].model &&
				id.stepping == row[i].stepping,
			"signature of %s", row[i].what))
			diag("got %x %x %x", id.family, id.model, id.stepping);
	}
}

static void tidies_brands(void)
{
	static const char padded[48] = "        Intel(R) Xeon(R) CPU   E5620  @ 2.40GHz ";
	static const char full[] = "012345678901234567890123456789012345678901234567";
	char brand[64], tiny[6];

	pmu_cpu_brand(padded, sizeof(padded), brand, sizeof(brand));
	is_str(brand, "Intel(R) Xeon(R) CPU E5620 @ 2.40GHz", "blanks go");
	pmu_cpu_brand("", 1, brand, sizeof(brand));
	is_str(brand, "", "an empty brand stays empty");
	pmu_cpu_brand("    ", 4, brand, sizeof(brand));
	is_str(brand, "", "blanks alone are empty");
	pmu_cpu_brand(full, 48, brand, sizeof(brand));
	is_str(brand, full, "48 bytes without a NUL");
	pmu_cpu_brand("A\tB\x80\x1b[1m", 9, brand, sizeof(brand));
	is_str(brand, "AB[1m", "only what can be printed");
	pmu_cpu_brand("ABCD EFG", 8, tiny, sizeof(tiny));
	is_str(tiny, "ABCD", "cut without a blank at the end");
}

static void knows_hypervisors(void)
{
	is_str(pmu_cpu_hypervisor("KVMKVMKVM\0\0\0"), "KVM", "KVM");
	is_str(pmu_cpu_hypervisor("VMwareVMware"), "VMware", "VMware");
	is_str(pmu_cpu_hypervisor("Microsoft Hv"), "Hyper-V", "Hyper-V");
	is_str(pmu_cpu_hypervisor("bhyve bhyve "), "bhyve", "bhyve");
	is_str(pmu_cpu_hypervisor("TCGTCGTCGTCG"), "QEMU", "QEMU without KVM");
	ok(!pmu_cpu_hypervisor("NobodyNobody"), "an unknown one has no name");
}

static void reads_midr(void)
{
	struct pmu_cpu_id id;

	pmu_cpu_midr(0x410fd083, &id);
	is_str(id.vendor, "ARM", "implementer 41H");
	is_str(id.brand, "Cortex-A72", "part D08H");
	is_u64(id.family, 0x41, "family is the implementer");
	is_u64(id.model, 0xd08, "model is the part");
	is_u64(id.stepping, 0x03, "r0p3");
	pmu_cpu_midr(0x413fd0c1, &id);
	is_str(id.brand, "Neoverse-N1", "part D0CH");
	is_u64(id.stepping, 0x31, "r3p1");
	pmu_cpu_midr(0xc00fac30, &id);
	is_str(id.vendor, "Ampere", "implementer C0H");
	pmu_cpu_midr(0x410fffff, &id);
	is_str(id.brand, "", "an unknown part has no name");
	pmu_cpu_midr(0, &id);
	is_str(id.vendor, "", "an unknown implementer has no name");
}

static void reads_cpuinfo(void)
{
	static const char text[] = "processor\t: 0\nBogoMIPS\t: 50.00\nFeatures\t: fp\n"
				   "CPU implementer\t: 0x41\nCPU architecture: 8\n"
				   "CPU variant\t: 0x3\nCPU part\t: 0xd0c\nCPU revision\t: 1\n\n"
				   "processor\t: 1\nCPU implementer\t: 0x42\nCPU part\t: 0x516\n";
	uint64_t midr = 0;

	is_int(pmu_cpu_midr_of_cpuinfo(text, &midr), 0, "an arm64 cpuinfo");
	is_u64(midr, 0x413fd0c1, "of its first processor");
	is_int(pmu_cpu_midr_of_cpuinfo("vendor_id\t: GenuineIntel\n", &midr), -ENOENT,
	       "another architecture's");
	is_int(pmu_cpu_midr_of_cpuinfo("CPU implementer\t: \nCPU part\t: x\n", &midr), -ENOENT,
	       "without numbers");
	is_int(pmu_cpu_midr_of_cpuinfo("", &midr), -ENOENT, "an empty one");
	is_int(pmu_cpu_midr_of_cpuinfo("CPU implementer\t: 0x41\nCPU part", &midr), -ENOENT,
	       "cut off");
}

static void reads_riscv_cpuinfo(void)
{
	static const char text[] = "processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\n"
				   "mvendorid\t: 0x489\nmarchid\t\t: 0x8000000000000007\n"
				   "mimpid\t\t: 0x4210427\n";
	struct pmu_cpu_id id;

	is_int(pmu_cpu_riscv_of_cpuinfo(text, &id), 0, "a riscv cpuinfo");
	ok(id.family == 0x489 && id.march == UINT64_C(0x8000000000000007) && id.mimp == 0x4210427,
	   "its three numbers");
	is_int(pmu_cpu_arch(&id), PMU_ARCH_RISCV, "and what kind they are of");
	is_int(pmu_cpu_riscv_of_cpuinfo("mvendorid\t: 0x489\n", &id), -ENOENT, "one of three");
	ok(!id.vendor[0] && !id.family, "is none");
	pmu_cpu_midr(0xc00fac30, &id);
	is_int(pmu_cpu_arch(&id), PMU_ARCH_ARM, "arm64");
	snprintf(id.vendor, sizeof(id.vendor), "AuthenticAMD");
	is_int(pmu_cpu_arch(&id), PMU_ARCH_X86, "x86");
}

static void identifies_this_one(void)
{
	struct pmu_cpu_id id;
	int rc;

	memset(&id, 0xff, sizeof(id));
	rc = pmu_cpu_identify(&id);
#if defined(__x86_64__)
	is_int(rc, 0, "x86 can always tell");
	is_int((long long)strlen(id.vendor), 12, "twelve letters of vendor");
	ok(id.family >= 6, "a 64-bit CPU is of family 6 or above");
	ok(id.hypervisor || !id.hypervisor_name[0], "no name without a hypervisor");
#else
	ok(rc == 0 || rc == -ENODEV, "found or not");
	ok(!rc || (!id.vendor[0] && !id.family), "empty where nothing is known");
	ok(!pmu_cpu_tsc_invariant(), "no time stamp counter");
#endif
	ok(memchr(id.vendor, 0, sizeof(id.vendor)) && memchr(id.brand, 0, sizeof(id.brand)),
	   "texts end");
}

UNIT_PART(cpu)
{
	reads_signatures();
	tidies_brands();
	knows_hypervisors();
	reads_midr();
	reads_cpuinfo();
	reads_riscv_cpuinfo();
	identifies_this_one();
	return done_testing();
}
