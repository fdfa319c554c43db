/* exemplars.h - encodes the exemplars of one source and slot, for a batch.
 *
 *      exemplar_row.h --> bytes --exemplars_open(), exemplars_next()--> one exemplar after another
 *
 *      varint missed | varint n_fields { label } | varint n_measures { label }
 *      | varint n { u8 why | varint since_ns connection weight | u32 tag | n_fields { label } | n_measures { varint }
 *                   [ varint len | text ] }
 *
 * Names   come first.  So the bytes can be read without the metric's table.
 * Text    the statement as it was sent, if `why` has EXEMPLAR_TEXT.  Only `--text full` sets that bit
 *         (statement_text.h).
 * Label   as in keys (slice.h): a length byte and so many bytes.
 * Errors  0 or -errno.  exemplars_check() checks every byte; exemplars_next() cannot fail on bytes that passed this
 *         check.
 * Memory  struct exemplars borrows the bytes.  Thread: any.
 */
#ifndef HEATSCOPE_EXEMPLARS_H
#define HEATSCOPE_EXEMPLARS_H

#include "collector/core/exemplar.h"
#include "collector/core/slice.h"

#define EXEMPLAR_FIELDS_MAX 32

#define EXEMPLAR_TEXT_MAX 4096

enum exemplar_why { EXEMPLAR_WORST = 1, EXEMPLAR_DRAWN = 2, EXEMPLAR_TEXT = 4 };	/* bits; TEXT: text follows */

struct exemplar_event {
	__u8 why;
	__u32 tag;			/* of a drawn event: the highest tag of a decade stays, see exemplar.h */
	__u64 since_ns;			/* from the begin of the slot to the end of the event */
	__u64 connection, weight;	/* connection 0: not known */
	struct labels field[EXEMPLAR_FIELDS_MAX];
	__u64 measure[MEASURES_MAX];	/* the first one ranks the worst */
	const __u8 *text;		/* NULL: no text */
	size_t text_len;
};

struct exemplars {
	struct cursor cursor;
	__u64 missed;			/* events of the slot that came too late to become exemplars */
	size_t n_fields, n_measures;
	struct labels field[EXEMPLAR_FIELDS_MAX], measure[MEASURES_MAX];	/* names */
	size_t n_left;
};

/* Opens the bytes.  -EBADMSG: they are not exemplars. */
int exemplars_open(struct exemplars *e, const __u8 *data, size_t len);
int exemplars_next(struct exemplars *e, struct exemplar_event *ret_event);	/* 1: got one; 0: end; -EBADMSG */
int exemplars_check(const __u8 *data, size_t len, __u64 slot_ns);

#endif
