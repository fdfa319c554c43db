/* bus_questions.h - asks another heatscoped of the group, and gives its answer to the caller.
 *
 *      bus_questions_ask() --heatscope.member.ID.asked--> its asked(), bus_questions_answer()
 *      done() <--bus_questions_take()-- INBOX.answer.NUMBER <--'
 *
 * Once    done() is called once for each question: with the answer, or -ETIMEDOUT after ASK_MS, or -ESHUTDOWN.
 * Rights  any client of the bus can have the server write an answer of its own to our inbox: such a message has no header
 *         BUS_HEADER_HEAD, and is not taken.
 * Thread  the loop thread only.
 */
#ifndef HEATSCOPE_BUS_QUESTIONS_H
#define HEATSCOPE_BUS_QUESTIONS_H

#include "collector/bus/bus.h"

#include <linux/types.h>
#include <uv.h>

typedef void (*bus_question_answered)(void *arg, int err, const char *head, const void *body, size_t len);

struct bus_question;			/* in bus_questions.c */

struct bus_questions {
	uv_loop_t *loop;		/* the caller sets the first two */
	const char *inbox;		/* the subject of our own messages, without its last part */
	struct bus_question *first;
	__u64 n;
};

/* Returns 0 and calls done() later.  -ENOMEM, and errors of bus_publish(). */
int bus_questions_ask(struct bus_questions *q, struct bus *bus, const char *id, const char *head, const void *body, size_t len,
		      bus_question_answered done, void *arg);

/* Errors as those of bus_publish(). */
int bus_questions_answer(struct bus *bus, const char *reply, const char *head, const void *body, size_t len);

/* A message on "INBOX.answer.NUMBER". */
void bus_questions_take(struct bus_questions *q, const char *number, const struct bus_message *m);

void bus_questions_tick(struct bus_questions *q);	/* ends those that have waited too long */
void bus_questions_end(struct bus_questions *q);	/* ends all: -ESHUTDOWN */

#endif
