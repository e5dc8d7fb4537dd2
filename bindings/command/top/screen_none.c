/* SPDX-License-Identifier: BSD-3-Clause */
/* In place of the view, where there is no ncurses. */
#include "bindings/command/top/screen.h"

const char *pmu_top_screen_why_not(void)
{
	return "pmu was built without ncurses (on Debian libncurses-dev)";
}

int pmu_top_screen_run(const struct pmu_top_screen *screen)
{
	(void)screen;
	return -1;
}
