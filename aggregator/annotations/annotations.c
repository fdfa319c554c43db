#include "aggregator/annotations/annotations.h"

#include "collector/core/array.h"
#include "aggregator/store/saved_object.h"
#include "aggregator/base/json_get.h"
#include "collector/core/refuse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct annotations {
	struct saved_objects saved;
	struct catalog *catalog;
	struct catalog_observer observer;
	bool owns;			/* we write to the store */
	size_t n, room, n_of[2];	/* by kind */
	struct annotation *item;
};

/* ---- as JSON ---- */

json_t *annotation_json(const struct annotation *a)
{
	char id[24], inst[24];
	json_t *json;

	snprintf(id, sizeof(id), "%llu", (unsigned long long)a->id);
	snprintf(inst, sizeof(inst), "%llu", (unsigned long long)a->inst);
	json = json_pack("{s:s, s:s, s:s, s:f}", "id", id, "kind", annotation_kind_name(a->kind), "text", a->text, "start_time",
			 (double)a->from_ns / 1e9);
	json_object_set_new(json, "end_time", a->to_ns == ANNOTATION_OPEN ? json_null() : json_real((double)a->to_ns / 1e9));
	json_object_set_new(json, "instrumentation", a->inst ? json_string(inst) : json_null());
	return json;
}

int annotation_check_text(const char *text, char *reason)
{
	size_t len = strlen(text);

	if (!json_get_is_line(text))
		return refuse(reason, "value for field \"text\" is invalid: it is one line, without control characters");
	if (len && len <= ANNOTATION_TEXT_MAX && strspn(text, " ") < len)
		return 0;
	return refuse(reason, "value for field \"text\" is invalid: it has %zu bytes, and must have 1 to %d, not all blank", len,
		      ANNOTATION_TEXT_MAX);
}

/* Reads seconds since 1970. */
static int get_time(const json_t *request, const char *name, __s64 *ret_ns, char *reason)
{
	double s;
	int got = json_get_number(request, name, 0, ANNOTATIONS_TIME_MAX_S, &s, reason);

	if (got > 0)
		*ret_ns = (__s64)llround(s * 1e9);
	return got;
}

static int get_times(const json_t *request, struct annotation *a, char *reason)
{
	int at = get_time(request, "time", &a->from_ns, reason), from, to;

	if (at < 0)
		return at;
	a->to_ns = a->from_ns;
	from = get_time(request, "start_time", &a->from_ns, reason);
	to = from < 0 ? from : get_time(request, "end_time", &a->to_ns, reason);
	if (from < 0 || to < 0)
		return -EINVAL;
	if (from != to || (at && from))
		return refuse(reason, "a note has a \"time\", or \"start_time\" and \"end_time\", or none of them "
			"for now");
	if (a->to_ns < a->from_ns)
		return refuse(reason, "\"end_time\" is before \"start_time\"");
	return 0;
}

/* "7", or 7: 7; null, "", absent: 0. */
static int get_inst(const json_t *request, __u64 *ret_inst, char *reason)
{
	const json_t *value = json_object_get(request, "instrumentation");
	const char *text = json_string_value(value);
	char *end = (char *)"";

	*ret_inst = 0;
	if (!value || json_is_null(value) || (text && !*text))
		return 0;
	*ret_inst = text ? strtoull(text, &end, 10) : (__u64)json_integer_value(value);
	if ((text && *text >= '0' && *text <= '9' && !*end) || (json_is_integer(value) && json_integer_value(value) > 0))
		return 0;
	return refuse(reason, "value for field \"instrumentation\" is invalid: it is an instrumentation's id");
}

int annotation_parse(const json_t *request, __s64 now_ns, struct annotation *ret, char *reason)
{
	static const char *const known[] = { "text", "time", "start_time", "end_time", "instrumentation", "id", "kind", NULL };
	const char *text = json_string_value(json_object_get(request, "text"));
	struct annotation a = { .from_ns = now_ns, .kind = ANNOTATION_NOTE };
	int err = json_get_check(request, known, "an annotation", reason);

	if (!err && !text)
		err = refuse(reason, "a note needs a \"text\"");
	if (!err)
		err = annotation_check_text(text, reason);
	if (!err)
		err = get_inst(request, &a.inst, reason);
	if (!err)
		err = get_times(request, &a, reason);
	if (err)
		return err;
	memcpy(a.text, text, strlen(text) + 1);
	*ret = a;
	return 0;
}

/* ---- as the store has them: whole nanoseconds ---- */

static char *stored_text(const struct annotation *a)
{
	json_t *json = json_pack("{s:I, s:I, s:I, s:i, s:s}", "instrumentation", (json_int_t)a->inst, "from", (json_int_t)a->from_ns, "to",
				 (json_int_t)a->to_ns, "kind", (int)a->kind, "text", a->text);
	char *text = json ? json_dumps(json, JSON_COMPACT) : NULL;

	json_decref(json);
	return text;
}

static int stored_parse(__u64 id, const char *text, struct annotation *ret, char *reason)
{
	json_t *json = json_loads(text, 0, NULL);
	const char *said = NULL;
	json_int_t inst, from, to;
	int kind, err = json_unpack(json, "{s:I, s:I, s:I, s:i, s:s}", "instrumentation", &inst, "from", &from, "to", &to, "kind", &kind,
				    "text", &said);

	*ret = (struct annotation){ .id = id };
	if (!err && !annotation_check_text(said, reason) && from <= to && (kind == ANNOTATION_NOTE || kind == ANNOTATION_ALERT)) {
		ret->inst = (__u64)inst;
		ret->from_ns = from;
		ret->to_ns = to;
		ret->kind = (enum annotation_kind)kind;
		memcpy(ret->text, said, strlen(said) + 1);
	} else {
		err = -EBADMSG;
	}
	json_decref(json);
	return err ? -EBADMSG : 0;
}

/* ---- the list ---- */

/* Finds its place in the order. */
static size_t place_of(const struct annotations *j, const struct annotation *a)
{
	size_t at = j->n;

	while (at && (j->item[at - 1].from_ns > a->from_ns || (j->item[at - 1].from_ns == a->from_ns && j->item[at - 1].id > a->id)))
		at--;
	return at;
}

static int insert_annotation(struct annotations *j, const struct annotation *a)
{
	size_t at = place_of(j, a);
	int err = array_grow(&j->item, j->n, &j->room, sizeof(*j->item));

	if (err)
		return err;
	memmove(&j->item[at + 1], &j->item[at], (j->n++ - at) * sizeof(*a));
	j->item[at] = *a;
	j->n_of[a->kind]++;
	return 0;
}

static struct annotation *find_annotation(const struct annotations *j, __u64 id)
{
	for (size_t i = j->n; i-- > 0;)
		if (j->item[i].id == id)
			return &j->item[i];
	return NULL;
}

static void take_out(struct annotations *j, struct annotation *a)
{
	size_t at = (size_t)(a - j->item);

	j->n_of[a->kind]--;
	memmove(a, a + 1, (--j->n - at) * sizeof(*a));
}

const struct annotation *annotations_find(const struct annotations *j, __u64 id)
{
	return find_annotation(j, id);
}

int annotations_take(const struct annotations *j, __u64 inst, __s64 from_ns, __s64 to_ns, size_t most, struct annotation_list **ret)
{
	struct annotation_list *all;
	size_t n = 0, skip;

	*ret = NULL;
	for (size_t i = 0; i < j->n; i++)
		n += (!inst || !j->item[i].inst || j->item[i].inst == inst) && annotation_touches(&j->item[i], from_ns, to_ns);
	if (!n)
		return 0;
	skip = n > most ? n - most : 0;
	all = malloc(sizeof(*all) + (n - skip) * sizeof(*all->item));
	if (!all)
		return -ENOMEM;
	all->n = 0;
	for (size_t i = 0; i < j->n; i++) {
		if ((inst && j->item[i].inst && j->item[i].inst != inst) || !annotation_touches(&j->item[i], from_ns, to_ns))
			continue;
		if (skip)
			skip--;
		else
			all->item[all->n++] = j->item[i];
	}
	*ret = all;
	return 0;
}

/* ---- writing ---- */

static void annotation_lost(void *owner, __u64 id)
{
	struct annotations *j = owner;
	struct annotation *a = find_annotation(j, id);

	if (a)
		take_out(j, a);
}

/* Drops the oldest firing that has ended. */
static void drop_oldest(struct annotations *j)
{
	for (size_t i = 0; i < j->n; i++)
		if (j->item[i].kind == ANNOTATION_ALERT && j->item[i].to_ns != ANNOTATION_OPEN) {
			annotations_remove(j, j->item[i].id, NULL, NULL);
			return;
		}
}

int annotations_add(struct annotations *j, const struct annotation *a, store_queue_done done, void *arg, __u64 *ret_id, char *reason)
{
	struct annotation entry = *a;
	int err;

	if (a->kind == ANNOTATION_NOTE && j->n_of[ANNOTATION_NOTE] >= ANNOTATIONS_NOTES)
		return refuse_as(-ENOSPC, reason, "there are %d notes, which is the limit; remove some first", ANNOTATIONS_NOTES);
	if (a->kind == ANNOTATION_ALERT && j->n_of[ANNOTATION_ALERT] >= ANNOTATIONS_ALERTS)
		drop_oldest(j);
	entry.id = j->saved.next_id++;
	err = insert_annotation(j, &entry);
	if (!err)
		err = saved_object_add(&j->saved, entry.id, stored_text(&entry), done, arg);
	if (err) {
		struct annotation *in = find_annotation(j, entry.id);

		if (in)
			take_out(j, in);
		return err;
	}
	*ret_id = entry.id;
	return 0;
}

int annotations_end(struct annotations *j, __u64 id, __s64 to_ns)
{
	struct annotation *a = find_annotation(j, id);

	if (!a)
		return -ENOENT;
	a->to_ns = to_ns > a->from_ns ? to_ns : a->from_ns;
	return saved_object_put(&j->saved, id, stored_text(a), NULL, NULL);
}

int annotations_remove(struct annotations *j, __u64 id, store_queue_done done, void *arg)
{
	struct annotation *a = find_annotation(j, id);
	int err = a ? saved_object_drop(&j->saved, id, done, arg) : -ENOENT;

	if (err)
		return err;
	take_out(j, a);
	return 0;
}

/* ---- begin and end ---- */

static void on_catalog(void *arg, bool wanted)
{
	struct annotations *j = arg;

	for (size_t i = wanted && j->owns ? j->n : 0; i-- > 0;)
		if (j->item[i].inst && !catalog_find(j->catalog, j->item[i].inst))
			annotations_remove(j, j->item[i].id, NULL, NULL);
}

int annotations_new(struct store_queue *store_queue, struct catalog *catalog, struct annotations **ret_annotations)
{
	struct annotations *j = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	j->saved = (struct saved_objects){ .store_queue = store_queue, .noun = "annotation", .next_id = 1, .lost = annotation_lost, .owner = j };
	j->catalog = catalog;
	j->observer = (struct catalog_observer){ .changed = on_catalog, .arg = j };
	catalog_observe(catalog, &j->observer);
	*ret_annotations = j;
	return 0;
}

void annotations_own(struct annotations *j, bool owns)
{
	j->owns = owns;
}

void annotations_free(struct annotations *j)
{
	if (!j)
		return;
	catalog_unobserve(j->catalog, &j->observer);
	free(j->item);
	free(j);
}

static int load_one(void *arg, __u64 id, const char *text, char *reason)
{
	struct annotation a;
	int err = stored_parse(id, text, &a, reason);

	return err ? err : insert_annotation(arg, &a);
}

int annotations_load(struct annotations *j, struct store *store)
{
	j->n = j->n_of[ANNOTATION_NOTE] = j->n_of[ANNOTATION_ALERT] = 0;
	return saved_object_load(&j->saved, store, load_one, j);
}
