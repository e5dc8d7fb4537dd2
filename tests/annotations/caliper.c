/* SPDX-License-Identifier: BSD-3-Clause */
/* A program annotated for Caliper: by name, by attribute, in loops and threads; in C++ its classes. */
#include <caliper/cali.h>
#include <pthread.h>
#include <stdio.h>

#ifdef __cplusplus
static void scoped(void)
{
	CALI_CXX_MARK_FUNCTION;
	{
		CALI_CXX_MARK_SCOPE("scope");
	}
	CALI_CXX_MARK_LOOP_BEGIN(id, "cxx loop");
	for (int i = 0; i < 3; i++) {
		CALI_CXX_MARK_LOOP_ITERATION(id, i);
		CALI_CXX_MARK_SCOPE("in loop");
	}
	CALI_CXX_MARK_LOOP_END(id);
	cali::Annotation phase("stage"), count("count"), flag("flag");

	phase.begin("init");
	count.begin(1);
	count.begin(2.5);
	flag.begin();
	flag.end();
	count.end();
	count.end();
	phase.end();
	{
		cali::Annotation copy(phase);
		cali::Annotation::Guard guard(copy.begin("guarded"));
	}
}

/* All that Caliper's other functions come to, called by the program itself, and in turns with those. */
static void direct(void)
{
	cali::Caliper c;
	cali::Attribute method = c.create_attribute("method", CALI_TYPE_STRING, CALI_ATTR_NESTED),
			switched = c.create_attribute("switched", CALI_TYPE_BOOL,
						      CALI_ATTR_DEFAULT),
			step = c.create_attribute("step", CALI_TYPE_INT, CALI_ATTR_DEFAULT);

	c.begin(method, cali::Variant("direct"));
	c.begin(switched, cali::Variant(true));
	c.begin(step, cali::Variant(7));
	c.end(step);
	c.end(switched);
	c.begin(method, cali::Variant(""));
	c.end(method);
	cali_begin_string_byname("method", "by both");
	c.end(method);
	c.end_with_value_check(method, cali::Variant("direct"));
	c.end(method);
}
#endif

static void function(void)
{
	CALI_MARK_FUNCTION_BEGIN;
	CALI_MARK_BEGIN("inner");
	CALI_MARK_END("inner");
	CALI_MARK_FUNCTION_END;
}

static void *work(void *data)
{
	CALI_MARK_LOOP_BEGIN(id, "loop");
	for (int i = 0; i < 5; i++) {
		CALI_MARK_ITERATION_BEGIN(id, i);
		function();
		CALI_MARK_ITERATION_END(id);
	}
	CALI_MARK_LOOP_END(id);
	return data;
}

static void attributes(void)
{
	cali_id_t solver = cali_create_attribute("solver", CALI_TYPE_STRING, CALI_ATTR_NESTED),
		  other = cali_create_attribute("other", CALI_TYPE_DOUBLE, CALI_ATTR_DEFAULT);
	char text[16] = "multigrid";

	cali_begin_string(solver, text);
	snprintf(text, sizeof(text), "changed");
	cali_begin(other);
	cali_begin_double(other, 1.5);
	cali_end(other);
	cali_end(other);
	cali_end(solver);
	cali_begin_byname("by name");
	cali_begin_string_byname("solver", text);
	cali_begin_int_byname("n", 7);
	cali_end_byname("n");
	cali_end_byname("by name"); /* overlaps: attributes are each for itself */
	cali_end_byname("solver");
	cali_end_byname("never begun");
	cali_set_int_byname("n", 8);
	cali_begin_string(cali_region_attr_id, "by its number");
	cali_end_region("by its number");
}

int main(void)
{
	pthread_t thread[2];

	cali_init();
	CALI_MARK_PHASE_BEGIN("phase");
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, work, NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	CALI_MARK_PHASE_END("phase");
	CALI_MARK_COMM_REGION_BEGIN("exchange");
	CALI_MARK_COMM_REGION_END("exchange");
	CALI_WRAP_STATEMENT("statement", attributes());
#ifdef __cplusplus
	for (int i = 0; i < 2; i++) {
		scoped();
		direct();
	}
#endif
	puts("done");
	return 0;
}
