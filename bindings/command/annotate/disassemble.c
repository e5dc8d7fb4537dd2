/* SPDX-License-Identifier: BSD-3-Clause */
/* Bytes of code as instructions, by capstone. */
#include "bindings/command/annotate/disassemble.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/error.h"
#include "bindings/command/annotate/capstone.h"

/* Where operands begin, as GNU's tools have it. */
#define MNEMONIC_WIDTH 7

static const struct {
	unsigned int machine;
	cs_arch arch;
	cs_mode mode;
} machines[] = {
	{ EM_X86_64, CS_ARCH_X86, CS_MODE_64 },
	{ EM_386, CS_ARCH_X86, CS_MODE_32 },
	{ EM_AARCH64, CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN },
};

/** What is made of one function. */
struct disassembly {
	const struct pmu_capstone_calls *cs;
	csh handle;
	struct pmu_model_block **blocks;
	struct pmu_instruction *of;
	size_t n, room;
};

static int open_machine(struct disassembly *d, unsigned int machine)
{
	for (size_t i = 0; i < PMU_ARRAY_LEN(machines); i++) {
		if (machines[i].machine != machine)
			continue;
		if (d->cs->cs_open(machines[i].arch, machines[i].mode, &d->handle) != CS_ERR_OK)
			return pmu_fail(ENOTSUP,
					"capstone does not know this kind of processor (ELF's %u)",
					machine);
		/* what is no instruction is a byte, and what is behind it is looked at again */
		d->cs->cs_option(d->handle, CS_OPT_SKIPDATA, CS_OPT_ON);
		if (machines[i].arch == CS_ARCH_X86)
			d->cs->cs_option(d->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
		return 0;
	}
	return pmu_fail(ENOTSUP, "instructions of this kind of processor (ELF's %u) are not known",
			machine);
}

static bool make_instruction_room(struct disassembly *d)
{
	size_t room = d->room ? 2 * d->room : 64;
	struct pmu_instruction *grown;

	if (d->n < d->room)
		return true;
	grown = reallocarray(d->of, room, sizeof(*grown));
	if (!grown)
		return false;
	d->of = grown;
	d->room = room;
	return true;
}

static bool take_instruction(struct disassembly *d, const cs_insn *from)
{
	char text[sizeof(from->mnemonic) + sizeof(from->op_str) + 16];
	int len = from->op_str[0] ? snprintf(text, sizeof(text), "%-*s %s", MNEMONIC_WIDTH,
					     from->mnemonic, from->op_str)
				  : snprintf(text, sizeof(text), "%s", from->mnemonic);
	const char *copy = len < 0 ? NULL : pmu_block_text(d->blocks, text, (size_t)len);

	if (!copy || !make_instruction_room(d))
		return false;
	d->of[d->n++] = (struct pmu_instruction){ from->address, from->size, copy };
	return true;
}

static int take_instructions(struct disassembly *d, const unsigned char *bytes, size_t n,
			     uint64_t address)
{
	cs_insn *insn = d->cs->cs_malloc(d->handle);
	int rc = insn ? 0 : -ENOMEM;

	while (!rc && d->cs->cs_disasm_iter(d->handle, &bytes, &n, &address, insn))
		rc = take_instruction(d, insn) ? 0 : -ENOMEM;
	if (insn)
		d->cs->cs_free(insn, 1);
	return rc;
}

int pmu_disassemble(unsigned int machine, const unsigned char *bytes, size_t n, uint64_t address,
		    struct pmu_model_block **blocks, struct pmu_instruction **list, size_t *n_list)
{
	struct disassembly d = { .cs = pmu_capstone_load(), .blocks = blocks };
	struct pmu_instruction *kept = NULL;
	int rc = d.cs ? open_machine(&d, machine) : -ENOTSUP;

	if (rc)
		return rc;
	rc = take_instructions(&d, bytes, n, address);
	if (!rc)
		kept = pmu_block_array(blocks, d.n, sizeof(*kept));
	if (kept && d.n)
		memcpy(kept, d.of, d.n * sizeof(*kept));
	d.cs->cs_close(&d.handle);
	free(d.of);
	*list = kept;
	*n_list = kept ? d.n : 0;
	return rc ? rc : kept ? 0 : -ENOMEM;
}
