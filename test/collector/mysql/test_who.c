/* A client's packets and the server's replies show who the client is, and its database. */
#include "test/kit/mysql_driver.h"
#include "test/kit/check.h"

#define SECURE (CLIENT_PROTOCOL_41 | CLIENT_SECURE_CONNECTION)
#define WITH_DB (SECURE | CLIENT_CONNECT_WITH_DB)
#define OLD_AUTH (CLIENT_PROTOCOL_41 | CLIENT_CONNECT_WITH_DB)
#define LENENC (CLIENT_PROTOCOL_41 | CLIENT_PLUGIN_AUTH_LENENC | CLIENT_CONNECT_WITH_DB)

#define UNKNOWN ""			/* where a name is expected */
#define NONE "-"

static __u64 code_of(const char *text)
{
	struct name name;

	if (!*text || !strcmp(text, NONE))
		return *text ? NAME_NONE : NAME_UNKNOWN;
	name_begin(&name);
	while (*text)
		name_byte(&name, (__u8)*text++);
	return name_code(&name);
}

static void is(const struct drive *d, const char *user, const char *database)
{
	if (d->conn.who.user != code_of(user) || d->conn.who.database != code_of(database))
		fail_msg("not \"%s\" in \"%s\"", user, database);
}

/* Receives the bytes in pieces that end at `a` and `b`. */
static void receive_cut(struct drive *d, const __u8 *data, __u32 n, __u32 a, __u32 b)
{
	drive_receive(d, data, a);
	drive_receive(d, data + a, b - a);
	drive_receive(d, data + b, n - b);
}

static __u32 login(__u8 *out, __u32 caps, const void *rest, __u32 n)
{
	__u8 body[2048] = { caps, caps >> 8, caps >> 16, caps >> 24, 0, 0, 0, 1, 45 };

	memcpy(body + LOGIN_USER, rest, n);
	return packet(out, 1, body, LOGIN_USER + n);
}

static void open_login(struct drive *d)
{
	memset(d, 0, sizeof(*d));
	d->conn.mode = CONN_LOGIN;
}

static void a_login_names_user_and_database(void **state)
{
#define LOGIN(caps, rest, user, database) { caps, rest, sizeof(rest) - 1, user, database }
	static const struct { __u32 caps; const char *rest; __u32 n; const char *user, *database; } cases[] = {
		LOGIN(WITH_DB, "bob\0\0shop\0mysql_native_password\0", "bob", "shop"),
		LOGIN(WITH_DB, "bob\0\3xyzshop\0", "bob", "shop"),
		LOGIN(WITH_DB, "bob\0\3\0\0\0shop\0", "bob", "shop"),
		LOGIN(WITH_DB, "bob\0\0shop", "bob", "shop"),			/* without its 00 */
		LOGIN(WITH_DB, "bob\0\0\0", "bob", NONE),
		LOGIN(SECURE, "bob\0\3xyzmysql_native_password\0", "bob", NONE),
		LOGIN(SECURE, "\0\0", NONE, NONE),				/* the anonymous user */
		LOGIN(OLD_AUTH, "bob\0scrambled\0shop\0", "bob", "shop"),
		LOGIN(OLD_AUTH, "bob\0\0shop\0", "bob", "shop"),
		LOGIN(LENENC, "bob\0\xfc\4\0abcdshop\0", "bob", "shop"),
		LOGIN(LENENC, "bob\0\xfd\4\0\0abcdshop\0", "bob", UNKNOWN),	/* no password is that long */
		LOGIN(LENENC, "bob\0\xfc\0\0shop\0", "bob", "shop"),
		LOGIN(WITH_DB, "bob\0\377short", "bob", UNKNOWN),		/* a wrong length */
		LOGIN(WITH_DB, "bob\0", "bob", UNKNOWN),
		LOGIN(WITH_DB, "bob", UNKNOWN, UNKNOWN),
		LOGIN(WITH_DB, "", UNKNOWN, UNKNOWN),
		LOGIN(0, "bob\0\0shop\0", UNKNOWN, UNKNOWN),			/* before 4.1 */
		LOGIN(WITH_DB, "b\xff\x01\xc3\0\0sh\xe9p\0", "b\xff\x01\xc3", "sh\xe9p"),
	};
#undef LOGIN
	__u8 data[2048];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		__u32 n = login(data, cases[i].caps, cases[i].rest, cases[i].n), a, b;

		for (a = 0; a <= n; a++)
			for (b = a; b <= n; b++) {
				struct drive d;

				open_login(&d);
				receive_cut(&d, data, n, a, b);
				is(&d, UNKNOWN, UNKNOWN);		/* the server has not agreed yet */
				login_end(&d.conn, 2);
				is(&d, cases[i].user, cases[i].database);
			}
	}
}

static void a_name_is_reported_once_with_its_bytes(void **state)
{
	__u8 data[256];
	struct drive d;

	open_login(&d);
	drive_receive(&d, data, login(data, WITH_DB, "bob\0\3xyzshop\0", 13));
	assert_int_equal(d.n_names, 2);
	assert_string_equal(d.name[0], "bob");
	assert_string_equal(d.name[1], "shop");
}

/* The packets after the login have no capabilities: the old ones stay, and so does the user. */
static void the_rest_of_an_authentication_changes_nothing(void **state)
{
	__u8 data[256];
	struct drive d;

	open_login(&d);
	drive_receive(&d, data, login(data, WITH_DB, "bob\0\0shop\0", 10));
	drive_receive(&d, data, packet(data, 3, "\x20\x20\x20\x20\0\0\0\0\x1cscramble and more of it, ann\0\0x\0", 41));
	assert_int_equal(d.conn.caps, WITH_DB);
	assert_int_equal(d.conn.multibyte, 0);
	login_end(&d.conn, 2);
	is(&d, "bob", "shop");
}

static void within_tls_it_is_encrypted(void **state)
{
	__u8 data[256];
	struct drive d;

	open_login(&d);
	drive_receive(&d, data, login(data, WITH_DB | CLIENT_SSL, "", 0));
	assert_true(d.conn.who.user == NAME_ENCRYPTED && d.conn.who.database == NAME_ENCRYPTED);
}

/* ---- commands ---- */

static void bob_in_shop(struct drive *d, int wanted)
{
	plain(d);
	d->conn.wanted = wanted;
	d->conn.caps = WITH_DB;
	d->conn.who.user = code_of("bob");
	d->conn.who.database = code_of("shop");
}

static void answer(struct drive *d, const char *reply, __u32 n)
{
	drive_send(d, (const __u8 *)reply, n);
}

#define ANSWER(d, reply) answer(d, reply, sizeof(reply) - 1)

static void next(struct drive *d)
{
	__u8 data[16];

	drive_receive(d, data, command(data, 14, ""));
}

struct move {
	__u8 command;
	const char *body;
	__u32 n;
	const char *user, *database;	/* after the command */
	int wanted;			/* only if an instrumentation asks */
};

#define MOVE(command, body, user, database, wanted) { command, body, sizeof(body) - 1, user, database, wanted }

static const struct move moves[] = {
	MOVE(COM_INIT_DB, "mail", "bob", "mail", 0), MOVE(COM_INIT_DB, "a b;`c", "bob", "a b;`c", 0),
	MOVE(COM_INIT_DB, "mail_with_a_longer_name", "bob", "mail_with_a_longer_name", 0),
	MOVE(COM_CHANGE_USER, "ann\0\3xyzmail\0\x2d\0mysql_native_password\0", "ann", "mail", 0),
	MOVE(COM_CHANGE_USER, "ann\0\0\0", "ann", NONE, 0), MOVE(COM_CHANGE_USER, "ann\0\0mail", "ann", "mail", 0),
	MOVE(COM_CHANGE_USER, "ann", UNKNOWN, UNKNOWN, 0),
	MOVE(COM_QUERY, "use mail", "bob", "mail", 0), MOVE(COM_QUERY, "USE Mail;", "bob", "Mail", 0),
	MOVE(COM_QUERY, "use `ma il`", "bob", "ma il", 0), MOVE(COM_QUERY, "use`mail`", "bob", "mail", 0),
	MOVE(COM_QUERY, "use \n `ma``il` ; ", "bob", "ma`il", 0), MOVE(COM_QUERY, "use m", "bob", "m", 0),
	MOVE(COM_QUERY, "use mail -- it is", "bob", "mail", 0), MOVE(COM_QUERY, "use mail/* it */", "bob", "mail", 0),
	MOVE(COM_QUERY, "use /* that */ mail", "bob", UNKNOWN, 0),
	MOVE(COM_QUERY, "use `ma\"il`;", "bob", "ma\"il", 0), MOVE(COM_QUERY, "use \"ma`il\"", "bob", "ma`il", 0),
	MOVE(COM_QUERY, "use", "bob", "shop", 0), MOVE(COM_QUERY, "use ", "bob", "shop", 0), MOVE(COM_QUERY, "use `m", "bob", "shop", 0),
	MOVE(COM_QUERY, "user mail", "bob", "shop", 0), MOVE(COM_QUERY, "use_mail x", "bob", "shop", 0),
	MOVE(COM_QUERY, "update use set mail = 1", "bob", "shop", 0), MOVE(COM_QUERY, "select 'use mail'", "bob", "shop", 0),
	MOVE(COM_QUERY, " use mail", "bob", "mail", 1), MOVE(COM_QUERY, "/* now */ use mail", "bob", "mail", 1),
	MOVE(COM_STMT_PREPARE, "use mail", "bob", "shop", 0), MOVE(14, "", "bob", "shop", 0), MOVE(31, "", "bob", "shop", 0),
};

/* Receives the command, in pieces, and sends its answer. */
static void move(struct drive *d, const struct move *m, __u32 a, __u32 b, const char *reply, __u32 n_reply)
{
	__u8 body[256], data[256];
	__u32 n;

	body[0] = m->command;
	memcpy(body + 1, m->body, m->n);
	n = packet(data, 0, body, m->n + 1);
	receive_cut(d, data, n, a < n ? a : n, b < n ? b : n);
	is(d, "bob", "shop");			/* the old values hold until the answer */
	if (n_reply)
		answer(d, reply, n_reply);
	next(d);
}

static void a_command_that_succeeds_moves_it(void **state)
{
	struct drive d;

	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++)
		for (int mode = 0; mode < 6; mode++)
			for (__u32 a = 0; a <= moves[i].n + 5; a++)
				for (__u32 b = a; b <= moves[i].n + 5; b++) {
					bob_in_shop(&d, mode & 1);
					d.ahead = mode > 1;
					d.ahead_text = mode > 3;
					move(&d, &moves[i], a, b, OK, sizeof(OK) - 1);
					if (mode & 1 || !moves[i].wanted)
						is(&d, moves[i].user, moves[i].database);
					else
						is(&d, "bob", "shop");
				}
}

static void a_command_that_fails_does_not(void **state)
{
	struct drive d;

	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		bob_in_shop(&d, 1);
		move(&d, &moves[i], 4, 5, ERR, sizeof(ERR) - 1);
		is(&d, "bob", "shop");
	}
}

/* The answer was not seen. */
static void a_change_without_a_seen_answer_is_unknown(void **state)
{
	struct drive d;

	for (size_t i = 0; i < sizeof(moves) / sizeof(*moves); i++) {
		const struct move *m = &moves[i];

		bob_in_shop(&d, 1);
		move(&d, m, 4, 5, NULL, 0);
		is(&d, strcmp(m->user, "bob") ? UNKNOWN : "bob", strcmp(m->database, "shop") ? UNKNOWN : "shop");
	}
}

/* Commands that name the client's character set.  May a backslash hide in it after the command, if none could before; and if one
 * could? */
static const struct {
	__u8 command;
	const char *body;
	__u32 n;
	int from_plain, from_hiding;
} charsets[] = {
#define SET(body, hides) { COM_QUERY, body, sizeof(body) - 1, hides, 1 }
	SET("set names gbk", 1), SET("SET NAMES 'SJIS'", 1), SET("set  names\n`cp932` collate cp932_bin;", 1), SET("set character set big5", 1),
	SET("set charset gb18030", 1), SET("set character_set_client=gbk", 1), SET("set @@session.character_set_client := 'gbk'", 1),
	SET("set autocommit = 1, character_set_client = gbk", 1), SET("set@@character_set_client=gbk", 1), SET("set names /* x */ gbk", 1),
	SET("set autocommit = 1; set names gbk; select 1", 1), SET("set names utf8mb4", 0), SET("set names 'utf8' collate 'utf8_bin'", 0),
	SET("set character_set_client = latin1", 0), SET("set names default", 0), SET("set names = gbk_x", 0), SET("set names gbkgbkgbk", 0),
	SET("select 'set names gbk'", 0), SET("set", 0), SET("sets names gbk", 0), SET("select gbk", 0),
	{ COM_STMT_PREPARE, "set names gbk", 13, 1, 1 }, { COM_STMT_PREPARE, "set names utf8", 14, 0, 1 },
#undef SET
	{ COM_CHANGE_USER, "ann\0\3xyzmail\0\x1c\0mysql_native_password\0", 36, 1, 1 },
	{ COM_CHANGE_USER, "ann\0\3xyzmail\0\x2d\0mysql_native_password\0", 36, 0, 0 },
	{ COM_CHANGE_USER, "ann\0\3xyzmail\0\x1c\1mysql_native_password\0", 36, 0, 0 },		/* 284: utf8mb4 */
	{ COM_CHANGE_USER, "ann\0\3xyzmail\0\x1c\4mysql_native_password\0", 36, 1, 1 },		/* 1052: gbk without padding */
	{ COM_CHANGE_USER, "ann\0\0\0\xfa\0", 8, 1, 1 }, { COM_CHANGE_USER, "ann\0\0\0\xfa", 7, 1, 1 },
	{ COM_CHANGE_USER, "ann\0\0mail", 9, 0, 1 },
};

static void charset_case(size_t i, int mode, __u32 a, __u32 b, int was, const char *reply, __u32 n_reply, int is)
{
	struct drive d;
	__u8 body[256] = { charsets[i].command, 0, 1 }, data[256];
	__u32 n, attributes = mode > 5 && charsets[i].command == COM_QUERY ? 2 : 0;	/* the bytes that say there are none */

	bob_in_shop(&d, mode & 1);
	d.ahead = mode > 1 && mode != 6;
	d.ahead_text = mode > 3 && mode != 6;
	d.conn.multibyte = was;
	d.conn.caps |= attributes ? CLIENT_QUERY_ATTRIBUTES : 0;
	memcpy(body + 1 + attributes, charsets[i].body, charsets[i].n);
	n = packet(data, 0, body, charsets[i].n + 1 + attributes);
	receive_cut(&d, data, n, a < n ? a : n, b < n ? b : n);
	answer(&d, reply, n_reply);
	next(&d);
	if (d.conn.multibyte != is)
		fail_msg("mode %d, cuts %u and %u, from %d: %u: %s", mode, a, b, was, d.conn.multibyte, charsets[i].body);
}

static void the_character_set_is_followed(void **state)
{
	for (size_t i = 0; i < sizeof(charsets) / sizeof(*charsets); i++)
		for (int mode = 0; mode < 8; mode++)
			for (__u32 a = 0; a <= charsets[i].n + 7; a++)
				for (__u32 b = a; b <= charsets[i].n + 7; b++) {
					charset_case(i, mode, a, b, 0, OK, sizeof(OK) - 1, charsets[i].from_plain);
					charset_case(i, mode, a, b, 1, OK, sizeof(OK) - 1, charsets[i].from_hiding);
					charset_case(i, mode, a, b, 1, ERR, sizeof(ERR) - 1, charsets[i].from_hiding);
				}
}

/* It is not known which of the two statements failed. */
static void an_error_after_a_use_leaves_it_unknown(void **state)
{
	static const struct { const char *text; int chained; } cases[] = {
		{ "use mail; selekt 1", 1 }, { "use mail;selekt 1", 1 }, { "use `mail` ;\n do", 1 }, { "use mail /* it */; x", 1 },
		{ "use shop; selekt 1", 0 },			/* the old database stays */
		{ "use mail;", 0 }, { "use mail ; \n", 0 }, { "use mail x", 0 }, { "select 1; use mail", 0 },
	};
	__u8 data[64];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int ok = 0; ok < 2; ok++) {
			struct drive d;

			bob_in_shop(&d, 0);
			drive_receive(&d, data, command(data, COM_QUERY, cases[i].text));
			if (ok)
				ANSWER(&d, OK);
			else
				ANSWER(&d, ERR);
			next(&d);
			if (!ok)
				is(&d, "bob", cases[i].chained ? UNKNOWN : "shop");
			else if (cases[i].chained)
				is(&d, "bob", "mail");
		}
}

/* MySQL 8: the bytes 00 01 before the text say that there are no attributes. */
static void a_use_after_attributes_moves_it(void **state)
{
	static const struct move cases[] = {
		MOVE(COM_QUERY, "\0\1use mail", "bob", "mail", 0), MOVE(COM_QUERY, "\0\1USE `mail`; do 1", "bob", "mail", 0),
		MOVE(COM_QUERY, "\0\1select mail", "bob", "shop", 0), MOVE(COM_QUERY, "\0\1", "bob", "shop", 0),
		MOVE(COM_QUERY, "\0\1update t set a = 1", "bob", "shop", 0), MOVE(COM_QUERY, "\0\1 use mail", "bob", "mail", 1),
		MOVE(COM_QUERY, "\1\1\0\1\3\0\1auuseuse mail", "bob", "mail", 0),	/* one attribute */
		MOVE(COM_QUERY, "\1\1\0\0\3\0\1auuseuse mail", "bob", UNKNOWN, 0),	/* none that we read */
		MOVE(COM_STMT_PREPARE, "use mail", "bob", "shop", 0), MOVE(COM_INIT_DB, "mail", "bob", "mail", 0),
	};
	struct drive d;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		for (int mode = 0; mode < 6; mode++)
			for (__u32 a = 0; a <= cases[i].n + 5; a++)
				for (__u32 b = a; b <= cases[i].n + 5; b++) {
					bob_in_shop(&d, mode & 1);
					d.conn.caps |= CLIENT_QUERY_ATTRIBUTES;
					d.ahead = mode > 1;
					d.ahead_text = mode > 3;
					move(&d, &cases[i], a, b, OK, sizeof(OK) - 1);
					is(&d, cases[i].user, cases[i].wanted && !(mode & 1) ? "shop" : cases[i].database);
				}
}

/* An execute by the number that means the last prepared statement. */
static void the_last_prepared_use_leaves_the_database_unknown(void **state)
{
	static const struct { const char *text, *database; } cases[] = { { "use mail", UNKNOWN }, { "select 1", "shop" } };
	__u8 data[64];

	for (size_t i = 0; i < 2; i++)
		for (int ahead = 0; ahead < 2; ahead++) {
			struct drive d;

			bob_in_shop(&d, 0);
			d.ahead = ahead;
			drive_receive(&d, data, command(data, COM_STMT_PREPARE, cases[i].text));
			drive_receive(&d, data, packet(data, 0, "\x17\xff\xff\xff\xff\0\1\0\0\0", 10));
			is(&d, "bob", "shop");
			ANSWER(&d, OK);
			next(&d);
			is(&d, "bob", cases[i].database);
		}
}

static void another_user_may_be_asked_for_more(void **state)
{
	__u8 data[64];
	struct drive d;

	for (int refused = 0; refused < 2; refused++) {
		bob_in_shop(&d, 0);
		drive_receive(&d, data, packet(data, 0, "\x11" "ann\0\0mail\0", 11));
		ANSWER(&d, "\7\0\0\1\xfemysql\0");
		drive_receive(&d, data, packet(data, 2, "secret", 6));
		if (refused)
			ANSWER(&d, ERR);
		else
			ANSWER(&d, OK);
		next(&d);
		is(&d, refused ? "bob" : "ann", refused ? "shop" : "mail");
	}
}

static void a_prepared_use_leaves_the_database_unknown(void **state)
{
	struct drive d;

	bob_in_shop(&d, 0);
	who_moves(&d.conn.who);
	d.conn.result = STATUS_OK;
	next(&d);
	is(&d, "bob", UNKNOWN);
}

/* An opaque connection may do anything unseen. */
static void opaque_is_unknown(void **state)
{
	struct drive d;

	bob_in_shop(&d, 0);
	conn_becomes(&d.conn, CONN_OPAQUE);
	is(&d, UNKNOWN, UNKNOWN);
	bob_in_shop(&d, 0);
	conn_becomes(&d.conn, CONN_COMPRESSED);
	is(&d, "bob", "shop");
}

/* ---- parts that are too long ---- */

static void a_long_name_is_cut(void **state)
{
	char text[NAME_ROOM + 50];
	__u8 data[512];
	struct drive d;

	for (__u32 n = NAME_ROOM - 2; n < sizeof(text); n++) {
		memset(text, 'x', n);
		text[n] = 0;
		bob_in_shop(&d, 0);
		drive_receive(&d, data, command(data, COM_INIT_DB, text));
		ANSWER(&d, OK);
		next(&d);
		text[n < NAME_ROOM ? n : NAME_ROOM] = 0;
		is(&d, "bob", text);
		assert_string_equal(d.name[0], text);
	}
}

/* Of any part at most WHO_LOOK bytes are read. */
static void an_endless_name_is_unknown(void **state)
{
	static const __u8 commands[] = { COM_INIT_DB, COM_CHANGE_USER, COM_QUERY };
	static __u8 body[70000], data[70008];
	struct drive d;

	for (size_t i = 0; i < 3; i++) {
		__u32 n, steps = 0;

		memset(body, 'x', sizeof(body));
		memcpy(body, "\0use ", 5);
		body[0] = commands[i];
		n = packet(data, 0, body + (commands[i] == COM_QUERY ? 0 : 4), sizeof(body) - 4);
		data[4] = commands[i];
		bob_in_shop(&d, 0);
		drive_receive(&d, data, 5);
		for (__u32 at = 5; at < n; steps++) {
			__u32 blind = parse_blind(&d.conn);

			drive_receive(&d, blind ? NULL : data + at, blind ? blind : 1);
			at += blind ? blind : 1;
		}
		assert_true(steps <= WHO_LOOK + 8);
		ANSWER(&d, OK);
		next(&d);
		is(&d, commands[i] == COM_CHANGE_USER ? UNKNOWN : "bob", UNKNOWN);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(a_login_names_user_and_database),
	cmocka_unit_test(a_name_is_reported_once_with_its_bytes),
	cmocka_unit_test(the_rest_of_an_authentication_changes_nothing),
	cmocka_unit_test(within_tls_it_is_encrypted),
	cmocka_unit_test(a_command_that_succeeds_moves_it),
	cmocka_unit_test(a_command_that_fails_does_not),
	cmocka_unit_test(the_character_set_is_followed),
	cmocka_unit_test(a_change_without_a_seen_answer_is_unknown),
	cmocka_unit_test(an_error_after_a_use_leaves_it_unknown),
	cmocka_unit_test(a_use_after_attributes_moves_it),
	cmocka_unit_test(the_last_prepared_use_leaves_the_database_unknown),
	cmocka_unit_test(another_user_may_be_asked_for_more),
	cmocka_unit_test(a_prepared_use_leaves_the_database_unknown),
	cmocka_unit_test(opaque_is_unknown),
	cmocka_unit_test(a_long_name_is_cut),
	cmocka_unit_test(an_endless_name_is_unknown),
};

CHECK_MAIN(tests)
