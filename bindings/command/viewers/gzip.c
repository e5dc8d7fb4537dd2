/* SPDX-License-Identifier: BSD-3-Clause */
/* Compression, by zlib. */
#include "bindings/command/viewers/viewers.h"

#include <errno.h>
#include <limits.h>

#include "base/error.h"

#ifdef HAVE_ZLIB
#include <zlib.h>

/* A gzip header, with the largest window. */
#define WINDOW_BITS (15 + 16)
#define MEMORY      8
#define PIECE       65536u

bool pmu_gzip_works(void)
{
	return true;
}

static int deflate_all(struct pmu_strbuf *out, z_stream *z, const char *bytes, size_t len)
{
	char piece[PIECE];
	int rc = Z_OK;

	while (rc == Z_OK && !out->failed) {
		if (!z->avail_in) {
			z->next_in = (z_const Bytef *)(uintptr_t)bytes;
			z->avail_in = len < INT_MAX ? (uInt)len : INT_MAX;
			bytes += z->avail_in;
			len -= z->avail_in;
		}
		z->next_out = (Bytef *)piece;
		z->avail_out = sizeof(piece);
		rc = deflate(z, len ? Z_NO_FLUSH : Z_FINISH);
		pmu_strbuf_add_n(out, piece, sizeof(piece) - z->avail_out);
	}
	return rc == Z_STREAM_END && !out->failed ? 0 : -ENOMEM;
}

int pmu_gzip(struct pmu_strbuf *out, const char *bytes, size_t len)
{
	z_stream z = { 0 };
	int rc;

	if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, WINDOW_BITS, MEMORY,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	rc = deflate_all(out, &z, bytes, len);
	deflateEnd(&z);
	return rc;
}

#else

bool pmu_gzip_works(void)
{
	return false;
}

int pmu_gzip(struct pmu_strbuf *out, const char *bytes, size_t len)
{
	(void)out;
	(void)bytes;
	(void)len;
	return pmu_fail(ENOTSUP, "this pmu was built without zlib");
}

#endif
