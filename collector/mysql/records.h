/* records.h - follows the TLS records that a client sends; pure, for kernel and tests.
 *
 *      records_step() over each receive -> records_whole(): has the client said all that it has to say?
 *
 *      | type  03 xx  length | ciphertext |    a longer message takes several records, all but the last of them full
 *
 * A command without a reply (close, quit, send_long_data) ends with a whole record, and then the server reads on.
 * Lost    Nothing is whole from then on, as long as the connection lasts: after bytes that are no records, and if the
 *         caller sets it, because a receive could not be read, or took more than RECORD_STEPS steps.
 */
#ifndef HEATSCOPE_MYSQL_RECORDS_H
#define HEATSCOPE_MYSQL_RECORDS_H

#include <linux/types.h>

#define RECORD_HEADER 5
#define RECORD_FULL 16384		/* bytes of plain text; the ciphertext is somewhat longer */

struct records {
	__u32 left;		/* bytes of the record that are still to come */
	__u16 len;		/* of the last one */
	__u8 have;		/* bytes of the next one's header that have come */
	__u8 lost;
};

/* Takes one byte, or skips up to n bytes unread; returns how many. */
static inline __u32 records_step(struct records *r, __u8 byte, __u32 n)
{
	if (r->lost)
		return n;
	if (r->left) {
		n = r->left < n ? r->left : n;
		r->left -= n;
		return n;
	}
	switch (r->have++) {
	case 0: r->lost = byte < 0x14 || byte > 0x17; break;
	case 1: r->lost = byte != 3; break;
	case 2: r->lost = byte > 4; break;
	case 3: r->len = byte << 8; break;
	default:
		r->len |= byte;
		r->left = r->len;
		r->have = 0;
	}
	return 1;
}

static inline int records_whole(const struct records *r)
{
	return !r->lost && !r->left && !r->have && r->len && r->len < RECORD_FULL;
}

#endif
