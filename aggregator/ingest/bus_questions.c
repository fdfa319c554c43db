#include "aggregator/ingest/bus_questions.h"

#include "collector/bus/subjects.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define ASK_MS 5000

struct bus_question {			/* that is not answered yet */
	struct bus_question *next;
	__u64 number, until_ms;
	bus_question_answered done;
	void *arg;
};

static void question_end(struct bus_question **at, int err, const struct bus_message *m)
{
	struct bus_question *q = *at;
	const char *head = m ? bus_header(m, BUS_HEADER_HEAD) : NULL;

	*at = q->next;
	q->done(q->arg, err ? err : head ? 0 : -EIO, head, m ? m->data : NULL, m ? m->len : 0);
	free(q);
}

static void end_until(struct bus_questions *q, __u64 until_ms, int err)
{
	struct bus_question **at = &q->first;

	while (*at)
		if ((*at)->until_ms <= until_ms)
			question_end(at, err, NULL);
		else
			at = &(*at)->next;
}

void bus_questions_tick(struct bus_questions *q) { end_until(q, uv_now(q->loop), -ETIMEDOUT); }
void bus_questions_end(struct bus_questions *q) { end_until(q, UINT64_MAX, -ESHUTDOWN); }

void bus_questions_take(struct bus_questions *q, const char *number, const struct bus_message *m)
{
	struct bus_question **at = &q->first;
	__u64 n = strtoull(number, NULL, 10);

	while (*at && (*at)->number != n)
		at = &(*at)->next;
	if (*at && (m->status || bus_header(m, BUS_HEADER_HEAD)))
		question_end(at, m->status ? -ENOTCONN : 0, m);
}

int bus_questions_ask(struct bus_questions *q, struct bus *bus, const char *id, const char *head, const void *body, size_t len,
		      bus_question_answered done, void *arg)
{
	char subject[SUBJECT_MAX + 16], reply[SUBJECT_MAX + 40];
	const struct bus_outgoing m = { .subject = subject, .reply = reply, .data = body, .len = len,
					.header = { { BUS_HEADER_HEAD, head } } };
	struct bus_question *one = calloc(1, sizeof(*one));
	int err;

	if (!one)
		return -ENOMEM;
	*one = (struct bus_question){ .number = ++q->n, .until_ms = uv_now(q->loop) + ASK_MS, .done = done, .arg = arg };
	snprintf(subject, sizeof(subject), "heatscope.member.%s.asked", id);
	snprintf(reply, sizeof(reply), "%s.answer.%llu", q->inbox, (unsigned long long)one->number);
	err = bus_publish(bus, &m);
	if (err) {
		free(one);
		return err;
	}
	one->next = q->first;
	q->first = one;
	return 0;
}

int bus_questions_answer(struct bus *bus, const char *reply, const char *head, const void *body, size_t len)
{
	const struct bus_outgoing m = { .subject = reply, .data = body, .len = len, .header = { { BUS_HEADER_HEAD, head } } };

	return bus_publish(bus, &m);
}
