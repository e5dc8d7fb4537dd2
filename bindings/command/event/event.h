/* SPDX-License-Identifier: BSD-3-Clause */
/* What `pmu event` shows, and its two ways of showing it. */
#ifndef PMU_COMMAND_EVENT_H
#define PMU_COMMAND_EVENT_H

#include "base/strbuf.h"
#include "counters/msr/request.h"
#include "machine/machine.h"
#include "names/vendor/vendor.h"
#include "plan/event.h"
#include "plan/select.h"

/** One event on one CPU. */
struct pmu_event_view {
	struct pmu_event event;
	bool has_select; /* an event select can be written for it: */
	uint64_t select; /* with EN, and USR and OS as its level says */
	enum pmu_select_layout layout;
	uint32_t general; /* core: counters that may count it, by bit; 0: by any, or none */
	bool any;         /* by any */
	int fixed;        /* -1: none */
	char why[256];    /* no register counts it: why */
	/* what Intel says of it beside; a NULL name: nothing */
	struct pmu_vendor_event said;
};

/** pmu_event_view_text() - for people. */
void pmu_event_view_text(const struct pmu_event_view *view, const struct pmu_machine *machine,
			 struct pmu_strbuf *out);

/** pmu_event_view_json() - for programs. */
void pmu_event_view_json(const struct pmu_event_view *view, size_t n,
			 const struct pmu_machine *machine, struct pmu_strbuf *out);

#endif
