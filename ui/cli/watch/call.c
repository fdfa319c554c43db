#include "ui/cli/watch/call.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define SILENT_S 30L			/* a stream has a heartbeat every 10 s */

struct call {
	struct call *next;
	struct calls *all;
	struct transfer transfer;
	const struct call_reader *reader;
	void *arg;
};

int calls_init(struct calls *all, struct client *c)
{
	*all = (struct calls){ c, curl_multi_init(), NULL };
	return all->multi ? 0 : -ENOMEM;
}

void calls_fini(struct calls *all)
{
	while (all->first)
		call_cancel(all->first);
	curl_multi_cleanup(all->multi);
}

/* The body of an error reply is a sentence, not a stream. */
static size_t on_data(char *data, size_t size, size_t n, void *arg)
{
	struct call *c = arg;
	long status = 0;

	curl_easy_getinfo(c->transfer.curl, CURLINFO_RESPONSE_CODE, &status);
	if (status != 200)
		return reply_put(data, size, n, &c->transfer.reply);
	c->reader->data(c->arg, data, size * n);
	return size * n;
}

static void set_stream(struct call *c)
{
	curl_easy_setopt(c->transfer.curl, CURLOPT_WRITEFUNCTION, on_data);
	curl_easy_setopt(c->transfer.curl, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(c->transfer.curl, CURLOPT_TIMEOUT, 0L);
	curl_easy_setopt(c->transfer.curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
	curl_easy_setopt(c->transfer.curl, CURLOPT_LOW_SPEED_TIME, SILENT_S);
}

int call_start(struct calls *all, const char *path, const struct call_reader *reader, void *arg,
	       struct call **ret_call)
{
	struct call *c = calloc(1, sizeof(*c));
	int err = c ? client_prepare(all->client, "GET", path, NULL, &c->transfer) : -ENOMEM;

	if (err) {
		free(c);
		return err;
	}
	c->all = all;
	c->reader = reader;
	c->arg = arg;
	c->next = all->first;
	all->first = c;
	curl_easy_setopt(c->transfer.curl, CURLOPT_PRIVATE, c);
	if (reader->data)
		set_stream(c);
	curl_multi_add_handle(all->multi, c->transfer.curl);
	*ret_call = c;
	return 0;
}

void call_cancel(struct call *c)
{
	struct call **link;

	if (!c)
		return;
	for (link = &c->all->first; *link != c; )
		link = &(*link)->next;
	*link = c->next;
	curl_multi_remove_handle(c->all->multi, c->transfer.curl);
	transfer_fini(&c->transfer);
	free(c);
}

static void finish_call(struct call *c, CURLcode code)
{
	struct client *client = c->all->client;
	const struct call_reader *reader = c->reader;
	int err = client_result(client, &c->transfer, code);
	json_t *json = NULL;
	void *arg = c->arg;

	if (!err && !reader->data) {
		json = json_loadb(c->transfer.reply.data ?: "", c->transfer.reply.len, 0, NULL);
		err = json ? 0 : -EBADMSG;
		if (err)
			snprintf(client->reason, sizeof(client->reason), "%.400s: the reply is not JSON",
				 c->transfer.path);
	}
	call_cancel(c);
	reader->done(arg, err, client->reason, json);
	json_decref(json);
}

void calls_wait(struct calls *all, struct curl_waitfd *fd, unsigned n, int timeout_ms)
{
	CURLMsg *message;
	int running, left;

	curl_multi_perform(all->multi, &running);
	curl_multi_poll(all->multi, fd, n, timeout_ms, NULL);
	curl_multi_perform(all->multi, &running);
	while ((message = curl_multi_info_read(all->multi, &left))) {
		struct call *c;

		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&c);
		finish_call(c, message->data.result);
	}
}
