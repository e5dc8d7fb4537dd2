/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with Score-P's user regions: by handle and by name, in threads, switched off; scopes in C++. */
#include <pthread.h>
#include <scorep/SCOREP_User.h>
#include <stdio.h>

static void *work(void *data)
{
	SCOREP_USER_REGION_DEFINE(handle)

	for (int i = 0; i < 10; i++) {
		SCOREP_USER_REGION_BEGIN(handle, "work", SCOREP_USER_REGION_TYPE_LOOP)
		SCOREP_USER_REGION_BY_NAME_BEGIN("inner", SCOREP_USER_REGION_TYPE_COMMON)
		SCOREP_USER_REGION_BY_NAME_END("inner")
		SCOREP_USER_REGION_END(handle)
	}
	return data;
}

static void function(void)
{
	SCOREP_USER_FUNC_DEFINE()
	SCOREP_USER_FUNC_BEGIN()
	SCOREP_USER_PARAMETER_INT64("n", 7)
	SCOREP_USER_FUNC_END()
}

static void switched(void)
{
	SCOREP_USER_REGION_DEFINE(handle)
	SCOREP_USER_REGION_INIT(handle, "entered", SCOREP_USER_REGION_TYPE_PHASE)
	SCOREP_USER_REGION_ENTER(handle)
	SCOREP_RECORDING_OFF()
	SCOREP_USER_REGION_END(handle)
	SCOREP_USER_REGION_BY_NAME_BEGIN("never", SCOREP_USER_REGION_TYPE_COMMON)
	SCOREP_USER_REGION_BY_NAME_END("never")
	SCOREP_RECORDING_ON()
	SCOREP_USER_REGION_ENTER(handle)
	SCOREP_USER_REGION_END(handle)
}

static void scoped(int depth)
{
#ifdef __cplusplus
	SCOREP_USER_REGION("scope", SCOREP_USER_REGION_TYPE_COMMON);

	if (depth)
		scoped(depth - 1);
#else
	(void)depth;
#endif
}

int main(void)
{
	pthread_t thread[2];

	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	function();
	switched();
	scoped(3);
	puts("done");
	return 0;
}
