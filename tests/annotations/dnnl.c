/* SPDX-License-Identifier: BSD-3-Clause */
/* One primitive of oneDNN 2, executed seven times. */
#include <dnnl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define DO(call)             \
	if (call) {          \
		puts(#call); \
		return 1;    \
	}
int main(void)
{
	dnnl_dims_t dims = { 8, 16, 32, 32 };
	dnnl_engine_t engine;
	dnnl_stream_t stream;
	dnnl_memory_desc_t shape;
	dnnl_eltwise_desc_t what;
	dnnl_primitive_desc_t how;
	dnnl_primitive_t primitive;
	dnnl_memory_t from, to;

	DO(dnnl_engine_create(&engine, dnnl_cpu, 0))
	DO(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags))
	DO(dnnl_memory_desc_init_by_tag(&shape, 4, dims, dnnl_f32, dnnl_nchw))
	DO(dnnl_eltwise_forward_desc_init(&what, dnnl_forward_inference, dnnl_eltwise_relu, &shape,
					  0, 0))
	DO(dnnl_primitive_desc_create(&how, &what, NULL, engine, NULL))
	DO(dnnl_primitive_create(&primitive, how))
	DO(dnnl_memory_create(&from, &shape, engine, DNNL_MEMORY_ALLOCATE))
	DO(dnnl_memory_create(&to, &shape, engine, DNNL_MEMORY_ALLOCATE))
	dnnl_exec_arg_t with[] = { { DNNL_ARG_SRC, from }, { DNNL_ARG_DST, to } };
	for (int i = 0; i < 7; i++)
		DO(dnnl_primitive_execute(primitive, stream, 2, with))
	DO(dnnl_stream_wait(stream))
	puts("done");
	return 0;
}
