#include "ui/cli/base/measure.h"
#include "ui/cli/base/predicate.h"
#include "collector/core/refuse.h"

#include "ui/cli/base/command.h"
#include "ui/cli/base/inst_state.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal)
{
	interrupted = 1;
}

/* ---- processes ---- */

#define FIRST_PID_NAMESPACE 0xeffffffcu		/* PROC_PID_INIT_INO of the kernel */

static int is_first_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/pid", &st) && st.st_ino == FIRST_PID_NAMESPACE;
}

static int process_name(long pid, char *out, size_t room)
{
	char path[64];
	FILE *f;
	int have;

	snprintf(path, sizeof(path), "/proc/%ld/comm", pid);
	f = fopen(path, "r");
	have = f && fgets(out, (int)room, f);
	if (f)
		fclose(f);
	if (have)
		out[strcspn(out, "\n")] = '\0';
	return have;
}

int measure_check_process(long pid, const char *const *names, char *reason, size_t room)
{
	char name[64], all[128] = "";
	size_t at = 0;

	if (!is_first_namespace())
		return 0;
	if (kill((pid_t)pid, 0) && errno == ESRCH)
		return refuse_in(-ESRCH, reason, room, "there is no process %ld on this host", pid);
	if (!names || !process_name(pid, name, sizeof(name)))
		return 0;
	for (size_t i = 0; names[i] && at < sizeof(all); i++) {
		if (!strcmp(name, names[i]))
			return 0;
		at += (size_t)snprintf(all + at, sizeof(all) - at, "%s%s", i ? " or " : "", names[i]);
	}
	return refuse_in(-EINVAL, reason, room, "process %ld is %s, no server: servers' processes are named %s", pid, name, all);
}

/* ---- start and stop ---- */

#define FIRST 5
#define OPTIONS_MAX 8

int measure_start(struct measure *m, const char *const *option)
{
	const struct sigaction on_signal = { .sa_handler = note_interrupt };
	const char *collect[FIRST + OPTIONS_MAX + 2] = { "heatscope-collector", "--spool", "", "--socket", m->private.ingest };
	int err, n = FIRST;

	for (int i = 0; i < OPTIONS_MAX && option[i]; i++)
		collect[n++] = option[i];
	if (program_is_quiet())
		collect[n] = "--quiet";
	sigaction(SIGINT, &on_signal, NULL);
	sigaction(SIGTERM, &on_signal, NULL);
	m->collector = 0;
	err = private_start(&m->private, 0);
	if (err) {
		snprintf(m->client.reason, sizeof(m->client.reason), "%s", m->private.reason);
		return err;
	}
	m->client.url = m->private.url;
	err = program_start(collect, -1, &m->collector);
	if (err)
		snprintf(m->client.reason, sizeof(m->client.reason), "the collector did not start: %s", strerror(-err));
	return err;
}

int measure_end(struct measure *m)
{
	int err = 0;

	if (m->collector > 0) {
		kill(m->collector, SIGTERM);
		err = program_wait(m->collector);
		m->collector = 0;
	}
	if (err)
		snprintf(m->client.reason, sizeof(m->client.reason), "the collector failed");
	return err;
}

void measure_stop(struct measure *m)
{
	char reason[sizeof(m->client.reason)];

	memcpy(reason, m->client.reason, sizeof(reason));
	measure_end(m);
	memcpy(m->client.reason, reason, sizeof(reason));	/* what failed first */
	private_stop(&m->private);
}

/* ---- the metric ---- */

/* All numeric fields of the metric; NULL while the catalogue does not have it. */
static json_t *measures_of(const json_t *catalogue, const char *name)
{
	const json_t *metric = client_metric(catalogue, name);
	json_t *field, *measures = metric ? json_array() : NULL;
	size_t i;

	json_array_foreach(json_object_get(metric, "fields"), i, field)
		if (!strcmp(client_arity(catalogue, metric, json_string_value(field)), "numeric"))
			json_array_append(measures, field);
	return measures;
}

/* Waits for the collector's list of metrics; NULL if the metric is not in it, the collector ends, or 10 s pass. */
static json_t *wait_measures(struct measure *m, const char *metric)
{
	const struct timespec nap = { .tv_nsec = 50000000 };
	json_t *catalogue, *measures = NULL;
	size_t n_sources = 0;

	for (int tries = 0; tries < 200 && !measures && !n_sources; tries++, nanosleep(&nap, NULL)) {
		if (waitpid(m->collector, NULL, WNOHANG) == m->collector) {
			m->collector = 0;
			return NULL;
		}
		if (client_json(&m->client, "GET", "/ca", NULL, &catalogue))
			return NULL;
		n_sources = json_array_size(json_object_get(catalogue, "sources"));
		measures = measures_of(catalogue, metric);
		json_decref(catalogue);
	}
	return measures;
}

int measure_ready(struct measure *m, const char *metric, json_t **ret_measures)
{
	*ret_measures = wait_measures(m, metric);
	if (*ret_measures)
		return 0;
	if (m->collector)
		snprintf(m->client.reason, sizeof(m->client.reason),
			 "the collector cannot measure %s here; 'heatscope doctor' says why", metric);
	else
		snprintf(m->client.reason, sizeof(m->client.reason), "the collector ended; its message says why");
	return -ENODEV;
}

int measure_create(struct measure *m, const char *metric, const char *where, json_t *body, char *ret_id)
{
	const char *dot = metric_dot(metric);
	json_t *made = NULL;
	int err;

	json_object_set_new(body, "module", json_stringn(metric, (size_t)(dot - metric)));
	json_object_set_new(body, "stat", json_string(dot + 1));
	err = predicate_put(&m->client, metric, where, NULL, body);
	if (!err)
		err = client_json(&m->client, "POST", "/ca/instrumentations", body, &made);
	if (!err && ret_id)
		snprintf(ret_id, MEASURE_ID, "%s", json_string_value(json_object_get(made, "id")));
	json_decref(made);
	return err;
}

int measure_active(struct measure *m, const char *id, double *ret_from_s)
{
	json_t *inst;
	int err = inst_await(&m->client, id, INST_COUNTED, INST_COUNTED_S, &interrupted, &inst);

	if (!err && ret_from_s)
		*ret_from_s = inst_state_of(inst).counts_from_s;
	json_decref(inst);
	return err;
}

/* ---- while it runs ---- */

int measure_second(void)
{
	const struct timespec second = { .tv_sec = 1 };

	if (!interrupted)
		nanosleep(&second, NULL);
	return !interrupted;
}

void measure_wait(const char *what, long seconds)
{
	const struct timespec second = { .tv_sec = 1 };

	for (long s = 1; !interrupted && (!seconds || s <= seconds); s++) {
		nanosleep(&second, NULL);
		if (isatty(STDERR_FILENO))
			show_print(stderr, "\r%s: %ld s", what, s);
	}
	if (isatty(STDERR_FILENO))
		fputc('\n', stderr);
}
