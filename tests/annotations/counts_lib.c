/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of TAU, GPTL, Caliper and Score-P that do nothing. */
#include <stdint.h>

void Tau_start(const char *name), Tau_stop(const char *name);
int GPTLstart(const char *name), GPTLstop(const char *name);
void cali_begin_region(const char *name), cali_end_region(const char *name);
void SCOREP_User_RegionByNameBegin(const char *, uint32_t, const char *, uint32_t);
void SCOREP_User_RegionByNameEnd(const char *);

void Tau_start(const char *name)
{
	(void)name;
}

void Tau_stop(const char *name)
{
	(void)name;
}

int GPTLstart(const char *name)
{
	return !name;
}

int GPTLstop(const char *name)
{
	return !name;
}

void cali_begin_region(const char *name)
{
	(void)name;
}

void cali_end_region(const char *name)
{
	(void)name;
}

void SCOREP_User_RegionByNameBegin(const char *name, uint32_t type, const char *file, uint32_t line)
{
	(void)name;
	(void)type;
	(void)file;
	(void)line;
}

void SCOREP_User_RegionByNameEnd(const char *name)
{
	(void)name;
}
