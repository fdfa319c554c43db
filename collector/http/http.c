#include "collector/http/http.h"
#include "collector/http/fields.h"
#include "collector/http/path_text.h"
#include "collector/server/server_tracer.h"
#include "collector/server/exchange_label.h"
#include "collector/http/http.skel.h"

static const char *const names[] = { HTTP_SERVERS, NULL };
static const struct server_protocol protocol = { "http.requests", names, NULL, http_path_read };

static int http_start(void **ret_self, struct tracer_programs *ret_programs, char *reason)
{
	struct http_bpf *bpf = http_bpf__open();

	if (!bpf)
		return server_refused(&protocol, reason);
	return server_start(&protocol, &SERVER_PROGRAMS(bpf), ret_self, ret_programs, reason);
}

static const struct field_codes *const codes[] = {
	[HTTP_METHOD] = &http_method_codes,
	[HTTP_PATH] = &server_digest,
	[HTTP_STATUS] = &http_status_codes,
	[HTTP_CLASS] = &http_class_codes,
	[HTTP_HOST] = &server_name,
	[HTTP_CLIENT] = &server_client,
	[HTTP_INSTANCE] = &server_instance,
	[HTTP_PID] = &codes_number,
	[HTTP_EXECNAME] = &server_execname,
	[HTTP_BLOCKED_IN] = &turn_blocked_in,
	[HTTP_CGROUP ... HTTP_CONTAINER_NAME] = &server_cgroup,
};

static void http_doctor(void *self, FILE *out)
{
	server_doctor(self, &protocol, out);
}

const struct tracer http_tracer = {
	.metric = &http_metric,
	.tracepoints = server_tracepoints,
	.function = "splice_to_socket",	/* before Linux 6.5, sendfile passes no socket tracepoint */
	.instead = server_calls,
	.dispatch_ns = 20,
	.costly = WANTED_FIELD(HTTP_PATH) | WANTED_FIELD(HTTP_HOST),
	.costly_ns = 40,
	.spared_ns = 35,
	.alone = 1,
	.start = http_start,
	.want = server_want,
	.stop = server_stop,
	.codes = codes,
	.n_codes = CODES_N(codes),
	.moving = WANTED_FIELD(HTTP_INSTANCE),
	.moved = server_moved,
	.lost = server_lost,
	.refresh = server_refresh,
	.running = server_running,
	.lacking = server_lacking,
	.doctor = http_doctor,
};
