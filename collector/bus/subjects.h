/* subjects.h - names the subjects, streams and buckets of Heatscope on NATS.
 *
 *      heatscope.batch.P.SOURCE       batches of a source                  -> stream HEATSCOPE_BATCHES (work queue)
 *      $KV.heatscope_hellos.SOURCE    hello of a source                    -> bucket heatscope_hellos, expires by age
 *      $KV.heatscope_sources.SOURCE   its presence: hash of the hello, state -> bucket heatscope_sources, expires by age
 *      $KV.heatscope_control.wanted   the wanted set, as WANT of link.h    -> bucket heatscope_control
 *      $KV.heatscope_members.ID       a heatscoped                         -> bucket heatscope_members, expires by age
 *      heatscope.reply.SOURCE.N       replies of NATS to a collector
 *      heatscope.reply.SOURCE.hello   a heatscoped asks the collector to publish its hello, by the text BUS_SAY_HELLO
 *      heatscope.member.ID.N          replies of NATS to a heatscoped, batches that it asked for, questions of others
 *      heatscope.feed.ID              batches that a heatscoped has stored, for the others of its group
 *
 * SOURCE  a source's name in which each byte except letters, digits, "-" and "_" is written =XX: one token of a subject,
 *         and a key of a bucket.  A source has one token, and a token one source.
 * P       the partition: a hash of the name, modulo BUS_PARTITIONS.  All batches of a source are in one partition.
 * Rights  a collector may publish to its own heatscope.batch.*.SOURCE, $KV.heatscope_hellos.SOURCE and
 *         $KV.heatscope_sources.SOURCE, ask for the wanted set, and read $KV.heatscope_control.wanted and its own
 *         replies.  doc/fleet.md has the configuration.
 */
#ifndef HEATSCOPE_SUBJECTS_H
#define HEATSCOPE_SUBJECTS_H

#include "collector/core/batch.h"
#include "collector/core/key.h"

#define BUS_PARTITIONS 16
#define BUS_STREAM "HEATSCOPE_BATCHES"
#define BUS_BATCHES "heatscope.batch.%u.*"	/* the stream's subjects, one for each partition */
#define BUS_HELLOS "heatscope_hellos"		/* the buckets */
#define BUS_HELLO_AGE_S 3600
#define BUS_SAY_HELLO "say hello"
#define BUS_SOURCES "heatscope_sources"
#define BUS_SOURCE_AGE_S 60			/* a source that is not published again in this time is gone */
#define BUS_MEMBERS "heatscope_members"
#define BUS_MEMBER_AGE_S 5
#define BUS_FEED "heatscope.feed"
#define BUS_CONTROL "heatscope_control"
#define BUS_WANTED "$KV." BUS_CONTROL ".wanted"
#define BUS_GET_WANTED "$JS.API.DIRECT.GET.KV_" BUS_CONTROL "." BUS_WANTED	/* a request; the reply is the value */

#define BUS_HEADER_ID "Nats-Msg-Id"		/* JetStream keeps one message of several with the same id */
#define BUS_HEADER_SENT "Heatscope-Sent"	/* wall-clock time of the source, ns since the epoch, decimal */
#define BUS_HEADER_LABELS "Heatscope-Labels"	/* the labels of the source, as JSON (host_labels.h); absent: none */
#define BUS_HEADER_EXPECTED "Nats-Expected-Last-Subject-Sequence"	/* refused if the subject's newest message has another number */
#define BUS_HEADER_FEED "Heatscope-Feed"	/* the number of a message of batches, from 1, among those of its heatscoped */
#define BUS_HEADER_HEAD "Heatscope-Head"	/* of a question or an answer among heatscoped, as JSON */
#define BUS_HEADER_PART "Heatscope-Part"	/* "I/N": part I, from 1, of N parts of one message; absent: it is whole */

#define TOKEN_MAX (3 * SOURCE_MAX)		/* bytes, including NUL */
#define SUBJECT_MAX (TOKEN_MAX + 64)

/* Names a hello in the presence of its source: the hash of its text (key.h). */
static inline __u64 hello_hash(const char *text, size_t len)
{
	__u64 hash = HASH_SEED;

	for (size_t i = 0; i < len; i++)
		hash = hash_byte(hash, (__u8)text[i]);
	return hash;
}

void source_token(const char *source, char ret_token[TOKEN_MAX]);

/* Reads a token of `len` bytes.  -EINVAL: no source has it. */
int source_of_token(const char *token, size_t len, char ret_source[SOURCE_MAX]);

/* Returns the source's partition: the hash of its name (key.h), modulo BUS_PARTITIONS. */
unsigned source_partition(const char *source);

void subject_batch(const char *source, char ret_subject[SUBJECT_MAX]);
void subject_hello(const char *source, char ret_subject[SUBJECT_MAX]);
void subject_source(const char *source, char ret_subject[SUBJECT_MAX]);
void subject_reply(const char *source, const char *last, char ret_subject[SUBJECT_MAX]);

/* Finds the source in one of these subjects: its token is the last one, or of replies the last but one.
 * -EINVAL: it is not such a subject. */
int source_of_subject(const char *subject, char ret_source[SOURCE_MAX]);

#endif
