/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * -DPLUGIN: a library with parallel regions; else a program without any, which loads such libraries
 * one by one. Other libraries stay: a runtime that goes away has threads left.
 */
#include <dlfcn.h>
#include <stdio.h>

int plugin(int n);

#ifdef PLUGIN
int plugin(int n)
{
	int sum = 0;

#pragma omp parallel for schedule(dynamic) reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += i;
#pragma omp parallel
#pragma omp single nowait
	for (int i = 0; i < 4; i++)
#pragma omp task
	{
#pragma omp atomic
		sum++;
	}
	return sum;
}
#else
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
		int (*run)(int n) = library ? (int (*)(int))dlsym(library, "plugin") : NULL;

		printf("%s: %d\n", argv[i], run ? run(100) : library ? 0 : -1);
		if (run)
			dlclose(library);
	}
	return 0;
}
#endif
