/* SPDX-License-Identifier: BSD-3-Clause */
/* A CPU's identity. */
#include "machine/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/once.h"
#include "base/retry.h"
#include "base/sysfile.h"
#include "machine/cpuid.h"

#if defined(__x86_64__) || defined(__i386__)
#define HAVE_CPUID 1
#else
#define HAVE_CPUID 0
#endif

void pmu_cpu_signature(uint32_t eax, struct pmu_cpu_id *id)
{
	id->stepping = eax & 0xf;
	id->model = eax >> 4 & 0xf;
	id->family = eax >> 8 & 0xf;
	if (id->family >= 0x6)
		id->model |= eax >> 12 & 0xf0;
	if (id->family == 0xf)
		id->family += eax >> 20 & 0xff;
}

void pmu_cpu_brand(const char *raw, size_t len, char *brand, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < len && raw[i] && n + 1 < size; i++) {
		if (raw[i] > ' ' && raw[i] <= '~')
			brand[n++] = raw[i];
		else if (raw[i] == ' ' && n && brand[n - 1] != ' ')
			brand[n++] = ' ';
	}
	if (n && brand[n - 1] == ' ')
		n--;
	if (size)
		brand[n] = '\0';
}

const char *pmu_cpu_hypervisor(const char signature[12])
{
	static const struct {
		char signature[13];
		const char *name;
	} table[] = {
		{ "KVMKVMKVM\0\0\0", "KVM" },       { "Linux KVM Hv", "KVM" },
		{ "VMwareVMware", "VMware" },       { "Microsoft Hv", "Hyper-V" },
		{ "XenVMMXenVMM", "Xen" },          { "TCGTCGTCGTCG", "QEMU" },
		{ "bhyve bhyve ", "bhyve" },        { "BHyVE BHyVE ", "bhyve" },
		{ "VBoxVBoxVBox", "VirtualBox" },   { " lrpepyh  vr", "Parallels" },
		{ "prl hyperv  ", "Parallels" },    { "ACRNACRNACRN", "ACRN" },
		{ "___ NVMM ___", "NVMM" },         { "OpenBSDVMM58", "OpenBSD VMM" },
		{ "Jailhouse\0\0\0", "Jailhouse" }, { "QNXQVMBSQG\0\0", "QNX" },
		{ "HAXMHAXMHAXM", "HAXM" },         { "VirtualApple", "Rosetta" },
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(table); i++)
		if (!memcmp(signature, table[i].signature, 12))
			return table[i].name;
	return NULL;
}

/* Implementers and parts: Arm ARM, MIDR_EL1, and the manuals of the cores. */

struct part {
	uint16_t implementer;
	uint16_t part;
	const char *name;
};

static const char *implementer_name(uint32_t code)
{
	static const struct {
		uint32_t code;
		const char *name;
	} table[] = {
		{ 0x41, "ARM" },       { 0x42, "Broadcom" },  { 0x43, "Cavium" },
		{ 0x46, "Fujitsu" },   { 0x48, "HiSilicon" }, { 0x49, "Infineon" },
		{ 0x4d, "Motorola" },  { 0x4e, "NVIDIA" },    { 0x50, "APM" },
		{ 0x51, "Qualcomm" },  { 0x53, "Samsung" },   { 0x56, "Marvell" },
		{ 0x61, "Apple" },     { 0x66, "Faraday" },   { 0x69, "Intel" },
		{ 0x6d, "Microsoft" }, { 0x70, "Phytium" },   { 0xc0, "Ampere" },
	};

	for (size_t i = 0; i < PMU_ARRAY_LEN(table); i++)
		if (table[i].code == code)
			return table[i].name;
	return "";
}

static const struct part parts[] = {
	{ 0x00, 0x051, "QEMU max" },        { 0x41, 0xd02, "Cortex-A34" },
	{ 0x41, 0xd03, "Cortex-A53" },      { 0x41, 0xd04, "Cortex-A35" },
	{ 0x41, 0xd05, "Cortex-A55" },      { 0x41, 0xd06, "Cortex-A65" },
	{ 0x41, 0xd07, "Cortex-A57" },      { 0x41, 0xd08, "Cortex-A72" },
	{ 0x41, 0xd09, "Cortex-A73" },      { 0x41, 0xd0a, "Cortex-A75" },
	{ 0x41, 0xd0b, "Cortex-A76" },      { 0x41, 0xd0c, "Neoverse-N1" },
	{ 0x41, 0xd0d, "Cortex-A77" },      { 0x41, 0xd0e, "Cortex-A76AE" },
	{ 0x41, 0xd40, "Neoverse-V1" },     { 0x41, 0xd41, "Cortex-A78" },
	{ 0x41, 0xd42, "Cortex-A78AE" },    { 0x41, 0xd43, "Cortex-A65AE" },
	{ 0x41, 0xd44, "Cortex-X1" },       { 0x41, 0xd46, "Cortex-A510" },
	{ 0x41, 0xd47, "Cortex-A710" },     { 0x41, 0xd48, "Cortex-X2" },
	{ 0x41, 0xd49, "Neoverse-N2" },     { 0x41, 0xd4a, "Neoverse-E1" },
	{ 0x41, 0xd4b, "Cortex-A78C" },     { 0x41, 0xd4c, "Cortex-X1C" },
	{ 0x41, 0xd4d, "Cortex-A715" },     { 0x41, 0xd4e, "Cortex-X3" },
	{ 0x41, 0xd4f, "Neoverse-V2" },     { 0x41, 0xd80, "Cortex-A520" },
	{ 0x41, 0xd81, "Cortex-A720" },     { 0x41, 0xd82, "Cortex-X4" },
	{ 0x41, 0xd83, "Neoverse-V3AE" },   { 0x41, 0xd84, "Neoverse-V3" },
	{ 0x41, 0xd85, "Cortex-X925" },     { 0x41, 0xd87, "Cortex-A725" },
	{ 0x41, 0xd8a, "C1-Nano" },         { 0x41, 0xd8b, "C1-Pro" },
	{ 0x41, 0xd8c, "C1-Ultra" },        { 0x41, 0xd8e, "Neoverse-N3" },
	{ 0x41, 0xd90, "C1-Premium" },      { 0x42, 0x516, "ThunderX2" },
	{ 0x43, 0x0a1, "ThunderX" },        { 0x43, 0x0af, "ThunderX2" },
	{ 0x46, 0x001, "A64FX" },           { 0x46, 0x003, "MONAKA" },
	{ 0x48, 0xd01, "Kunpeng-920" },     { 0x48, 0xd02, "HIP09" },
	{ 0x4e, 0x003, "Denver 2" },        { 0x4e, 0x004, "Carmel" },
	{ 0x4e, 0x010, "Olympus" },         { 0x50, 0x000, "X-Gene" },
	{ 0x51, 0x001, "Oryon" },           { 0x51, 0x802, "Kryo 3XX Gold" },
	{ 0x51, 0x803, "Kryo 3XX Silver" }, { 0x51, 0x804, "Kryo 4XX Gold" },
	{ 0x51, 0x805, "Kryo 4XX Silver" }, { 0x51, 0xc00, "Falkor" },
	{ 0x61, 0x022, "M1 Icestorm" },     { 0x61, 0x023, "M1 Firestorm" },
	{ 0x61, 0x024, "M1 Pro Icestorm" }, { 0x61, 0x025, "M1 Pro Firestorm" },
	{ 0x61, 0x028, "M1 Max Icestorm" }, { 0x61, 0x029, "M1 Max Firestorm" },
	{ 0x61, 0x032, "M2 Blizzard" },     { 0x61, 0x033, "M2 Avalanche" },
	{ 0x61, 0x034, "M2 Pro Blizzard" }, { 0x61, 0x035, "M2 Pro Avalanche" },
	{ 0x61, 0x038, "M2 Max Blizzard" }, { 0x61, 0x039, "M2 Max Avalanche" },
	{ 0x6d, 0xd49, "Cobalt 100" },      { 0x70, 0x662, "FTC662" },
	{ 0x70, 0x663, "FTC663" },          { 0xc0, 0xac3, "Ampere-1" },
	{ 0xc0, 0xac4, "Ampere-1A" },       { 0xc0, 0xac5, "Ampere-1B" },
};

void pmu_cpu_midr(uint64_t midr, struct pmu_cpu_id *id)
{
	memset(id, 0, sizeof(*id));
	id->family = midr >> 24 & 0xff;
	id->model = midr >> 4 & 0xfff;
	id->stepping = (uint32_t)((midr >> 16 & 0xf0) | (midr & 0xf));
	snprintf(id->vendor, sizeof(id->vendor), "%s", implementer_name(id->family));
	for (size_t i = 0; i < PMU_ARRAY_LEN(parts); i++)
		if (parts[i].implementer == id->family && parts[i].part == id->model)
			snprintf(id->brand, sizeof(id->brand), "%s", parts[i].name);
}

/* The number behind "name<tab>: " in the text's first paragraph that has one. */
static int cpuinfo_number(const char *text, const char *name, uint64_t *value)
{
	size_t len = strlen(name);
	const char *line = text;
	char *end;

	for (; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
		if (strncmp(line, name, len) != 0)
			continue;
		line += len;
		line += strspn(line, " \t");
		if (*line != ':')
			continue;
		line += 1 + strspn(line + 1, " \t");
		*value = strtoull(line, &end, 0);
		return end == line ? -ENOENT : 0;
	}
	return -ENOENT;
}

int pmu_cpu_midr_of_cpuinfo(const char *text, uint64_t *midr)
{
	uint64_t implementer, part, variant = 0, revision = 0;

	if (cpuinfo_number(text, "CPU implementer", &implementer) ||
	    cpuinfo_number(text, "CPU part", &part))
		return -ENOENT;
	cpuinfo_number(text, "CPU variant", &variant);
	cpuinfo_number(text, "CPU revision", &revision);
	/* 0xf at [19:16]: the architecture is told by the ID registers */
	*midr = (implementer & 0xff) << 24 | (variant & 0xf) << 20 | 0xf0000 | (part & 0xfff) << 4 |
		(revision & 0xf);
	return 0;
}

#define MOST_CPUS 8192

static bool is_among_models(const struct pmu_cpu_id *id, const struct pmu_cpu_id *kind,
			    unsigned int n)
{
	for (unsigned int i = 0; i < n; i++)
		if (kind[i].family == id->family && kind[i].model == id->model)
			return true;
	return false;
}

unsigned int pmu_cpu_kinds(const char *cpus, struct pmu_cpu_id *kind, unsigned int room)
{
	unsigned int n = 0;
	char path[320];
	uint64_t midr;

	for (int cpu = 0; cpu < MOST_CPUS && n < room; cpu++) {
		snprintf(path, sizeof(path), "%.240s/cpu%d", cpus, cpu);
		if (access(path, F_OK))
			break;
		snprintf(path, sizeof(path), "%.240s/cpu%d/regs/identification/midr_el1", cpus,
			 cpu);
		/* one that is offline does not tell */
		if (pmu_sysfile_u64(path, &midr))
			continue;
		pmu_cpu_midr(midr, &kind[n]);
		n += !is_among_models(&kind[n], kind, n);
	}
	return n;
}

int pmu_cpu_riscv_of_cpuinfo(const char *text, struct pmu_cpu_id *id)
{
	uint64_t vendor, march, mimp;

	memset(id, 0, sizeof(*id));
	if (cpuinfo_number(text, "mvendorid", &vendor) || cpuinfo_number(text, "marchid", &march) ||
	    cpuinfo_number(text, "mimpid", &mimp))
		return -ENOENT;
	*id = (struct pmu_cpu_id){
		.vendor = "RISC-V", .family = (uint32_t)vendor, .march = march, .mimp = mimp
	};
	return 0;
}

enum pmu_cpu_arch pmu_cpu_arch(const struct pmu_cpu_id *id)
{
	if (strlen(id->vendor) == 12)
		return PMU_ARCH_X86;
	return strcmp(id->vendor, "RISC-V") != 0 ? PMU_ARCH_ARM : PMU_ARCH_RISCV;
}

/* The words that CPUID spells in three registers. */
static void spell(char to[12], uint32_t first, uint32_t second, uint32_t third)
{
	memcpy(to, &first, 4);
	memcpy(to + 4, &second, 4);
	memcpy(to + 8, &third, 4);
}

/* CPUID leaf 0. */
static void vendor_of(const struct pmu_cpuid *cpuid, char vendor[16])
{
	struct pmu_cpuid_regs regs;

	pmu_cpuid_get(cpuid, 0, 0, &regs);
	spell(vendor, regs.ebx, regs.edx, regs.ecx);
	vendor[12] = '\0';
	/* what a dump says may be anything */
	for (char *c = vendor; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
}

/* CPUID leaves 8000_0002H to 8000_0004H. */
static void brand_of(const struct pmu_cpuid *cpuid, char *brand, size_t size)
{
	struct pmu_cpuid_regs regs;
	char raw[48];

	for (uint32_t i = 0; i < 3; i++) {
		if (!pmu_cpuid_get(cpuid, 0x80000002 + i, 0, &regs))
			return;
		memcpy(raw + 16 * i, &regs, sizeof(regs));
	}
	pmu_cpu_brand(raw, sizeof(raw), brand, size);
}

static void hypervisor_of(const struct pmu_cpuid *cpuid, uint32_t leaf, char *name, size_t size)
{
	struct pmu_cpuid_regs regs;
	char signature[12];
	const char *known;

	if (!pmu_cpuid_get(cpuid, leaf, 0, &regs))
		return;
	spell(signature, regs.ebx, regs.ecx, regs.edx);
	known = pmu_cpu_hypervisor(signature);
	if (known)
		snprintf(name, size, "%s", known);
	else if (leaf == 0x40000000)
		pmu_cpu_brand(signature, sizeof(signature), name, size);
}

int pmu_cpu_identify_by(const struct pmu_cpuid *cpuid, struct pmu_cpu_id *id)
{
	struct pmu_cpuid_regs regs;

	memset(id, 0, sizeof(*id));
	if (!pmu_cpuid_get(cpuid, 1, 0, &regs) || !regs.eax)
		return -ENODEV;
	pmu_cpu_signature(regs.eax, id);
	vendor_of(cpuid, id->vendor);
	brand_of(cpuid, id->brand, sizeof(id->brand));
	id->hypervisor = regs.ecx >> 31 & 1;
	if (!id->hypervisor)
		return 0;
	hypervisor_of(cpuid, 0x40000000, id->hypervisor_name, sizeof(id->hypervisor_name));
	/* KVM and Xen that play Hyper-V for their guest give their own name one block
	 * further on */
	if (!strcmp(id->hypervisor_name, "Hyper-V"))
		hypervisor_of(cpuid, 0x40000100, id->hypervisor_name, sizeof(id->hypervisor_name));
	return 0;
}

#if HAVE_CPUID

/* What stays the same as long as the process runs. */
struct known {
	int rc;
	struct pmu_cpu_id id;
	bool tsc_invariant;
};

static void find_out(struct known *known)
{
	struct pmu_cpuid_entry entry[PMU_CPUID_LIVE];
	struct pmu_cpuid cpuid = { .n = pmu_cpuid_read(entry, true), .entry = entry };
	struct pmu_cpuid_regs regs;

	known->rc = pmu_cpu_identify_by(&cpuid, &known->id);
	pmu_cpuid_get(&cpuid, 0x80000007, 0, &regs);
	known->tsc_invariant = regs.edx >> 8 & 1;
}

static const struct known *ask_cpu(struct known *mine)
{
	static struct known known;
	static struct pmu_once once;

	if (pmu_once_is_kept(&once))
		return &known;
	find_out(mine);
	if (pmu_once_take(&once)) {
		known = *mine;
		pmu_once_keep(&once);
	}
	return mine;
}

int pmu_cpu_identify(struct pmu_cpu_id *id)
{
	struct known mine;
	const struct known *known = ask_cpu(&mine);

	*id = known->id;
	return known->rc;
}

bool pmu_cpu_tsc_invariant(void)
{
	struct known mine;

	return ask_cpu(&mine)->tsc_invariant;
}

#else

/* /proc/cpuinfo grows with the machine; its first processor comes in the first few lines.
 */
static int read_cpuinfo(char *text, size_t size)
{
	ssize_t len;
	int fd = PMU_RETRY(open("/proc/cpuinfo", O_RDONLY | O_CLOEXEC));

	if (fd < 0)
		return -errno;
	len = PMU_RETRY(read(fd, text, size - 1));
	close(fd);
	if (len < 0)
		return -EIO;
	text[len] = '\0';
	return 0;
}

#ifdef __riscv

int pmu_cpu_identify(struct pmu_cpu_id *id)
{
	char text[4096];

	memset(id, 0, sizeof(*id));
	return read_cpuinfo(text, sizeof(text)) || pmu_cpu_riscv_of_cpuinfo(text, id) ? -ENODEV : 0;
}

#else

static int read_midr_of_cpuinfo(uint64_t *midr)
{
	char text[4096];
	int rc = read_cpuinfo(text, sizeof(text));

	return rc ? rc : pmu_cpu_midr_of_cpuinfo(text, midr);
}

static int read_midr(uint64_t *midr)
{
	char path[96];
	int cpu = sched_getcpu();

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/regs/identification/midr_el1",
		 cpu < 0 ? 0 : cpu);
	return pmu_sysfile_u64(path, midr) ? read_midr_of_cpuinfo(midr) : 0;
}

/* There is no bit that says so; Xen tells, and firmware that names an emulator. */
static void read_hypervisor(struct pmu_cpu_id *id)
{
	static const char *const files[] = { "/sys/hypervisor/type",
					     "/sys/class/dmi/id/sys_vendor" };
	static const struct {
		const char *text, *name;
	} table[] = { { "xen", "Xen" },
		      { "QEMU", "QEMU" },
		      { "VMware, Inc.", "VMware" },
		      { "Parallels", "Parallels" } };
	char text[64];

	for (size_t i = 0; i < PMU_ARRAY_LEN(files) && !id->hypervisor; i++) {
		if (pmu_sysfile_read(files[i], text, sizeof(text)) <= 0)
			continue;
		for (size_t j = 0; j < PMU_ARRAY_LEN(table); j++) {
			if (strncmp(text, table[j].text, strlen(table[j].text)) != 0)
				continue;
			id->hypervisor = true;
			snprintf(id->hypervisor_name, sizeof(id->hypervisor_name), "%s",
				 table[j].name);
		}
	}
}

int pmu_cpu_identify(struct pmu_cpu_id *id)
{
	uint64_t midr;

	memset(id, 0, sizeof(*id));
	if (read_midr(&midr))
		return -ENODEV;
	pmu_cpu_midr(midr, id);
	read_hypervisor(id);
	return 0;
}

#endif

bool pmu_cpu_tsc_invariant(void)
{
	return false;
}

#endif
