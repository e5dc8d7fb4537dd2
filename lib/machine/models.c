/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Processor models.
 *
 * Sources: families and models: Intel SDM vol. 4, table 2-1, and Linux, arch/x86/include/asm/intel-family.h; AMD's
 * revision guides and Linux, arch/x86/kernel/cpu/amd.c.  Energy: Linux, arch/x86/events/rapl.c; a domain that the
 * kernel only probes for is left out.  Counters outside the cores: Intel SDM vol. 4 and Linux,
 * arch/x86/events/intel/uncore.c; AMD PPRs.  Event tables: libpfm4 4.13.0.
 * arm64: the manuals' MIDR_EL1, and Linux, arch/arm64/include/asm/cputype.h.
 */
#include "machine/models.h"

#include <string.h>

#define INTEL	 "GenuineIntel"
#define AMD	 "AuthenticAMD"
#define HYGON	 "HygonGenuine"
#define CENTAUR	 "CentaurHauls"
#define SHANGHAI "  Shanghai  "
#define ARM	 "ARM"

/* model_first to stepping_last */
#define MODEL(model)	     model, model, 0, 15
#define MODELS(first, last)  first, last, 0, 15
#define STEPS(m, first, last) m, m, first, last
#define PART(part)	      part, part, 0, 0xff
#define ANY_PART	      0, 0xfff, 0, 0xff

/* pfm, pfm_e, pfm_uncore, uncore */
#define NO_EVENTS	      "", "", "", PMU_UNCORE_NONE
#define EVENTS(pfm)	      pfm, "", "", PMU_UNCORE_NONE
#define UNCORE(pfm, unc, box) pfm, "", unc, PMU_UNCORE_##box

#define BIT(domain) (1u << PMU_ENERGY_##domain)

/* rapl, rapl_domains, dram_fixed_unit */
#define NO_ENERGY	  PMU_RAPL_NONE, 0, false
#define CLIENT		  PMU_RAPL_INTEL_CLIENT, BIT(PACKAGE) | BIT(CORES) | BIT(GRAPHICS), false
#define CLIENT_DRAM	  PMU_RAPL_INTEL_CLIENT, BIT(PACKAGE) | BIT(CORES) | BIT(GRAPHICS) | BIT(DRAM), false
#define CLIENT_PACKAGE	  PMU_RAPL_INTEL_CLIENT, BIT(PACKAGE), false
#define SERVER_CORES	  PMU_RAPL_INTEL_SERVER, BIT(PACKAGE) | BIT(CORES) | BIT(DRAM), false
#define SERVER_FIXED_DRAM PMU_RAPL_INTEL_SERVER, BIT(PACKAGE) | BIT(DRAM), true
#define SERVER		  PMU_RAPL_INTEL_SERVER, BIT(PACKAGE) | BIT(DRAM), false
#define MICROJOULES	  PMU_RAPL_INTEL_SILVERMONT, BIT(PACKAGE) | BIT(CORES), false
#define AMD_ENERGY	  PMU_RAPL_AMD, BIT(PACKAGE) | BIT(CORES), false

/* full_width */
#define NARROW false
#define WIDE   true

/* The first row that fits counts: single models before the ranges that hold them. */
const struct pmu_cpu_model pmu_cpu_models[] = {
	/* --- Intel, before architectural monitoring --- */
	{INTEL, 0x05, MODEL(0x09), "Quark", "Clanton", 32, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x05, MODELS(0x00, 0x03), "P5", "P5, P54C", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x05, MODELS(0x04, 0x08), "P5", "P55C, Tillamook", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x01), "P6", "Pentium Pro", 350, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x03), "P6", "Klamath", 350, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x05), "P6", "Deschutes, Covington", 250, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x06), "P6", "Mendocino, Dixon", 250, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x07), "P6", "Katmai", 250, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x08), "P6", "Coppermine", 180, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x0a), "P6", "Cascades", 180, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x0b), "P6", "Tualatin", 130, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x09), "P6 (Pentium M)", "Banias", 130, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x0d), "P6 (Pentium M)", "Dothan", 90, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x15), "P6 (Pentium M)", "Tolapai", 90, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x0f, MODELS(0x00, 0x01), "NetBurst", "Willamette, Foster", 180, EVENTS("netburst"), NO_ENERGY, NARROW},
	{INTEL, 0x0f, MODEL(0x02), "NetBurst", "Northwood, Prestonia, Gallatin", 130, EVENTS("netburst"), NO_ENERGY,
	 NARROW},
	{INTEL, 0x0f, MODEL(0x03), "NetBurst", "Prescott, Nocona", 90, EVENTS("netburst_p"), NO_ENERGY, NARROW},
	{INTEL, 0x0f, MODEL(0x04), "NetBurst", "Prescott, Smithfield, Irwindale, Cranford, Paxville", 90,
	 EVENTS("netburst_p"), NO_ENERGY, NARROW},
	{INTEL, 0x0f, MODEL(0x06), "NetBurst", "Cedar Mill, Presler, Dempsey, Tulsa", 65, EVENTS("netburst_p"), NO_ENERGY,
	 NARROW},

	/* --- Intel Core; libpfm4 has Yonah's events on 32-bit machines only --- */
	{INTEL, 0x06, MODEL(0x0e), "P6 (Enhanced Pentium M)", "Yonah", 65, NO_EVENTS, NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x0f), "Core (Merom)", "Merom, Conroe, Allendale, Kentsfield, Woodcrest, Clovertown, Tigerton",
	 65, EVENTS("core"), NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x16), "Core (Merom)", "Merom-L, Conroe-L", 65, EVENTS("core"), NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x17), "Core (Penryn)", "Penryn, Wolfdale, Yorkfield, Harpertown", 45, EVENTS("core"),
	 NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x1d), "Core (Penryn)", "Dunnington", 45, EVENTS("core"), NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x1a), "Nehalem", "Bloomfield, Gainestown (Nehalem-EP)", 45, UNCORE("nhm", "nhm_unc", NEHALEM),
	 NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x1e), "Nehalem", "Clarksfield, Lynnfield, Jasper Forest", 45,
	 UNCORE("nhm", "nhm_unc", NEHALEM), NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x1f), "Nehalem", "Auburndale, Havendale", 45, UNCORE("nhm", "nhm_unc", NEHALEM), NO_ENERGY,
	 NARROW},
	/* the EX parts have another uncore, of boxes */
	{INTEL, 0x06, MODEL(0x2e), "Nehalem", "Beckton (Nehalem-EX)", 45, EVENTS("nhm_ex"), NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x25), "Westmere", "Arrandale, Clarkdale", 32, UNCORE("wsm", "wsm_unc", NEHALEM), NO_ENERGY,
	 NARROW},
	{INTEL, 0x06, MODEL(0x2c), "Westmere", "Gulftown, Westmere-EP", 32, UNCORE("wsm_dp", "wsm_unc", NEHALEM), NO_ENERGY,
	 NARROW},
	{INTEL, 0x06, MODEL(0x2f), "Westmere", "Westmere-EX", 32, EVENTS("wsm_dp"), NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x2a), "Sandy Bridge", "Sandy Bridge", 32, UNCORE("snb", "snb_unc_cbo0", SANDY_BRIDGE), CLIENT,
	 WIDE},
	{INTEL, 0x06, MODEL(0x2d), "Sandy Bridge", "Sandy Bridge-E, -EN, -EP", 32, EVENTS("snb_ep"), SERVER_CORES, WIDE},
	{INTEL, 0x06, MODEL(0x3a), "Ivy Bridge", "Ivy Bridge", 22, UNCORE("ivb", "ivb_unc_cbo0", SANDY_BRIDGE), CLIENT,
	 WIDE},
	{INTEL, 0x06, MODEL(0x3e), "Ivy Bridge", "Ivy Bridge-E, -EN, -EP, -EX", 22, EVENTS("ivb_ep"), SERVER_CORES, WIDE},
	{INTEL, 0x06, MODEL(0x3c), "Haswell", "Haswell", 22, UNCORE("hsw", "", SANDY_BRIDGE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x45), "Haswell", "Haswell-ULT", 22, UNCORE("hsw", "", SANDY_BRIDGE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x46), "Haswell", "Crystal Well", 22, UNCORE("hsw", "", SANDY_BRIDGE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x3f), "Haswell", "Haswell-E, -EP, -EX", 22, EVENTS("hsw_ep"), SERVER_FIXED_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x3d), "Broadwell", "Broadwell-U, -Y", 14, UNCORE("bdw", "", SANDY_BRIDGE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x47), "Broadwell", "Broadwell-H", 14, UNCORE("bdw", "", SANDY_BRIDGE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x4f), "Broadwell", "Broadwell-E, -EP, -EX", 14, EVENTS("bdw_ep"), SERVER_FIXED_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x56), "Broadwell", "Broadwell-DE", 14, EVENTS("bdw_ep"), SERVER_FIXED_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x4e), "Skylake", "Skylake-U, -Y", 14, UNCORE("skl", "", SKYLAKE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x5e), "Skylake", "Skylake-S, -H", 14, UNCORE("skl", "", SKYLAKE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, STEPS(0x55, 0, 4), "Skylake", "Skylake-SP, -X, -W, -D", 14, EVENTS("skx"), SERVER_FIXED_DRAM, WIDE},
	{INTEL, 0x06, STEPS(0x55, 5, 9), "Cascade Lake", "Cascade Lake-SP, -X, -W, -AP", 14, EVENTS("clx"),
	 SERVER_FIXED_DRAM, WIDE},
	{INTEL, 0x06, STEPS(0x55, 10, 15), "Cascade Lake", "Cooper Lake", 14, EVENTS("clx"), SERVER_FIXED_DRAM, WIDE},
	{INTEL, 0x06, STEPS(0x8e, 0, 9), "Kaby Lake", "Kaby Lake-U, -Y", 14, UNCORE("skl", "", SKYLAKE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, STEPS(0x8e, 10, 10), "Kaby Lake", "Kaby Lake-R, Coffee Lake-U", 14, UNCORE("skl", "", SKYLAKE),
	 CLIENT_DRAM, WIDE},
	{INTEL, 0x06, STEPS(0x8e, 11, 15), "Kaby Lake", "Whiskey Lake-U, Amber Lake-Y, Comet Lake-U", 14,
	 UNCORE("skl", "", SKYLAKE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, STEPS(0x9e, 0, 9), "Kaby Lake", "Kaby Lake-S, -H, -X", 14, UNCORE("skl", "", SKYLAKE), CLIENT_DRAM,
	 WIDE},
	{INTEL, 0x06, STEPS(0x9e, 10, 15), "Coffee Lake", "Coffee Lake-S, -H", 14, UNCORE("skl", "", SKYLAKE), CLIENT_DRAM,
	 WIDE},
	{INTEL, 0x06, MODEL(0xa5), "Comet Lake", "Comet Lake-S, -H", 14, UNCORE("skl", "", SKYLAKE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0xa6), "Comet Lake", "Comet Lake-U", 14, UNCORE("skl", "", SKYLAKE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x66), "Palm Cove", "Cannon Lake-U", 10, NO_EVENTS, CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x7d), "Sunny Cove", "Ice Lake", 10, UNCORE("icl", "", ICE_LAKE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x7e), "Sunny Cove", "Ice Lake-U, -Y", 10, UNCORE("icl", "", ICE_LAKE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x9d), "Sunny Cove", "Ice Lake-NNPI", 10, EVENTS("icl"), NO_ENERGY, WIDE},
	{INTEL, 0x06, MODEL(0x6a), "Sunny Cove", "Ice Lake-SP, -W", 10, EVENTS("icx"), SERVER_FIXED_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x6c), "Sunny Cove", "Ice Lake-D", 10, EVENTS("icx"), SERVER_FIXED_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x8c), "Willow Cove", "Tiger Lake-U", 10, UNCORE("icl", "", ICE_LAKE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x8d), "Willow Cove", "Tiger Lake-H", 10, UNCORE("icl", "", ICE_LAKE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0xa7), "Cypress Cove", "Rocket Lake", 14, UNCORE("icl", "", ICE_LAKE), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x8f), "Golden Cove", "Sapphire Rapids", 10, EVENTS("spr"), SERVER, WIDE},
	/* the same core as far as its events go: Linux knows no difference */
	{INTEL, 0x06, MODEL(0xcf), "Raptor Cove", "Emerald Rapids", 10, EVENTS("spr"), SERVER, WIDE},
	{INTEL, 0x06, MODEL(0xad), "Redwood Cove", "Granite Rapids", 0, NO_EVENTS, NO_ENERGY, WIDE},
	{INTEL, 0x06, MODEL(0xae), "Redwood Cove", "Granite Rapids-D", 0, NO_EVENTS, NO_ENERGY, WIDE},
	{INTEL, 0x13, MODEL(0x01), "Panther Cove", "Diamond Rapids", 0, NO_EVENTS, NO_ENERGY, WIDE},

	/* --- Intel, hybrids: none of them has events in libpfm4 4.13.0 --- */
	{INTEL, 0x06, MODEL(0x8a), "Sunny Cove and Tremont", "Lakefield", 10, NO_EVENTS, NO_ENERGY, WIDE},
	{INTEL, 0x06, MODEL(0x97), "Golden Cove and Gracemont", "Alder Lake-S, -HX", 10, NO_EVENTS, CLIENT, WIDE},
	{INTEL, 0x06, MODEL(0x9a), "Golden Cove and Gracemont", "Alder Lake-H, -P, -U", 10, NO_EVENTS, CLIENT, WIDE},
	{INTEL, 0x06, MODEL(0xb7), "Raptor Cove and Gracemont", "Raptor Lake-S, -HX", 10, NO_EVENTS, CLIENT, WIDE},
	{INTEL, 0x06, MODEL(0xba), "Raptor Cove and Gracemont", "Raptor Lake-H, -P, -U", 10, NO_EVENTS, CLIENT, WIDE},
	{INTEL, 0x06, MODEL(0xbf), "Golden Cove and Gracemont", "Raptor Lake-S", 10, NO_EVENTS, CLIENT, WIDE},
	{INTEL, 0x06, MODEL(0xd7), "Raptor Cove", "Bartlett Lake", 10, NO_EVENTS, NO_ENERGY, WIDE},
	{INTEL, 0x06, MODEL(0xaa), "Redwood Cove and Crestmont", "Meteor Lake-H, -U", 0, NO_EVENTS, CLIENT, WIDE},
	{INTEL, 0x06, MODEL(0xac), "Redwood Cove and Crestmont", "Meteor Lake", 0, NO_EVENTS, CLIENT, WIDE},
	{INTEL, 0x06, MODEL(0xb5), "Redwood Cove and Crestmont", "Arrow Lake-U", 0, NO_EVENTS, NO_ENERGY, WIDE},
	{INTEL, 0x06, MODEL(0xc5), "Lion Cove, Skymont and Crestmont", "Arrow Lake-H", 3, NO_EVENTS, CLIENT, WIDE},
	{INTEL, 0x06, MODEL(0xc6), "Lion Cove and Skymont", "Arrow Lake-S, -HX", 3, NO_EVENTS, CLIENT, WIDE},
	{INTEL, 0x06, MODEL(0xbd), "Lion Cove and Skymont", "Lunar Lake", 3, NO_EVENTS, CLIENT, WIDE},
	{INTEL, 0x06, MODEL(0xcc), "Cougar Cove and Darkmont", "Panther Lake", 0, NO_EVENTS, NO_ENERGY, WIDE},
	{INTEL, 0x06, MODEL(0xd5), "Cougar Cove and Darkmont", "Wildcat Lake", 0, NO_EVENTS, NO_ENERGY, WIDE},
	{INTEL, 0x06, MODEL(0xe5), "Cougar Cove and Darkmont", "Panther Lake", 0, NO_EVENTS, NO_ENERGY, WIDE},
	{INTEL, 0x12, MODEL(0x01), "Coyote Cove and Arctic Wolf", "Nova Lake", 0, NO_EVENTS, NO_ENERGY, WIDE},
	{INTEL, 0x12, MODEL(0x03), "Coyote Cove and Arctic Wolf", "Nova Lake", 0, NO_EVENTS, NO_ENERGY, WIDE},

	/* --- Intel Atom --- */
	{INTEL, 0x06, MODEL(0x1c), "Bonnell", "Silverthorne, Diamondville, Pineview", 45, EVENTS("atom"), NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x26), "Bonnell", "Lincroft, Tunnel Creek", 45, EVENTS("atom"), NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x27), "Saltwell", "Penwell", 32, EVENTS("atom"), NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x35), "Saltwell", "Cloverview", 32, EVENTS("atom"), NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x36), "Saltwell", "Cedarview, Centerton", 32, EVENTS("atom"), NO_ENERGY, NARROW},
	/* libpfm4 lists some models of Silvermont and Airmont only; their core is the same */
	{INTEL, 0x06, MODEL(0x37), "Silvermont", "Bay Trail", 22, EVENTS("slm"), MICROJOULES, WIDE},
	{INTEL, 0x06, MODEL(0x4a), "Silvermont", "Merrifield", 22, EVENTS("slm"), MICROJOULES, WIDE},
	{INTEL, 0x06, MODEL(0x4d), "Silvermont", "Avoton, Rangeley", 22, EVENTS("slm"), MICROJOULES, WIDE},
	{INTEL, 0x06, MODEL(0x5a), "Silvermont", "Moorefield", 22, EVENTS("slm"), MICROJOULES, WIDE},
	{INTEL, 0x06, MODEL(0x5d), "Silvermont", "SoFIA 3G", 28, EVENTS("slm"), NO_ENERGY, WIDE},
	{INTEL, 0x06, MODEL(0x4c), "Airmont", "Cherry Trail, Braswell", 14, EVENTS("slm"), MICROJOULES, WIDE},
	{INTEL, 0x06, MODEL(0x75), "Airmont", "Lightning Mountain, Spreadtrum", 14, EVENTS("slm"), NO_ENERGY, WIDE},
	{INTEL, 0x06, MODEL(0x5c), "Goldmont", "Apollo Lake, Broxton", 14, EVENTS("glm"), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x5f), "Goldmont", "Denverton", 14, EVENTS("glm"), CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x7a), "Goldmont Plus", "Gemini Lake", 14, NO_EVENTS, CLIENT_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x86), "Tremont", "Snow Ridge, Jacobsville", 10, EVENTS("tmt"), CLIENT_PACKAGE, WIDE},
	{INTEL, 0x06, MODEL(0x96), "Tremont", "Elkhart Lake", 10, EVENTS("tmt"), CLIENT_PACKAGE, WIDE},
	{INTEL, 0x06, MODEL(0x9c), "Tremont", "Jasper Lake", 10, EVENTS("tmt"), CLIENT_PACKAGE, WIDE},
	{INTEL, 0x06, MODEL(0xbe), "Gracemont", "Alder Lake-N, Twin Lake", 10, NO_EVENTS, CLIENT, WIDE},
	{INTEL, 0x06, MODEL(0xaf), "Crestmont", "Sierra Forest", 0, NO_EVENTS, NO_ENERGY, WIDE},
	{INTEL, 0x06, MODEL(0xb6), "Crestmont", "Grand Ridge", 0, NO_EVENTS, NO_ENERGY, WIDE},
	{INTEL, 0x06, MODEL(0xdd), "Darkmont", "Clearwater Forest", 0, NO_EVENTS, NO_ENERGY, WIDE},

	/* --- Intel Xeon Phi --- */
	{INTEL, 0x0b, MODEL(0x01), "Knights Corner", "Knights Corner", 22, EVENTS("knc"), NO_ENERGY, NARROW},
	{INTEL, 0x06, MODEL(0x57), "Knights Landing", "Knights Landing", 14, EVENTS("knl"), SERVER_FIXED_DRAM, WIDE},
	{INTEL, 0x06, MODEL(0x85), "Knights Mill", "Knights Mill", 14, EVENTS("knm"), SERVER_FIXED_DRAM, WIDE},

	/* --- AMD --- */
	{AMD, 0x05, MODELS(0x00, 0x03), "K5", "SSA/5, 5k86", 350, NO_EVENTS, NO_ENERGY, NARROW},
	{AMD, 0x05, MODELS(0x06, 0x07), "K6", "K6, Little Foot", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{AMD, 0x05, MODELS(0x08, 0x0d), "K6", "Chomper, Sharptooth", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{AMD, 0x06, MODELS(0x01, 0x02), "K7", "Argon, Pluto, Orion", 0, EVENTS("amd64_k7"), NO_ENERGY, NARROW},
	{AMD, 0x06, MODELS(0x03, 0x07), "K7", "Spitfire, Thunderbird, Palomino, Morgan", 180, EVENTS("amd64_k7"), NO_ENERGY,
	 NARROW},
	{AMD, 0x06, MODELS(0x08, 0x0a), "K7", "Thoroughbred, Barton", 130, EVENTS("amd64_k7"), NO_ENERGY, NARROW},
	{AMD, 0x0f, STEPS(0x05, 0, 1), "K8", "SledgeHammer (rev. B)", 130, EVENTS("amd64_k8_revb"), NO_ENERGY, NARROW},
	{AMD, 0x0f, STEPS(0x04, 0, 0), "K8", "ClawHammer (rev. B)", 130, EVENTS("amd64_k8_revb"), NO_ENERGY, NARROW},
	{AMD, 0x0f, MODELS(0x00, 0x0f), "K8", "SledgeHammer, ClawHammer, Newcastle (rev. C)", 130, EVENTS("amd64_k8_revc"),
	 NO_ENERGY, NARROW},
	{AMD, 0x0f, MODELS(0x10, 0x1f), "K8", "Winchester, Oakville, Sonora (rev. D)", 90, EVENTS("amd64_k8_revd"),
	 NO_ENERGY, NARROW},
	{AMD, 0x0f, MODELS(0x20, 0x3f), "K8", "Venice, San Diego, Manchester, Toledo, Egypt, Italy (rev. E)", 90,
	 EVENTS("amd64_k8_reve"), NO_ENERGY, NARROW},
	{AMD, 0x0f, MODELS(0x40, 0x5f), "K8", "Orleans, Windsor, Keene, Santa Rosa (rev. F)", 90, EVENTS("amd64_k8_revf"),
	 NO_ENERGY, NARROW},
	{AMD, 0x0f, MODELS(0xc0, 0xcf), "K8", "Windsor (rev. F)", 90, EVENTS("amd64_k8_revf"), NO_ENERGY, NARROW},
	{AMD, 0x0f, MODELS(0x60, 0x8f), "K8", "Brisbane, Lima, Sparta, Sherman (rev. G)", 65, EVENTS("amd64_k8_revg"),
	 NO_ENERGY, NARROW},
	{AMD, 0x10, MODELS(0x00, 0x03), "K10", "Barcelona, Agena, Toliman, Kuma", 65, EVENTS("amd64_fam10h_barcelona"),
	 NO_ENERGY, NARROW},
	{AMD, 0x10, MODEL(0x04), "K10", "Shanghai, Deneb, Heka, Callisto", 45, EVENTS("amd64_fam10h_shanghai"), NO_ENERGY,
	 NARROW},
	{AMD, 0x10, MODEL(0x05), "K10", "Propus, Rana", 45, EVENTS("amd64_fam10h_shanghai"), NO_ENERGY, NARROW},
	{AMD, 0x10, MODEL(0x06), "K10", "Regor, Sargas, Champlain", 45, EVENTS("amd64_fam10h_shanghai"), NO_ENERGY, NARROW},
	{AMD, 0x10, MODEL(0x08), "K10", "Istanbul, Lisbon", 45, EVENTS("amd64_fam10h_istanbul"), NO_ENERGY, NARROW},
	{AMD, 0x10, MODEL(0x09), "K10", "Magny-Cours", 45, EVENTS("amd64_fam10h_istanbul"), NO_ENERGY, NARROW},
	{AMD, 0x10, MODEL(0x0a), "K10", "Thuban, Zosma", 45, EVENTS("amd64_fam10h_istanbul"), NO_ENERGY, NARROW},
	{AMD, 0x11, MODELS(0x00, 0xff), "K8", "Griffin", 65, EVENTS("amd64_fam11h_turion"), NO_ENERGY, NARROW},
	{AMD, 0x12, MODELS(0x00, 0xff), "K10", "Llano", 32, EVENTS("amd64_fam12h_llano"), NO_ENERGY, NARROW},
	{AMD, 0x14, MODELS(0x00, 0xff), "Bobcat", "Zacate, Ontario, Desna", 40, EVENTS("amd64_fam14h_bobcat"), NO_ENERGY,
	 NARROW},
	{AMD, 0x15, MODELS(0x00, 0x01), "Bulldozer", "Zambezi, Interlagos, Valencia, Zurich", 32,
	 EVENTS("amd64_fam15h_interlagos"), NO_ENERGY, NARROW},
	{AMD, 0x15, MODEL(0x02), "Piledriver", "Vishera, Abu Dhabi, Seoul, Delhi", 32, EVENTS("amd64_fam15h_interlagos"),
	 NO_ENERGY, NARROW},
	{AMD, 0x15, MODELS(0x10, 0x1f), "Piledriver", "Trinity, Richland", 32, EVENTS("amd64_fam15h_interlagos"), NO_ENERGY,
	 NARROW},
	{AMD, 0x15, MODELS(0x30, 0x3f), "Steamroller", "Kaveri, Godavari", 28, EVENTS("amd64_fam15h_interlagos"), NO_ENERGY,
	 NARROW},
	{AMD, 0x15, MODELS(0x60, 0x6f), "Excavator", "Carrizo, Bristol Ridge", 28, EVENTS("amd64_fam15h_interlagos"),
	 NO_ENERGY, NARROW},
	{AMD, 0x15, MODELS(0x70, 0x7f), "Excavator", "Stoney Ridge", 28, EVENTS("amd64_fam15h_interlagos"), NO_ENERGY,
	 NARROW},
	{AMD, 0x16, MODELS(0x00, 0x0f), "Jaguar", "Kabini, Temash, Kyoto", 28, EVENTS("amd64_fam16h"), NO_ENERGY, NARROW},
	{AMD, 0x16, MODELS(0x30, 0x3f), "Puma", "Beema, Mullins, Steppe Eagle", 28, EVENTS("amd64_fam16h"), NO_ENERGY,
	 NARROW},
	{AMD, 0x17, MODELS(0x00, 0x07), "Zen", "Naples, Whitehaven, Summit Ridge", 14,
	 UNCORE("amd64_fam17h_zen1", "", AMD_L3), AMD_ENERGY, NARROW},
	{AMD, 0x17, MODELS(0x08, 0x0f), "Zen+", "Pinnacle Ridge, Colfax", 12, UNCORE("amd64_fam17h_zen1", "", AMD_L3),
	 AMD_ENERGY, NARROW},
	{AMD, 0x17, MODELS(0x10, 0x17), "Zen", "Raven Ridge, Great Horned Owl", 14,
	 UNCORE("amd64_fam17h_zen1", "", AMD_L3), AMD_ENERGY, NARROW},
	{AMD, 0x17, MODELS(0x18, 0x1f), "Zen+", "Picasso", 12, UNCORE("amd64_fam17h_zen1", "", AMD_L3), AMD_ENERGY, NARROW},
	{AMD, 0x17, MODELS(0x20, 0x2f), "Zen", "Dali, Pollock", 14, UNCORE("amd64_fam17h_zen1", "", AMD_L3), AMD_ENERGY,
	 NARROW},
	{AMD, 0x17, MODELS(0x30, 0x3f), "Zen 2", "Rome, Castle Peak", 7, UNCORE("amd64_fam17h_zen2", "", AMD_L3), AMD_ENERGY,
	 NARROW},
	{AMD, 0x17, MODELS(0x40, 0x5f), "Zen 2", "4800S Desktop Kit", 7, UNCORE("amd64_fam17h_zen2", "", AMD_L3), AMD_ENERGY,
	 NARROW},
	{AMD, 0x17, MODELS(0x60, 0x67), "Zen 2", "Renoir, Grey Hawk", 7, UNCORE("amd64_fam17h_zen2", "", AMD_L3), AMD_ENERGY,
	 NARROW},
	{AMD, 0x17, MODELS(0x68, 0x6f), "Zen 2", "Lucienne", 7, UNCORE("amd64_fam17h_zen2", "", AMD_L3), AMD_ENERGY, NARROW},
	{AMD, 0x17, MODELS(0x70, 0x7f), "Zen 2", "Matisse", 7, UNCORE("amd64_fam17h_zen2", "", AMD_L3), AMD_ENERGY, NARROW},
	{AMD, 0x17, MODELS(0x80, 0x8f), "Zen 2", "4700S Desktop Kit", 7, UNCORE("amd64_fam17h_zen2", "", AMD_L3), AMD_ENERGY,
	 NARROW},
	{AMD, 0x17, MODELS(0x90, 0x9f), "Zen 2", "Van Gogh", 7, UNCORE("amd64_fam17h_zen2", "", AMD_L3), AMD_ENERGY, NARROW},
	{AMD, 0x17, MODELS(0xa0, 0xaf), "Zen 2", "Mendocino", 6, UNCORE("amd64_fam17h_zen2", "", AMD_L3), AMD_ENERGY,
	 NARROW},
	{AMD, 0x19, MODELS(0x00, 0x0f), "Zen 3", "Milan, Chagall", 7,
	 UNCORE("amd64_fam19h_zen3", "amd64_fam19h_zen3_l3", AMD_L3_19H), AMD_ENERGY, NARROW},
	{AMD, 0x19, MODELS(0x20, 0x2f), "Zen 3", "Vermeer", 7,
	 UNCORE("amd64_fam19h_zen3", "amd64_fam19h_zen3_l3", AMD_L3_19H), AMD_ENERGY, NARROW},
	{AMD, 0x19, MODELS(0x30, 0x3f), "Zen 3", "", 0, UNCORE("amd64_fam19h_zen3", "amd64_fam19h_zen3_l3", AMD_L3_19H),
	 AMD_ENERGY, NARROW},
	{AMD, 0x19, MODELS(0x40, 0x4f), "Zen 3+", "Rembrandt", 6,
	 UNCORE("amd64_fam19h_zen3", "amd64_fam19h_zen3_l3", AMD_L3_19H), AMD_ENERGY, NARROW},
	{AMD, 0x19, MODELS(0x50, 0x5f), "Zen 3", "Cezanne, Barcelo", 7,
	 UNCORE("amd64_fam19h_zen3", "amd64_fam19h_zen3_l3", AMD_L3_19H), AMD_ENERGY, NARROW},
	/* libpfm4 4.13.0 finds Zen 4 on model 11H alone; the others have the same events */
	{AMD, 0x19, MODELS(0x10, 0x17), "Zen 4", "Genoa", 5, UNCORE("amd64_fam19h_zen4", "", AMD_L3_19H), AMD_ENERGY,
	 NARROW},
	{AMD, 0x19, MODELS(0x18, 0x1f), "Zen 4", "Storm Peak", 5, UNCORE("amd64_fam19h_zen4", "", AMD_L3_19H), AMD_ENERGY,
	 NARROW},
	{AMD, 0x19, MODELS(0x60, 0x6f), "Zen 4", "Raphael, Dragon Range", 5, UNCORE("amd64_fam19h_zen4", "", AMD_L3_19H),
	 AMD_ENERGY, NARROW},
	{AMD, 0x19, MODEL(0x75), "Zen 4", "Phoenix, Hawk Point", 4, UNCORE("amd64_fam19h_zen4", "", AMD_L3_19H), AMD_ENERGY,
	 NARROW},
	{AMD, 0x19, MODELS(0x70, 0x77), "Zen 4", "Phoenix", 4, UNCORE("amd64_fam19h_zen4", "", AMD_L3_19H), AMD_ENERGY,
	 NARROW},
	{AMD, 0x19, MODELS(0x78, 0x7f), "Zen 4", "Phoenix 2", 4, UNCORE("amd64_fam19h_zen4", "", AMD_L3_19H), AMD_ENERGY,
	 NARROW},
	{AMD, 0x19, MODELS(0x90, 0x9f), "Zen 4", "Instinct MI300A", 5, UNCORE("amd64_fam19h_zen4", "", AMD_L3_19H),
	 AMD_ENERGY, NARROW},
	{AMD, 0x19, MODELS(0xa0, 0xaf), "Zen 4c", "Bergamo, Siena", 5, UNCORE("amd64_fam19h_zen4", "", AMD_L3_19H),
	 AMD_ENERGY, NARROW},
	{AMD, 0x1a, MODELS(0x00, 0x0f), "Zen 5", "Turin", 4, UNCORE("", "", AMD_L3_19H), AMD_ENERGY, NARROW},
	{AMD, 0x1a, MODELS(0x10, 0x1f), "Zen 5c", "Turin Dense", 3, UNCORE("", "", AMD_L3_19H), AMD_ENERGY, NARROW},
	{AMD, 0x1a, MODELS(0x20, 0x2f), "Zen 5", "Strix Point", 4, UNCORE("", "", AMD_L3_19H), AMD_ENERGY, NARROW},
	{AMD, 0x1a, MODELS(0x40, 0x4f), "Zen 5", "Granite Ridge, Fire Range", 4, UNCORE("", "", AMD_L3_19H), AMD_ENERGY,
	 NARROW},
	{AMD, 0x1a, MODELS(0x60, 0x6f), "Zen 5", "Krackan Point", 4, UNCORE("", "", AMD_L3_19H), AMD_ENERGY, NARROW},
	{AMD, 0x1a, MODELS(0x70, 0x7f), "Zen 5", "Strix Halo", 4, UNCORE("", "", AMD_L3_19H), AMD_ENERGY, NARROW},
	{AMD, 0x1a, MODELS(0x50, 0x5f), "Zen 6", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{AMD, 0x1a, MODELS(0x80, 0xaf), "Zen 6", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{AMD, 0x1a, MODELS(0xc0, 0xcf), "Zen 6", "", 0, NO_EVENTS, NO_ENERGY, NARROW},

	/* --- Hygon: Zen under licence --- */
	{HYGON, 0x18, MODELS(0x00, 0x03), "Zen", "Dhyana", 14, UNCORE("amd64_fam17h_zen1", "", AMD_L3), AMD_ENERGY, NARROW},

	/* --- VIA and Zhaoxin, under either vendor's name --- */
	{CENTAUR, 0x06, MODELS(0x06, 0x07), "VIA C3", "Samuel, Samuel 2, Ezra", 150, NO_EVENTS, NO_ENERGY, NARROW},
	{CENTAUR, 0x06, MODEL(0x08), "VIA C3", "Ezra-T", 130, NO_EVENTS, NO_ENERGY, NARROW},
	{CENTAUR, 0x06, MODEL(0x09), "VIA C3", "Nehemiah", 130, NO_EVENTS, NO_ENERGY, NARROW},
	{CENTAUR, 0x06, MODELS(0x0a, 0x0d), "VIA C7", "Esther", 90, NO_EVENTS, NO_ENERGY, NARROW},
	{CENTAUR, 0x06, STEPS(0x0f, 0, 13), "Isaiah", "VIA Nano", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{CENTAUR, 0x06, STEPS(0x0f, 14, 15), "ZhangJiang", "ZX-C", 28, NO_EVENTS, NO_ENERGY, NARROW},
	{CENTAUR, 0x06, MODEL(0x19), "ZhangJiang", "ZX-C+", 28, NO_EVENTS, NO_ENERGY, NARROW},
	{SHANGHAI, 0x06, MODEL(0x19), "ZhangJiang", "ZX-C+", 28, NO_EVENTS, NO_ENERGY, NARROW},
	{CENTAUR, 0x07, MODEL(0x1b), "WuDaoKou", "KX-5000", 28, NO_EVENTS, NO_ENERGY, NARROW},
	{SHANGHAI, 0x07, MODEL(0x1b), "WuDaoKou", "KX-5000", 28, NO_EVENTS, NO_ENERGY, NARROW},
	{CENTAUR, 0x07, MODEL(0x3b), "LuJiaZui", "KX-6000", 16, NO_EVENTS, NO_ENERGY, NARROW},
	{SHANGHAI, 0x07, MODEL(0x3b), "LuJiaZui", "KX-6000", 16, NO_EVENTS, NO_ENERGY, NARROW},
	{CENTAUR, 0x07, MODEL(0x5b), "Yongfeng", "KH-40000", 16, NO_EVENTS, NO_ENERGY, NARROW},
	{SHANGHAI, 0x07, MODEL(0x5b), "Yongfeng", "KH-40000", 16, NO_EVENTS, NO_ENERGY, NARROW},

	/* --- arm64; family: implementer, model: part number of MIDR_EL1 --- */
	{ARM, 0x41, PART(0xd03), "Cortex-A53", "", 0, EVENTS("arm_ac53"), NO_ENERGY, NARROW},
	{ARM, 0x41, PART(0xd07), "Cortex-A57", "", 0, EVENTS("arm_ac57"), NO_ENERGY, NARROW},
	/* libpfm4 4.13.0 does not have it; later ones give it the events of Cortex-A57 */
	{ARM, 0x41, PART(0xd08), "Cortex-A72", "", 0, EVENTS("arm_ac57"), NO_ENERGY, NARROW},
	{ARM, 0x41, PART(0xd0b), "Cortex-A76", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{ARM, 0x41, PART(0xd0c), "Neoverse N1", "Ares", 0, EVENTS("arm_n1"), NO_ENERGY, NARROW},
	{ARM, 0x41, PART(0xd40), "Neoverse V1", "Zeus", 0, EVENTS("arm_v1"), NO_ENERGY, NARROW},
	{ARM, 0x41, PART(0xd49), "Neoverse N2", "Perseus", 0, EVENTS("arm_n2"), NO_ENERGY, NARROW},
	{ARM, 0x41, PART(0xd4f), "Neoverse V2", "Demeter", 0, EVENTS("arm_v2"), NO_ENERGY, NARROW},
	{"Broadcom", 0x42, PART(0x516), "ThunderX2", "Vulcan", 0, EVENTS("arm_thunderx2"), NO_ENERGY, NARROW},
	{"Cavium", 0x43, PART(0x0af), "ThunderX2", "Vulcan", 0, EVENTS("arm_thunderx2"), NO_ENERGY, NARROW},
	{"Fujitsu", 0x46, PART(0x001), "A64FX", "", 7, EVENTS("arm_a64fx"), NO_ENERGY, NARROW},
	{"HiSilicon", 0x48, PART(0xd01), "TaiShan v110", "Kunpeng 920", 7, EVENTS("arm_kunpeng"), NO_ENERGY, NARROW},
	{"APM", 0x50, PART(0x000), "X-Gene", "", 0, EVENTS("arm_xgene"), NO_ENERGY, NARROW},
	{ARM, 0x41, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"Broadcom", 0x42, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"Cavium", 0x43, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"Fujitsu", 0x46, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"HiSilicon", 0x48, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"NVIDIA", 0x4e, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"APM", 0x50, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"Qualcomm", 0x51, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"Samsung", 0x53, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"Marvell", 0x56, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"Apple", 0x61, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"Microsoft", 0x6d, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"Phytium", 0x70, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{"Ampere", 0xc0, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	/* reserved for software: emulators */
	{"", 0x00, ANY_PART, "ARMv8", "", 0, NO_EVENTS, NO_ENERGY, NARROW},
	{.vendor = NULL},
};

const struct pmu_cpu_model *pmu_cpu_model_find(const struct pmu_cpu_id *id)
{
	const struct pmu_cpu_model *model;

	for (model = pmu_cpu_models; model->vendor; model++)
		if (id->family == model->family && id->model >= model->model_first && id->model <= model->model_last &&
		    id->stepping >= model->stepping_first && id->stepping <= model->stepping_last &&
		    !strcmp(id->vendor, model->vendor))
			return model;
	return NULL;
}
