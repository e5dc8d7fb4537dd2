/* SPDX-License-Identifier: BSD-3-Clause */
/* What the way into stand-ins and the C behind it must agree on. */
#ifndef PMU_REGION_ASIDE_H
#define PMU_REGION_ASIDE_H

/* Bytes of struct pmu_aside_call; where struct pmu_thread says that there is nothing to read. */
#define PMU_ASIDE_CALL      16
#define PMU_ASIDE_TIME_ONLY 112

#ifndef __ASSEMBLER__
#include "region/selfcost/selfcost.h"

/** In the frame of the way in, or of the way on to another library. */
struct pmu_aside_call {
	uintptr_t around; /* pmu_aside_state.at meanwhile */
	bool unknown;     /* the thread was, when it was called */
};

/* aside_*.S */
void pmu_aside_enter(void);
void pmu_aside_other(void);
extern const char pmu_aside_back[];

/* Called from there; @frame: where its frame pointer is. */
void pmu_aside_in(struct pmu_aside_call *call, uintptr_t frame);
void pmu_aside_out(const struct pmu_aside_call *call, uintptr_t frame);
void *pmu_aside_go(struct pmu_aside_call *call);
void pmu_aside_come(const struct pmu_aside_call *call);

int pmu_aside_begin(const char *name);
int pmu_aside_end(const char *name);
int pmu_aside_begin_once(const char *name);
void *pmu_aside_hand_on(void *next);

/* Stand-ins that do nothing, begin a region, end it, call pmu_probe_nothing() as another library's. */
int pmu_probe(const char *argument);
int pmu_probe_begin(const char *argument);
int pmu_probe_end(const char *argument);
int pmu_probe_other(const char *argument);
extern int (*const pmu_probe_nothing)(const char *argument);

/**
 * pmu_aside_note() - a region was begun or ended by a stand-in: it and those around it have seen nothing of that
 * @kind: which, and whether it was a call at all
 */
void pmu_aside_note(struct pmu_thread *self, enum pmu_pause_kind kind, struct pmu_node *node);

/** pmu_aside_works() - is a stand-in beginning or ending a region? */
static inline bool pmu_aside_works(const struct pmu_thread *self)
{
	return self->cost && self->cost->aside.works && !self->measuring;
}
#endif

#endif
