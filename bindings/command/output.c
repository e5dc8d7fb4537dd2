/* SPDX-License-Identifier: BSD-3-Clause */
/* What an output's name asks for. */
#include "bindings/command/output.h"

#include <stdio.h>
#include <unistd.h>

int pmu_output_path_of(const char *configured, const struct pmu_model *model, char *path,
		       size_t size)
{
	char rank[16] = "", host[256] = "";
	struct pmu_output_names names = { .pid = getpid(), .rank = rank, .host = host, .nth = 1 };

	if (model) {
		names.pid = (long)model->pid;
		names.nth = model->nth ? model->nth : 1;
		names.host = model->host;
		snprintf(rank, sizeof(rank), "%d", model->rank < 0 ? 0 : model->rank);
	} else {
		gethostname(host, sizeof(host) - 1);
	}
	return pmu_output_path(configured, &names, path, size);
}
