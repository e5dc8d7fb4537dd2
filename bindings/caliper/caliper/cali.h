/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * cali.h - programs with Caliper's annotations, measured by libpmu
 *
 * Stands in for the header of that name, and for cali-manager.h and cali-mpi.h beside it: the
 * macros of C and C++, the functions and classes that begin and end something, and of the rest what
 * programs commonly call beside them, which does nothing.  Build with
 * -I$(pkg-config --variable=caliperincludedir pmu) and link -lpmu instead of -lcaliper.  What is
 * counted is chosen by PMU_GROUP and PMU_EVENTS, the report by PMU_OUTPUT; variables of Caliper's
 * are not read.
 *
 * As in Caliper, regions nest and belong to the thread that begins them.  What differs:
 *   - numbers, as those of a loop's iterations, are not kept, nor is what is set;
 *   - a text of an attribute that is none of Caliper's own has the attribute's name before it:
 *     "solver:multigrid".
 */
#ifndef CALI_CALI_H
#define CALI_CALI_H

#include "pmu-caliper.h"

typedef uint64_t cali_id_t;
#define CALI_INV_ID UINT64_MAX

typedef enum {
	CALI_TYPE_INV = 0,
	CALI_TYPE_USR = 1,
	CALI_TYPE_INT = 2,
	CALI_TYPE_UINT = 3,
	CALI_TYPE_STRING = 4,
	CALI_TYPE_ADDR = 5,
	CALI_TYPE_DOUBLE = 6,
	CALI_TYPE_BOOL = 7,
	CALI_TYPE_TYPE = 8,
	CALI_TYPE_PTR = 9
} cali_attr_type;

enum {
	CALI_ATTR_DEFAULT = 0,
	CALI_ATTR_ASVALUE = 1,
	CALI_ATTR_NOMERGE = 2,
	CALI_ATTR_SCOPE_PROCESS = 12,
	CALI_ATTR_SCOPE_THREAD = 20,
	CALI_ATTR_SCOPE_TASK = 24,
	CALI_ATTR_SKIP_EVENTS = 64,
	CALI_ATTR_HIDDEN = 128,
	CALI_ATTR_NESTED = 256,
	CALI_ATTR_GLOBAL = 512
};

#define cali_region_attr_id     ((cali_id_t)PMU_CALIPER_REGION)
#define cali_function_attr_id   ((cali_id_t)PMU_CALIPER_FUNCTION)
#define cali_loop_attr_id       ((cali_id_t)PMU_CALIPER_LOOP)
#define cali_annotation_attr_id ((cali_id_t)PMU_CALIPER_ANNOTATION)
#define cali_phase_attr_id      ((cali_id_t)PMU_CALIPER_PHASE)

static inline void cali_init(void)
{
	(void)pmu_init(NULL);
}

static inline int cali_is_initialized(void)
{
	return 1;
}

static inline void cali_flush(int options)
{
	(void)options;
}

static inline void cali_config_set(const char *key, const char *value)
{
	(void)key;
	(void)value;
}

static inline void cali_config_preset(const char *key, const char *value)
{
	(void)key;
	(void)value;
}

/* --- attributes --- */

static inline cali_id_t cali_create_attribute(const char *name, cali_attr_type type, int properties)
{
	(void)type;
	(void)properties;
	return pmu_caliper_create(name);
}

static inline cali_id_t cali_find_attribute(const char *name)
{
	return pmu_caliper_find(name);
}

static inline const char *cali_attribute_name(cali_id_t id)
{
	return pmu_caliper_attribute_name(id);
}

static inline cali_id_t cali_make_loop_iteration_attribute(const char *loop)
{
	(void)loop;
	return pmu_caliper_create("iteration");
}

/* --- regions --- */

static inline void cali_begin_region(const char *name)
{
	pmu_caliper_begin(PMU_CALIPER_REGION, name);
}

static inline void cali_end_region(const char *name)
{
	(void)name;
	pmu_caliper_end(PMU_CALIPER_REGION);
}

static inline void cali_begin_phase(const char *name)
{
	pmu_caliper_begin(PMU_CALIPER_PHASE, name);
}

static inline void cali_end_phase(const char *name)
{
	(void)name;
	pmu_caliper_end(PMU_CALIPER_PHASE);
}

static inline void cali_begin_comm_region(const char *name)
{
	pmu_caliper_begin(PMU_CALIPER_COMM, name);
}

static inline void cali_end_comm_region(const char *name)
{
	(void)name;
	pmu_caliper_end(PMU_CALIPER_COMM);
}

/* --- by attribute --- */

static inline void cali_begin(cali_id_t id)
{
	pmu_caliper_begin_flag(id);
}

static inline void cali_begin_int(cali_id_t id, int value)
{
	(void)value;
	pmu_caliper_begin(id, NULL);
}

static inline void cali_begin_double(cali_id_t id, double value)
{
	(void)value;
	pmu_caliper_begin(id, NULL);
}

static inline void cali_begin_string(cali_id_t id, const char *value)
{
	pmu_caliper_begin(id, value);
}

static inline void cali_end(cali_id_t id)
{
	pmu_caliper_end(id);
}

static inline void cali_set_int(cali_id_t id, int value)
{
	(void)id;
	(void)value;
}

static inline void cali_set_double(cali_id_t id, double value)
{
	(void)id;
	(void)value;
}

static inline void cali_set_string(cali_id_t id, const char *value)
{
	(void)id;
	(void)value;
}

static inline void cali_begin_byname(const char *attribute)
{
	pmu_caliper_begin_flag(pmu_caliper_create(attribute));
}

static inline void cali_begin_int_byname(const char *attribute, int value)
{
	cali_begin_int(pmu_caliper_create(attribute), value);
}

static inline void cali_begin_double_byname(const char *attribute, double value)
{
	cali_begin_double(pmu_caliper_create(attribute), value);
}

static inline void cali_begin_string_byname(const char *attribute, const char *value)
{
	pmu_caliper_begin(pmu_caliper_create(attribute), value);
}

static inline void cali_end_byname(const char *attribute)
{
	pmu_caliper_end(pmu_caliper_create(attribute));
}

static inline void cali_set_int_byname(const char *attribute, int value)
{
	(void)attribute;
	(void)value;
}

static inline void cali_set_double_byname(const char *attribute, double value)
{
	(void)attribute;
	(void)value;
}

static inline void cali_set_string_byname(const char *attribute, const char *value)
{
	(void)attribute;
	(void)value;
}

static inline void cali_set_global_int_byname(const char *attribute, int value)
{
	(void)attribute;
	(void)value;
}

static inline void cali_set_global_double_byname(const char *attribute, double value)
{
	(void)attribute;
	(void)value;
}

static inline void cali_set_global_string_byname(const char *attribute, const char *value)
{
	(void)attribute;
	(void)value;
}

/* --- macros --- */

#define CALI_MARK_BEGIN(name)             cali_begin_region(name)
#define CALI_MARK_END(name)               cali_end_region(name)
#define CALI_MARK_FUNCTION_BEGIN          cali_begin_region(__func__)
#define CALI_MARK_FUNCTION_END            cali_end_region(__func__)
#define CALI_MARK_PHASE_BEGIN(name)       cali_begin_phase(name)
#define CALI_MARK_PHASE_END(name)         cali_end_phase(name)
#define CALI_MARK_COMM_REGION_BEGIN(name) cali_begin_comm_region(name)
#define CALI_MARK_COMM_REGION_END(name)   cali_end_comm_region(name)
#define CALI_MARK_LOOP_BEGIN(id, name)              \
	cali_begin_string(cali_loop_attr_id, name); \
	cali_id_t pmu_caliper_iteration_##id = cali_make_loop_iteration_attribute(name)
#define CALI_MARK_LOOP_END(id) ((void)pmu_caliper_iteration_##id, cali_end(cali_loop_attr_id))
#define CALI_MARK_ITERATION_BEGIN(id, value) \
	cali_begin_int(pmu_caliper_iteration_##id, (int)(value))
#define CALI_MARK_ITERATION_END(id) cali_end(pmu_caliper_iteration_##id)
#define CALI_WRAP_STATEMENT(name, statement) \
	cali_begin_region(name);             \
	statement;                           \
	cali_end_region(name)

#ifdef __cplusplus
namespace cali
{

/** A region as long as it lives. */
class pmu_scope
{
      public:
	pmu_scope(uint64_t id, const char *name) : attribute(id), open(true)
	{
		pmu_caliper_begin(attribute, name);
	}
	~pmu_scope()
	{
		end();
	}
	void end()
	{
		if (open)
			pmu_caliper_end(attribute);
		open = false;
	}
	pmu_scope(const pmu_scope &) = delete;
	pmu_scope &operator=(const pmu_scope &) = delete;

      private:
	uint64_t attribute;
	bool open;
};

class Function : public pmu_scope
{
      public:
	explicit Function(const char *name) : pmu_scope(PMU_CALIPER_FUNCTION, name)
	{
	}
};

class ScopeAnnotation : public pmu_scope
{
      public:
	explicit ScopeAnnotation(const char *name) : pmu_scope(PMU_CALIPER_REGION, name)
	{
	}
};

class Loop : public pmu_scope
{
      public:
	struct Iteration {
		/* a value: what is there is not unused */
		~Iteration()
		{
		}
	};

	explicit Loop(const char *name) : pmu_scope(PMU_CALIPER_LOOP, name)
	{
	}
	Iteration iteration(int) const
	{
		return Iteration();
	}
};

class Annotation
{
      public:
	explicit Annotation(const char *name, int = 0) : id(pmu_caliper_create(name))
	{
	}
	Annotation &begin()
	{
		pmu_caliper_begin_flag(id);
		return *this;
	}
	Annotation &begin(int)
	{
		pmu_caliper_begin(id, nullptr);
		return *this;
	}
	Annotation &begin(double)
	{
		pmu_caliper_begin(id, nullptr);
		return *this;
	}
	Annotation &begin(const char *text)
	{
		pmu_caliper_begin(id, text);
		return *this;
	}
	template <typename T> Annotation &set(const T &)
	{
		return *this;
	}
	void end()
	{
		pmu_caliper_end(id);
	}

	/** Ends what has been begun. */
	class Guard
	{
	      public:
		explicit Guard(Annotation &annotation) : attribute(annotation.id)
		{
		}
		~Guard()
		{
			pmu_caliper_end(attribute);
		}
		Guard(const Guard &) = delete;
		Guard &operator=(const Guard &) = delete;

	      private:
		uint64_t attribute;
	};

      private:
	uint64_t id;
};

} // namespace cali

#define CALI_CXX_MARK_FUNCTION             cali::Function pmu_caliper_function(__func__)
#define CALI_CXX_MARK_SCOPE(name)          cali::ScopeAnnotation pmu_caliper_scope(name)
#define CALI_CXX_MARK_LOOP_BEGIN(id, name) cali::Loop pmu_caliper_loop_##id(name)
#define CALI_CXX_MARK_LOOP_END(id)         pmu_caliper_loop_##id.end()
#define CALI_CXX_MARK_LOOP_ITERATION(id, value)           \
	cali::Loop::Iteration pmu_caliper_iteration_##id( \
		pmu_caliper_loop_##id.iteration((int)(value)))
#endif

#endif
