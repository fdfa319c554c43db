#include "aggregator/store/owner.h"

#include "collector/core/refuse.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NAME "owner"

struct machine {			/* a claim of the same one names a process that can be looked up here */
	char host[64], id[40];		/* /etc/machine-id; "": it has none */
	char boot[40], pids[40];	/* of this start of the machine; "": hidden.  The name space of its processes */
	long long booted_s;		/* wall clock of this start */
};

static void read_word(const char *path, char ret_word[40])
{
	FILE *f = fopen(path, "re");

	if (!f || fscanf(f, "%39s", ret_word) != 1)
		ret_word[0] = 0;
	if (f)
		fclose(f);
}

/* The kernel takes any bytes as a name. */
static void this_host(char ret_host[64])
{
	memset(ret_host, 0, 64);
	gethostname(ret_host, 63);
	for (char *c = ret_host; *c; c++)
		*c = *c > ' ' && *c < 0x7f ? *c : '?';
}

static struct machine this_machine(void)
{
	struct machine m = { .booted_s = 0 };
	struct timespec now, up;
	ssize_t len = readlink("/proc/self/ns/pid", m.pids, sizeof(m.pids) - 1);

	m.pids[len > 0 ? len : 0] = 0;
	this_host(m.host);
	read_word("/etc/machine-id", m.id);
	read_word("/proc/sys/kernel/random/boot_id", m.boot);
	clock_gettime(CLOCK_REALTIME, &now);
	clock_gettime(CLOCK_BOOTTIME, &up);
	m.booted_s = (long long)now.tv_sec - up.tv_sec;
	return m;
}

#define SKIP_9 " %*s %*s %*s %*s %*s %*s %*s %*s %*s"

/* Returns when the process began, in ticks since the machine did; 0: there is no such process. */
static unsigned long long process_began(long pid)
{
	char path[40], text[1000] = "", *at;
	unsigned long long began = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	at = fgets(text, sizeof(text), f) ? strrchr(text, ')') : NULL;	/* after it come the state, and 18 numbers before it */
	fclose(f);
	return at && sscanf(at, ") %*c" SKIP_9 SKIP_9 " %llu", &began) == 1 ? began : 0;
}

static int write_claim(struct owner *o, struct store *s)
{
	struct machine m = this_machine();
	json_t *json;
	char *text;
	int err;

	json = json_pack("{s:s, s:b, s:s, s:I, s:s, s:i, s:I, s:I, s:I, s:s, s:s, s:s, s:I}", "id", o->id, "group", o->is_group,
			 "bus", o->bus, "beat", (json_int_t)++o->beat, "host", m.host, "pid", (int)getpid(), "uid", (json_int_t)getuid(),
			 "since", (json_int_t)o->since_ns, "began", (json_int_t)process_began(getpid()), "boot", m.boot,
			 "pids", m.pids, "machine", m.id, "booted", (json_int_t)m.booted_s);
	text = json ? json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL;
	err = text ? s->ops->remember(s, NAME, text) : -ENOMEM;
	free(text);
	json_decref(json);
	return err;
}

static const char *text_of(const json_t *claim, const char *name)
{
	const char *text = json_string_value(json_object_get(claim, name));

	return text ? text : "";
}

static bool has_text(const json_t *claim, const char *name, const char *text)
{
	return text[0] && !strcmp(text_of(claim, name), text);
}

#define BOOTED_NEAR_S 2			/* both clocks are read one after the other */

/* A sandbox may hide the boot's id (ProcSubset=pid).  Then host, machine and the time of its start take its place. */
static bool is_here(const json_t *claim)
{
	struct machine m = this_machine();
	long long apart_s = json_integer_value(json_object_get(claim, "booted")) - m.booted_s;

	if (!has_text(claim, "pids", m.pids))
		return false;
	if (m.boot[0] && text_of(claim, "boot")[0])
		return has_text(claim, "boot", m.boot);
	return has_text(claim, "host", m.host) && has_text(claim, "machine", m.id) && llabs(apart_s) <= BOOTED_NEAR_S;
}

enum life { LIFE_UNKNOWN, LIFE_LIVES, LIFE_ENDED };

/* Where processes of other users are hidden (ProtectProc=invisible), one that cannot be seen may live. */
static enum life life_of(const json_t *claim)
{
	unsigned long long began = is_here(claim) ? process_began((long)json_integer_value(json_object_get(claim, "pid"))) : 0;

	if (!is_here(claim))
		return LIFE_UNKNOWN;
	if (began)
		return began == (unsigned long long)json_integer_value(json_object_get(claim, "began")) ? LIFE_LIVES : LIFE_ENDED;
	if (json_integer_value(json_object_get(claim, "uid")) == (json_int_t)getuid() || process_began(1))
		return LIFE_ENDED;
	return LIFE_UNKNOWN;
}

static bool is_group(const json_t *claim) { return json_is_true(json_object_get(claim, "group")); }

static bool is_ours(const struct owner *o, const json_t *claim)
{
	const char *bus = text_of(claim, "bus");	/* an earlier build has not named it */

	return !strcmp(text_of(claim, "id"), o->id) ||
	       (o->is_group && is_group(claim) && (!o->bus[0] || !bus[0] || !strcmp(bus, o->bus)));
}

static int refuse_claim(int err, const json_t *claim, const char *how, char *reason)
{
	time_t since = (time_t)(json_integer_value(json_object_get(claim, "since")) / 1000000000);
	const char *host = text_of(claim, "host");
	char at[40] = "";
	struct tm tm;

	strftime(at, sizeof(at), "%Y-%m-%d %H:%M:%S UTC", gmtime_r(&since, &tm));
	return refuse_in(err, reason, 256, "another heatscoped%s (on %.60s, pid %lld, since %s) %s",
			 is_group(claim) ? ", of a group," : "", host,
			 json_integer_value(json_object_get(claim, "pid")), at, how);
}

/* Watches the claim of another one.  A silent one that certainly lives keeps it: a long request may have its worker.  For one of
 * another group silence is enough: it may live and lead no longer, or be of our own group, whose bus was made new.  Such a
 * one has beaten once more until its lease ended. */
static int watch(struct owner *o, const json_t *claim, const char *text, __u64 now_ms, char *reason)
{
	static const char lives[] = "uses the same ClickHouse database: stop one of them, or give both a bus, by which they are a group";
	static const char other_bus[] = "uses the same ClickHouse database by another bus: stop one of both groups, or give both "
					"the same bus";
	static const char may_live[] = "has used the same ClickHouse database, and may do so still";

	bool both = o->is_group && is_group(claim), changed = o->seen[0] && strcmp(o->seen, text);

	if (changed && (!both || now_ms - o->watched_ms > OWNER_LEFT_MS))
		return refuse_claim(-EBUSY, claim, both ? other_bus : lives, reason);
	if (!o->seen[0])
		o->watched_ms = now_ms;
	if (!o->seen[0] || changed) {
		snprintf(o->seen, sizeof(o->seen), "%s", text);
		o->seen_ms = now_ms;
	}
	if (now_ms - o->seen_ms >= OWNER_SILENT_MS && (both || life_of(claim) != LIFE_LIVES))
		return 0;
	return refuse_claim(-EAGAIN, claim, may_live, reason);
}

static int read_claim(struct store *s, char text[OWNER_TEXT_MAX], json_t **ret_claim, char *reason)
{
	int err = s->ops->recall(s, NAME, text, OWNER_TEXT_MAX);

	if (err)
		return refuse_in(err, reason, 256, "%.250s", s->reason);
	*ret_claim = json_loads(text, 0, NULL);		/* NULL: the store is free */
	return 0;
}

int owner_claim(struct owner *o, struct store *s, __u64 now_ms, char reason[256])
{
	char text[OWNER_TEXT_MAX];
	json_t *claim = NULL;
	int err = read_claim(s, text, &claim, reason);

	if (!err && claim && !is_ours(o, claim) && life_of(claim) != LIFE_ENDED)
		err = watch(o, claim, text, now_ms, reason);
	json_decref(claim);
	if (err || o->is_group)
		return err;
	err = write_claim(o, s);
	return err ? refuse_in(err, reason, 256, "%.250s", s->reason) : 0;
}

int owner_lead(struct owner *o, struct store *s, const char *bus, __u64 now_ms, char reason[256])
{
	char text[OWNER_TEXT_MAX];
	json_t *claim = NULL;
	int err = read_claim(s, text, &claim, reason);

	snprintf(o->bus, sizeof(o->bus), "%s", bus);
	if (!err && claim && is_group(claim) && !is_ours(o, claim) && life_of(claim) != LIFE_ENDED)
		err = watch(o, claim, text, now_ms, reason);
	json_decref(claim);
	if (err)
		return err;
	o->seen[0] = 0;
	err = write_claim(o, s);
	return err ? refuse_in(err, reason, 256, "%.250s", s->reason) : 0;
}

int owner_beat(struct owner *o, struct store *s, char reason[256])
{
	char text[OWNER_TEXT_MAX];
	json_t *claim = NULL;
	int err = read_claim(s, text, &claim, reason);

	if (!err && claim && !is_ours(o, claim) && (!o->is_group || is_group(claim)))
		err = refuse_claim(-EBUSY, claim, "has taken the ClickHouse database: this one ends", reason);
	json_decref(claim);
	return err ? err : write_claim(o, s);
}

int owner_release(struct owner *o, struct store *s)
{
	char text[OWNER_TEXT_MAX], reason[256];
	json_t *claim = NULL;
	int err = read_claim(s, text, &claim, reason);

	if (!err && claim && !strcmp(text_of(claim, "id"), o->id))
		err = s->ops->remember(s, NAME, "");
	json_decref(claim);
	return err;
}

int owner_init(struct owner *o, bool is_group, __s64 now_ns)
{
	*o = (struct owner){ .is_group = is_group, .since_ns = now_ns };
	return store_uuid(o->id);
}
