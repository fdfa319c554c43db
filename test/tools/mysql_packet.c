#include "test/tools/mysql_packet.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#define CHARSET_UTF8MB4 45
#define LOGIN_PACKET_MAX (64u << 20)
#define TYPE_STRING 253			/* MYSQL_TYPE_VAR_STRING */
#define STATUS_MORE_RESULTS 0x0008
#define STATUS_CURSOR 0x0040
#define BULK_SEND_TYPES 128
#define BINLOG_NON_BLOCK 1
#define COMPRESS_MIN 50			/* shorter is sent as it is, as other clients do */
#define COMPRESSED_MAX (64u << 10)	/* plain bytes in one frame of ours */

static const char *const command_name[256] = {
	[MYSQL_QUIT] = "quit",
	[MYSQL_INIT_DB] = "init_db",
	[MYSQL_QUERY] = "query",
	[MYSQL_FIELD_LIST] = "field_list",
	[MYSQL_STATISTICS] = "statistics",
	[MYSQL_PROCESS_INFO] = "process_info",
	[MYSQL_PROCESS_KILL] = "process_kill",
	[MYSQL_PING] = "ping",
	[MYSQL_CHANGE_USER] = "change_user",
	[MYSQL_BINLOG_DUMP] = "binlog_dump",
	[MYSQL_PREPARE] = "prepare",
	[MYSQL_EXECUTE] = "execute",
	[MYSQL_SEND_LONG_DATA] = "send_long_data",
	[MYSQL_STMT_CLOSE] = "close",
	[MYSQL_STMT_RESET] = "reset",
	[MYSQL_SET_OPTION] = "set_option",
	[MYSQL_STMT_FETCH] = "fetch",
	[MYSQL_RESET_CONNECTION] = "reset_connection",
	[MYSQL_BULK_EXECUTE] = "bulk_execute",
};

const char *mysql_command_name(unsigned command)
{
	return command < 256 ? command_name[command] : NULL;
}

enum mysql_shape mysql_command_shape(enum mysql_command command)
{
	switch (command) {
	case MYSQL_QUIT:
	case MYSQL_SEND_LONG_DATA:
	case MYSQL_STMT_CLOSE:
		return MYSQL_REPLY_NONE;
	case MYSQL_QUERY:
	case MYSQL_PROCESS_INFO:
	case MYSQL_EXECUTE:
	case MYSQL_BULK_EXECUTE:
		return MYSQL_REPLY_RESULTS;
	case MYSQL_FIELD_LIST:
	case MYSQL_STMT_FETCH:
		return MYSQL_REPLY_ROWS;
	case MYSQL_PREPARE:
		return MYSQL_REPLY_PREPARE;
	case MYSQL_BINLOG_DUMP:
		return MYSQL_REPLY_STREAM;
	default:
		return MYSQL_REPLY_ONE;
	}
}

/* --- integers --------------------------------------------------------------------------------- */

static void put_int3(struct bytes *out, __u32 value)
{
	bytes_put_int(out, value & 0xffff, 2);
	bytes_put_int(out, value >> 16, 1);
}

static __u32 get_int3(struct cursor *c)
{
	__u32 low = cursor_get_int(c, 2);

	return low | (__u32)cursor_get_int(c, 1) << 16;
}

void mysql_put_lenenc(struct bytes *out, __u64 value)
{
	if (value < 251) {
		bytes_put_int(out, value, 1);
	} else if (value < 1u << 16) {
		bytes_put_int(out, 0xfc, 1);
		bytes_put_int(out, value, 2);
	} else if (value < 1u << 24) {
		bytes_put_int(out, 0xfd, 1);
		put_int3(out, value);
	} else {
		bytes_put_int(out, 0xfe, 1);
		bytes_put_int(out, value, 8);
	}
}

__u64 mysql_get_lenenc(struct cursor *c)
{
	__u8 first = cursor_get_int(c, 1);

	switch (first) {
	case 0xfc:
		return cursor_get_int(c, 2);
	case 0xfd:
		return get_int3(c);
	case 0xfe:
		return cursor_get_int(c, 8);
	case 0xfb:			/* NULL: not a length */
	case 0xff:			/* an error packet's first byte */
		c->err = -EBADMSG;
		return 0;
	default:
		return first;
	}
}

/* --- requests --------------------------------------------------------------------------------- */

void mysql_put_packets(struct bytes *out, __u8 seq, const void *payload, size_t len)
{
	const __u8 *data = payload;
	size_t part;

	do {
		part = len < MYSQL_PACKET_MAX ? len : MYSQL_PACKET_MAX;
		put_int3(out, part);
		bytes_put_int(out, seq++, 1);
		bytes_put(out, data, part);
		data += part;
		len -= part;
	} while (part == MYSQL_PACKET_MAX);
}

/* A short packet: its head is filled in when the payload is there. */
static size_t packet_open(struct bytes *out, __u8 seq)
{
	size_t head = out->len;

	put_int3(out, 0);
	bytes_put_int(out, seq, 1);
	return head;
}

static void packet_close(struct bytes *out, size_t head)
{
	size_t len = out->len - head - MYSQL_HEAD;

	if (out->err)
		return;
	if (len >= MYSQL_PACKET_MAX) {
		out->err = -EMSGSIZE;
		return;
	}
	out->data[head] = len;
	out->data[head + 1] = len >> 8;
	out->data[head + 2] = len >> 16;
}

static size_t command_open(struct bytes *out, enum mysql_command command)
{
	size_t head = packet_open(out, 0);

	bytes_put_int(out, command, 1);
	return head;
}

void mysql_put_command(struct bytes *out, enum mysql_command command, const void *body, size_t len)
{
	struct bytes payload = { 0 };
	size_t head;

	if (len + 1 < MYSQL_PACKET_MAX) {
		head = command_open(out, command);
		bytes_put(out, body, len);
		packet_close(out, head);
		return;
	}
	bytes_put_int(&payload, command, 1);
	bytes_put(&payload, body, len);
	if (payload.err)
		out->err = payload.err;
	else
		mysql_put_packets(out, 0, payload.data, payload.len);
	bytes_fini(&payload);
}

void mysql_put_text(struct bytes *out, enum mysql_command command, const char *text)
{
	mysql_put_command(out, command, text, strlen(text));
}

/* MariaDB's bits stand in the last four of the 23 reserved bytes, if bit 0 is not set. */
static void put_login_start(struct bytes *out, __u64 capabilities)
{
	static const __u8 zero[19];

	bytes_put_int(out, capabilities & 0xffffffff, 4);
	bytes_put_int(out, LOGIN_PACKET_MAX, 4);
	bytes_put_int(out, CHARSET_UTF8MB4, 1);
	bytes_put(out, zero, sizeof(zero));
	bytes_put_int(out, capabilities >> 32, 4);
}

void mysql_put_ssl_request(struct bytes *out, __u64 capabilities)
{
	size_t head = packet_open(out, 1);

	put_login_start(out, capabilities | MYSQL_CAP_SSL);
	packet_close(out, head);
}

void mysql_put_login(struct bytes *out, __u8 seq, __u64 capabilities, const char *user, const char *db)
{
	static const char plugin[] = "mysql_native_password";
	size_t head = packet_open(out, seq);

	capabilities |= db ? MYSQL_CAP_WITH_DB : 0;
	put_login_start(out, capabilities);
	bytes_put(out, user, strlen(user) + 1);
	bytes_put_int(out, 0, 1);		/* length of the password's scramble */
	if (db)
		bytes_put(out, db, strlen(db) + 1);
	if (capabilities & MYSQL_CAP_PLUGIN_AUTH)
		bytes_put(out, plugin, sizeof(plugin));
	packet_close(out, head);
}

void mysql_put_change_user(struct bytes *out, const char *user, const char *db)
{
	static const char plugin[] = "mysql_native_password";
	size_t head = command_open(out, MYSQL_CHANGE_USER);

	bytes_put(out, user, strlen(user) + 1);
	bytes_put_int(out, 0, 1);
	bytes_put(out, db, strlen(db) + 1);
	bytes_put_int(out, CHARSET_UTF8MB4, 2);
	bytes_put(out, plugin, sizeof(plugin));
	packet_close(out, head);
}

static void put_string(struct bytes *out, const char *text)
{
	size_t len = strlen(text);

	mysql_put_lenenc(out, len);
	bytes_put(out, text, len);
}

static void put_types(struct bytes *out, size_t n_params)
{
	for (size_t i = 0; i < n_params; i++)
		bytes_put_int(out, TYPE_STRING, 2);
}

void mysql_put_execute(struct bytes *out, __u32 stmt, int cursor, const char *const *param, size_t n_params)
{
	size_t head = command_open(out, MYSQL_EXECUTE);

	bytes_put_int(out, stmt, 4);
	bytes_put_int(out, cursor ? 1 : 0, 1);
	bytes_put_int(out, 1, 4);		/* iterations, always 1 */
	for (size_t i = 0; i < (n_params + 7) / 8; i++)
		bytes_put_int(out, 0, 1);	/* no parameter is NULL */
	if (n_params)
		bytes_put_int(out, 1, 1);	/* types follow */
	put_types(out, n_params);
	for (size_t i = 0; i < n_params; i++)
		if (param[i])
			put_string(out, param[i]);
	packet_close(out, head);
}

void mysql_put_bulk_execute(struct bytes *out, __u32 stmt, const char *const *param, size_t n_params, size_t n_rows)
{
	size_t head = command_open(out, MYSQL_BULK_EXECUTE);

	bytes_put_int(out, stmt, 4);
	bytes_put_int(out, BULK_SEND_TYPES, 2);
	put_types(out, n_params);
	for (size_t i = 0; i < n_params * n_rows; i++) {
		bytes_put_int(out, 0, 1);	/* indicator: a value follows */
		put_string(out, param[i]);
	}
	packet_close(out, head);
}

void mysql_put_long_data(struct bytes *out, __u32 stmt, __u16 param, const void *data, size_t len)
{
	size_t head = command_open(out, MYSQL_SEND_LONG_DATA);

	bytes_put_int(out, stmt, 4);
	bytes_put_int(out, param, 2);
	bytes_put(out, data, len);
	packet_close(out, head);
}

void mysql_put_fetch(struct bytes *out, __u32 stmt, __u32 n_rows)
{
	size_t head = command_open(out, MYSQL_STMT_FETCH);

	bytes_put_int(out, stmt, 4);
	bytes_put_int(out, n_rows, 4);
	packet_close(out, head);
}

void mysql_put_binlog_dump(struct bytes *out, __u32 position, __u32 server_id, const char *file)
{
	size_t head = command_open(out, MYSQL_BINLOG_DUMP);

	bytes_put_int(out, position, 4);
	bytes_put_int(out, BINLOG_NON_BLOCK, 2);
	bytes_put_int(out, server_id, 4);
	bytes_put(out, file, strlen(file));
	packet_close(out, head);
}

static void put_frame(struct bytes *out, __u8 seq, const __u8 *data, size_t len)
{
	__u8 packed[COMPRESSED_MAX + 1024];
	uLongf packed_len = sizeof(packed);
	int plain = len < COMPRESS_MIN || compress(packed, &packed_len, data, len) != Z_OK || packed_len >= len;

	put_int3(out, plain ? len : packed_len);
	bytes_put_int(out, seq, 1);
	put_int3(out, plain ? 0 : len);
	bytes_put(out, plain ? data : packed, plain ? len : packed_len);
}

void mysql_put_compressed(struct bytes *out, __u8 seq, const void *data, size_t len)
{
	const __u8 *from = data;

	while (len) {
		size_t part = len < COMPRESSED_MAX ? len : COMPRESSED_MAX;

		put_frame(out, seq++, from, part);
		from += part;
		len -= part;
	}
}

/* --- replies ---------------------------------------------------------------------------------- */

int mysql_get_greeting(const __u8 *data, size_t len, struct mysql_greeting *ret_greeting)
{
	struct cursor c = { .data = data, .len = len };
	struct mysql_greeting g = { 0 };
	__u8 version = cursor_get_int(&c, 1);
	const __u8 *text = data + c.at, *end = c.err ? NULL : memchr(text, 0, len - c.at);
	__u64 high, extra;

	if (version != 10 || !end || (size_t)(end - text) >= sizeof(g.version))
		return -EBADMSG;
	memcpy(g.version, text, end - text);
	cursor_get(&c, end - text + 1);
	g.connection_id = cursor_get_int(&c, 4);
	cursor_get(&c, 8 + 1);			/* scramble, filler */
	g.capabilities = cursor_get_int(&c, 2);
	cursor_get(&c, 1 + 2);			/* character set, status */
	high = cursor_get_int(&c, 2);
	g.capabilities |= high << 16;
	cursor_get(&c, 1 + 6);			/* length of the scramble, reserved */
	extra = cursor_get_int(&c, 4);
	if (!(g.capabilities & MYSQL_CAP_LONG_PASSWORD))
		g.capabilities |= extra << 32;
	if (c.err)
		return c.err;
	*ret_greeting = g;
	return 0;
}

enum { AT_FIRST, IN_COLUMNS, AFTER_COLUMNS, IN_ROWS, IN_PARAMETERS, AFTER_PARAMETERS, AT_END };

void mysql_reply_begin(struct mysql_reply *r, enum mysql_shape shape, __u64 capabilities)
{
	memset(r, 0, sizeof(*r));
	r->shape = shape;
	r->no_eof = !!(capabilities & MYSQL_CAP_DEPRECATE_EOF);
	r->state = shape == MYSQL_REPLY_NONE ? AT_END : AT_FIRST;
	if (shape == MYSQL_REPLY_ROWS)
		r->state = IN_ROWS;
}

static int take_end(struct mysql_reply *r)
{
	r->state = AT_END;
	return 1;
}

static int take_error(struct mysql_reply *r, struct cursor *c)
{
	r->error = cursor_get_int(c, 2);
	return c->err ? c->err : take_end(r);
}

/* After an OK or EOF that ends a result: is there another one? */
static int take_result_end(struct mysql_reply *r, __u16 status)
{
	r->status = status;
	r->n_results++;
	if (r->shape != MYSQL_REPLY_RESULTS || !(status & STATUS_MORE_RESULTS))
		return take_end(r);
	r->state = AT_FIRST;
	return 0;
}

static int take_ok(struct mysql_reply *r, struct cursor *c)
{
	__u16 status;

	mysql_get_lenenc(c);			/* affected rows */
	mysql_get_lenenc(c);			/* last insert id */
	status = cursor_get_int(c, 2);
	return c->err ? c->err : take_result_end(r, status);
}

/* EOF: 0xfe, warnings, status; or in its place an OK: 0xfe, rows, insert id, status. */
static int take_eof_status(struct mysql_reply *r, struct cursor *c, __u16 *ret_status)
{
	if (r->no_eof) {
		mysql_get_lenenc(c);
		mysql_get_lenenc(c);
	} else {
		cursor_get(c, 2);
	}
	*ret_status = cursor_get_int(c, 2);
	return c->err;
}

static int take_result_first(struct mysql_reply *r, __u8 first, struct cursor *c)
{
	if (first == 0)
		return take_ok(r, c);
	if (first == 0xfb) {			/* LOAD DATA LOCAL: the rest is a file name */
		r->wants_file = 1;
		return 0;
	}
	c->at = 0;
	r->n_columns = mysql_get_lenenc(c);
	if (c->err || !r->n_columns)
		return -EBADMSG;
	r->state = IN_COLUMNS;
	return 0;
}

static int take_prepare_first(struct mysql_reply *r, __u8 first, struct cursor *c)
{
	if (first != 0)
		return -EBADMSG;
	r->stmt = cursor_get_int(c, 4);
	r->n_columns = cursor_get_int(c, 2);
	r->n_params = cursor_get_int(c, 2);
	if (c->err)
		return c->err;
	if (!r->n_params && !r->n_columns)
		return take_end(r);
	r->state = r->n_params ? IN_PARAMETERS : IN_COLUMNS;
	return 0;
}

static int take_first(struct mysql_reply *r, __u8 first, struct cursor *c)
{
	if (r->shape == MYSQL_REPLY_RESULTS)
		return take_result_first(r, first, c);
	if (r->shape == MYSQL_REPLY_PREPARE)
		return take_prepare_first(r, first, c);
	if (r->shape == MYSQL_REPLY_STREAM && first != 0xfe) {
		r->n_rows++;
		return 0;
	}
	return take_end(r);
}

static int take_columns_end(struct mysql_reply *r)
{
	if (r->shape == MYSQL_REPLY_PREPARE)
		return take_end(r);
	r->state = IN_ROWS;
	return 0;
}

static int take_parameters_end(struct mysql_reply *r)
{
	if (!r->n_columns)
		return take_end(r);
	r->state = IN_COLUMNS;
	return 0;
}

static int take_parameter(struct mysql_reply *r)
{
	if (--r->n_params)
		return 0;
	r->state = AFTER_PARAMETERS;
	return r->no_eof ? take_parameters_end(r) : 0;
}

static int take_column(struct mysql_reply *r)
{
	if (--r->n_columns)
		return 0;
	r->state = AFTER_COLUMNS;
	return r->no_eof ? take_columns_end(r) : 0;
}

/* The EOF after definitions. */
static int take_definitions_end(struct mysql_reply *r, __u8 first, struct cursor *c)
{
	__u16 status;

	if (first != 0xfe || take_eof_status(r, c, &status))
		return -EBADMSG;
	if (r->state == AFTER_PARAMETERS)
		return take_parameters_end(r);
	if (r->shape == MYSQL_REPLY_RESULTS && status & STATUS_CURSOR)	/* the rows wait for a fetch */
		return take_result_end(r, status);
	return take_columns_end(r);
}

/* A row that begins like an end is longer: its first value has 16 MiB. */
static int take_row(struct mysql_reply *r, __u8 first, size_t len, struct cursor *c)
{
	__u16 status;

	if (first == 0xfe && len < (r->no_eof ? MYSQL_PACKET_MAX : 9))
		return take_eof_status(r, c, &status) ? -EBADMSG : take_result_end(r, status);
	r->n_rows++;
	return 0;
}

int mysql_reply_take(struct mysql_reply *r, const __u8 *payload, size_t len)
{
	struct cursor c = { .data = payload, .len = len };
	__u8 first = cursor_get_int(&c, 1);

	if (c.err || r->state == AT_END)
		return -EBADMSG;
	r->n_bytes += len;
	r->wants_file = 0;
	if (first == 0xff && r->state != IN_COLUMNS && r->state != IN_PARAMETERS)
		return take_error(r, &c);
	switch (r->state) {
	case AT_FIRST:
		return take_first(r, first, &c);
	case IN_PARAMETERS:
		return take_parameter(r);
	case IN_COLUMNS:
		return take_column(r);
	case AFTER_PARAMETERS:
	case AFTER_COLUMNS:
		return take_definitions_end(r, first, &c);
	default:
		return take_row(r, first, len, &c);
	}
}
