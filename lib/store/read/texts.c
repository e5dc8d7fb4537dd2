/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of a store, and its texts: region names and what is known of the process. */
#define PMU_STORE_READER 1
#include "store/read/reader.h"

#include <errno.h>

int pmu_reader_take_group(struct pmu_reader *reader, const struct pmu_store_chunk *chunk,
			  const struct pmu_chunk_copy *copy)
{
	struct pmu_raw *raw = reader->raw;

	if (copy->kind > PMU_CHUNK_WAITS)
		raw->damage[PMU_DAMAGE_KIND]++;
	if (copy->kind != PMU_CHUNK_GROUP)
		return 0;
	if (copy->group >= PMU_STORE_MAX_GROUPS || raw->has_group[copy->group] ||
	    !pmu_group_check(chunk + 1, copy->size - sizeof(*chunk), &raw->group[copy->group]))
		raw->damage[PMU_DAMAGE_GROUP]++;
	else
		raw->has_group[copy->group] = true;
	return 0;
}

static int add_meta(struct pmu_reader *reader, const struct pmu_record *record)
{
	struct pmu_raw *raw = reader->raw;

	if (pmu_reader_make_room(&raw->meta, raw->n_meta, &reader->meta_room, sizeof(*raw->meta)))
		return -ENOMEM;
	raw->meta[raw->n_meta++] = (struct pmu_raw_text){ record->text, record->len, record->id };
	return 0;
}

/* Ids ascend; those of a damaged chunk stay unknown. */
static int add_raw_name(struct pmu_reader *reader, const struct pmu_record *record)
{
	struct pmu_raw *raw = reader->raw;

	/* no more names than the smallest records would fit */
	if (record->id > reader->view_end / 16) {
		raw->damage[PMU_DAMAGE_RECORD]++;
		return 0;
	}
	while (raw->n_names <= record->id) {
		if (pmu_reader_make_room(&raw->name, raw->n_names, &reader->name_room,
					 sizeof(*raw->name)))
			return -ENOMEM;
		raw->name[raw->n_names++] = (struct pmu_raw_text){ "", 0, 0 };
	}
	if (!record->id || raw->name[record->id].len)
		raw->damage[PMU_DAMAGE_RECORD]++;
	else
		raw->name[record->id] = (struct pmu_raw_text){ record->text, record->len, 0 };
	return 0;
}

int pmu_reader_take_texts(struct pmu_reader *reader, const struct pmu_store_chunk *chunk,
			  const struct pmu_chunk_copy *copy)
{
	bool names = copy->kind == PMU_CHUNK_NAMES;
	size_t pos = 0, used = copy->used, most = copy->size - sizeof(*chunk);
	struct pmu_record record;
	int more, rc;

	if (!names && copy->kind != PMU_CHUNK_META)
		return 0;
	if (used > most) {
		reader->raw->damage[PMU_DAMAGE_RECORD]++;
		used = most;
	}
	for (;;) {
		more = names ? pmu_name_next((const char *)(chunk + 1), used, &pos, &record)
			     : pmu_meta_next((const char *)(chunk + 1), used, &pos, &record);
		if (more <= 0)
			break;
		rc = names ? add_raw_name(reader, &record) : add_meta(reader, &record);
		if (rc)
			return rc;
	}
	if (more < 0)
		reader->raw->damage[PMU_DAMAGE_RECORD]++;
	return 0;
}
