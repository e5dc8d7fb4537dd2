/* SPDX-License-Identifier: BSD-3-Clause */
/* Where those who are sampled and who collects meet. */
#include "store/samples.h"

#include <stdio.h>

void pmu_samples_address(struct sockaddr_un *address, const char *folder, int folder_fd)
{
	const size_t room = sizeof(address->sun_path);

	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if ((size_t)snprintf(address->sun_path, room, "%s/" PMU_SAMPLES_SOCKET, folder) >= room)
		snprintf(address->sun_path, room, "/proc/self/fd/%d/" PMU_SAMPLES_SOCKET,
			 folder_fd);
}
