/* otlp_answer.h - reads the answer of a receiver of OTLP: what it rejected, and its message.
 *
 *      2xx: ExportMetricsServiceResponse {partial_success {rejected_data_points, error_message}}
 *      else: google.rpc.Status {message}, or a text;  both as protobuf or JSON, which Content-Type says
 *
 * Trust   none: the message becomes printable ASCII and is cut.
 * Thread  any.
 */
#ifndef HEATSCOPE_EXPORT_OTLP_ANSWER_H
#define HEATSCOPE_EXPORT_OTLP_ANSWER_H

#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>

#define OTLP_MESSAGE_MAX 160
#define OTLP_ANSWER_MAX (64u << 10)	/* bytes that are worth reading */

struct otlp_answer {
	bool is_readable;		/* false: it is no such message */
	__u64 n_rejected;		/* points */
	char message[OTLP_MESSAGE_MAX];	/* "": none */
};

/* status: of HTTP; type: Content-Type. */
void otlp_answer_read(long status, const char *type, const void *body, size_t len, struct otlp_answer *ret_answer);

#endif
