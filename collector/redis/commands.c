#include "collector/redis/commands.h"

#include <string.h>

/* Redis 8, Valkey 9 and what came before them, in the order of their names: the codes of the field. */
static const struct command commands[] = {
	{ "acl", KIND_CONTAINER, 0 }, { "acl cat", KIND_PLAIN, 0 }, { "acl deluser", KIND_PLAIN, 0 },
	{ "acl dryrun", KIND_PLAIN, 0 }, { "acl genpass", KIND_PLAIN, 0 }, { "acl getuser", KIND_PLAIN, 0 },
	{ "acl help", KIND_PLAIN, 0 }, { "acl list", KIND_PLAIN, 0 }, { "acl load", KIND_PLAIN, 0 },
	{ "acl log", KIND_PLAIN, 0 }, { "acl save", KIND_PLAIN, 0 }, { "acl setuser", KIND_PLAIN, 0 },
	{ "acl users", KIND_PLAIN, 0 }, { "acl whoami", KIND_PLAIN, 0 }, { "append", KIND_PLAIN, 1 },
	{ "asking", KIND_PLAIN, 0 }, { "auth", KIND_PLAIN, 0 }, { "bgrewriteaof", KIND_PLAIN, 0 },
	{ "bgsave", KIND_PLAIN, 0 }, { "bitcount", KIND_PLAIN, 1 }, { "bitfield", KIND_PLAIN, 1 },
	{ "bitfield_ro", KIND_PLAIN, 1 }, { "bitop", KIND_PLAIN, 2 }, { "bitpos", KIND_PLAIN, 1 },
	{ "blmove", KIND_WAITS, 1 }, { "blmpop", KIND_WAITS, 3 }, { "blpop", KIND_WAITS, 1 },
	{ "brpop", KIND_WAITS, 1 }, { "brpoplpush", KIND_WAITS, 1 }, { "bzmpop", KIND_WAITS, 3 },
	{ "bzpopmax", KIND_WAITS, 1 }, { "bzpopmin", KIND_WAITS, 1 }, { "client", KIND_CONTAINER, 0 },
	{ "client caching", KIND_PLAIN, 0 }, { "client capa", KIND_PLAIN, 0 }, { "client getname", KIND_PLAIN, 0 },
	{ "client getredir", KIND_PLAIN, 0 }, { "client help", KIND_PLAIN, 0 }, { "client id", KIND_PLAIN, 0 },
	{ "client import-source", KIND_PLAIN, 0 }, { "client info", KIND_PLAIN, 0 },
	{ "client kill", KIND_PLAIN, 0 }, { "client list", KIND_PLAIN, 0 }, { "client no-evict", KIND_PLAIN, 0 },
	{ "client no-touch", KIND_PLAIN, 0 }, { "client pause", KIND_PLAIN, 0 }, { "client reply", KIND_REPLY, 0 },
	{ "client setinfo", KIND_PLAIN, 0 }, { "client setname", KIND_PLAIN, 0 },
	{ "client tracking", KIND_PLAIN, 0 }, { "client trackinginfo", KIND_PLAIN, 0 },
	{ "client unblock", KIND_PLAIN, 0 }, { "client unpause", KIND_PLAIN, 0 }, { "cluster", KIND_CONTAINER, 0 },
	{ "cluster addslots", KIND_PLAIN, 0 }, { "cluster addslotsrange", KIND_PLAIN, 0 },
	{ "cluster bumpepoch", KIND_PLAIN, 0 }, { "cluster cancelslotmigrations", KIND_PLAIN, 0 },
	{ "cluster count-failure-reports", KIND_PLAIN, 0 }, { "cluster countkeysinslot", KIND_PLAIN, 0 },
	{ "cluster delslots", KIND_PLAIN, 0 }, { "cluster delslotsrange", KIND_PLAIN, 0 },
	{ "cluster failover", KIND_PLAIN, 0 }, { "cluster flushslot", KIND_PLAIN, 0 },
	{ "cluster flushslots", KIND_PLAIN, 0 }, { "cluster forget", KIND_PLAIN, 0 },
	{ "cluster getkeysinslot", KIND_PLAIN, 0 }, { "cluster getslotmigrations", KIND_PLAIN, 0 },
	{ "cluster help", KIND_PLAIN, 0 }, { "cluster info", KIND_PLAIN, 0 }, { "cluster keyslot", KIND_PLAIN, 0 },
	{ "cluster links", KIND_PLAIN, 0 }, { "cluster meet", KIND_PLAIN, 0 },
	{ "cluster migrateslots", KIND_PLAIN, 0 }, { "cluster migration", KIND_PLAIN, 0 },
	{ "cluster myid", KIND_PLAIN, 0 }, { "cluster myshardid", KIND_PLAIN, 0 },
	{ "cluster nodes", KIND_PLAIN, 0 }, { "cluster replicas", KIND_PLAIN, 0 },
	{ "cluster replicate", KIND_PLAIN, 0 }, { "cluster reset", KIND_PLAIN, 0 },
	{ "cluster saveconfig", KIND_PLAIN, 0 }, { "cluster set-config-epoch", KIND_PLAIN, 0 },
	{ "cluster setslot", KIND_PLAIN, 0 }, { "cluster shards", KIND_PLAIN, 0 },
	{ "cluster slaves", KIND_PLAIN, 0 }, { "cluster slot-stats", KIND_PLAIN, 0 },
	{ "cluster slots", KIND_PLAIN, 0 }, { "command", KIND_CONTAINER, 0 }, { "command count", KIND_PLAIN, 0 },
	{ "command docs", KIND_PLAIN, 0 }, { "command getkeys", KIND_PLAIN, 0 },
	{ "command getkeysandflags", KIND_PLAIN, 0 }, { "command help", KIND_PLAIN, 0 },
	{ "command info", KIND_PLAIN, 0 }, { "command list", KIND_PLAIN, 0 }, { "commandlog", KIND_CONTAINER, 0 },
	{ "commandlog get", KIND_PLAIN, 0 }, { "commandlog help", KIND_PLAIN, 0 },
	{ "commandlog len", KIND_PLAIN, 0 }, { "commandlog reset", KIND_PLAIN, 0 }, { "config", KIND_CONTAINER, 0 },
	{ "config get", KIND_PLAIN, 0 }, { "config help", KIND_PLAIN, 0 }, { "config resetstat", KIND_PLAIN, 0 },
	{ "config rewrite", KIND_PLAIN, 0 }, { "config set", KIND_PLAIN, 0 }, { "copy", KIND_PLAIN, 1 },
	{ "dbsize", KIND_PLAIN, 0 }, { "debug", KIND_PLAIN, 0 }, { "decr", KIND_PLAIN, 1 },
	{ "decrby", KIND_PLAIN, 1 }, { "del", KIND_PLAIN, 1 }, { "delex", KIND_PLAIN, 1 },
	{ "delifeq", KIND_PLAIN, 1 }, { "digest", KIND_PLAIN, 1 }, { "discard", KIND_DISCARD, 0 },
	{ "dump", KIND_PLAIN, 1 }, { "echo", KIND_PLAIN, 0 }, { "eval", KIND_EVAL, 3 }, { "eval_ro", KIND_EVAL, 3 },
	{ "evalsha", KIND_EVAL, 3 }, { "evalsha_ro", KIND_EVAL, 3 }, { "exec", KIND_EXEC, 0 },
	{ "exists", KIND_PLAIN, 1 }, { "expire", KIND_PLAIN, 1 }, { "expireat", KIND_PLAIN, 1 },
	{ "expiretime", KIND_PLAIN, 1 }, { "failover", KIND_PLAIN, 0 }, { "fcall", KIND_EVAL, 3 },
	{ "fcall_ro", KIND_EVAL, 3 }, { "flushall", KIND_PLAIN, 0 }, { "flushdb", KIND_PLAIN, 0 },
	{ "function", KIND_CONTAINER, 0 }, { "function delete", KIND_PLAIN, 0 }, { "function dump", KIND_PLAIN, 0 },
	{ "function flush", KIND_PLAIN, 0 }, { "function help", KIND_PLAIN, 0 }, { "function kill", KIND_PLAIN, 0 },
	{ "function list", KIND_PLAIN, 0 }, { "function load", KIND_PLAIN, 0 },
	{ "function restore", KIND_PLAIN, 0 }, { "function stats", KIND_PLAIN, 0 }, { "geoadd", KIND_PLAIN, 1 },
	{ "geodist", KIND_PLAIN, 1 }, { "geohash", KIND_PLAIN, 1 }, { "geopos", KIND_PLAIN, 1 },
	{ "georadius", KIND_PLAIN, 1 }, { "georadius_ro", KIND_PLAIN, 1 }, { "georadiusbymember", KIND_PLAIN, 1 },
	{ "georadiusbymember_ro", KIND_PLAIN, 1 }, { "geosearch", KIND_PLAIN, 1 },
	{ "geosearchstore", KIND_PLAIN, 1 }, { "get", KIND_PLAIN, 1 }, { "getbit", KIND_PLAIN, 1 },
	{ "getdel", KIND_PLAIN, 1 }, { "getex", KIND_PLAIN, 1 }, { "getrange", KIND_PLAIN, 1 },
	{ "getset", KIND_PLAIN, 1 }, { "hdel", KIND_PLAIN, 1 }, { "hello", KIND_HELLO, 0 },
	{ "hexists", KIND_PLAIN, 1 }, { "hexpire", KIND_PLAIN, 1 }, { "hexpireat", KIND_PLAIN, 1 },
	{ "hexpiretime", KIND_PLAIN, 1 }, { "hget", KIND_PLAIN, 1 }, { "hgetall", KIND_PLAIN, 1 },
	{ "hgetdel", KIND_PLAIN, 1 }, { "hgetex", KIND_PLAIN, 1 }, { "hincrby", KIND_PLAIN, 1 },
	{ "hincrbyfloat", KIND_PLAIN, 1 }, { "hkeys", KIND_PLAIN, 1 }, { "hlen", KIND_PLAIN, 1 },
	{ "hmget", KIND_PLAIN, 1 }, { "hmset", KIND_PLAIN, 1 }, { "host:", KIND_HTTP, 0 },
	{ "hpersist", KIND_PLAIN, 1 }, { "hpexpire", KIND_PLAIN, 1 }, { "hpexpireat", KIND_PLAIN, 1 },
	{ "hpexpiretime", KIND_PLAIN, 1 }, { "hpttl", KIND_PLAIN, 1 }, { "hrandfield", KIND_PLAIN, 1 },
	{ "hscan", KIND_PLAIN, 1 }, { "hset", KIND_PLAIN, 1 }, { "hsetex", KIND_PLAIN, 1 },
	{ "hsetnx", KIND_PLAIN, 1 }, { "hstrlen", KIND_PLAIN, 1 }, { "httl", KIND_PLAIN, 1 },
	{ "hvals", KIND_PLAIN, 1 }, { "incr", KIND_PLAIN, 1 }, { "incrby", KIND_PLAIN, 1 },
	{ "incrbyfloat", KIND_PLAIN, 1 }, { "info", KIND_PLAIN, 0 }, { "keys", KIND_PLAIN, 0 },
	{ "lastsave", KIND_PLAIN, 0 }, { "latency", KIND_CONTAINER, 0 }, { "latency doctor", KIND_PLAIN, 0 },
	{ "latency graph", KIND_PLAIN, 0 }, { "latency help", KIND_PLAIN, 0 },
	{ "latency histogram", KIND_PLAIN, 0 }, { "latency history", KIND_PLAIN, 0 },
	{ "latency latest", KIND_PLAIN, 0 }, { "latency reset", KIND_PLAIN, 0 }, { "lcs", KIND_PLAIN, 1 },
	{ "lindex", KIND_PLAIN, 1 }, { "linsert", KIND_PLAIN, 1 }, { "llen", KIND_PLAIN, 1 },
	{ "lmove", KIND_PLAIN, 1 }, { "lmpop", KIND_PLAIN, 2 }, { "lolwut", KIND_PLAIN, 0 },
	{ "lpop", KIND_PLAIN, 1 }, { "lpos", KIND_PLAIN, 1 }, { "lpush", KIND_PLAIN, 1 },
	{ "lpushx", KIND_PLAIN, 1 }, { "lrange", KIND_PLAIN, 1 }, { "lrem", KIND_PLAIN, 1 },
	{ "lset", KIND_PLAIN, 1 }, { "ltrim", KIND_PLAIN, 1 }, { "memory", KIND_CONTAINER, 0 },
	{ "memory doctor", KIND_PLAIN, 0 }, { "memory help", KIND_PLAIN, 0 },
	{ "memory malloc-stats", KIND_PLAIN, 0 }, { "memory purge", KIND_PLAIN, 0 },
	{ "memory stats", KIND_PLAIN, 0 }, { "memory usage", KIND_PLAIN, 2 }, { "mget", KIND_PLAIN, 1 },
	{ "migrate", KIND_PLAIN, 3 }, { "module", KIND_CONTAINER, 0 }, { "module help", KIND_PLAIN, 0 },
	{ "module list", KIND_PLAIN, 0 }, { "module load", KIND_PLAIN, 0 }, { "module loadex", KIND_PLAIN, 0 },
	{ "module unload", KIND_PLAIN, 0 }, { "monitor", KIND_MONITOR, 0 }, { "move", KIND_PLAIN, 1 },
	{ "mset", KIND_PLAIN, 1 }, { "msetex", KIND_PLAIN, 2 }, { "msetnx", KIND_PLAIN, 1 },
	{ "multi", KIND_MULTI, 0 }, { "object", KIND_CONTAINER, 0 }, { "object encoding", KIND_PLAIN, 2 },
	{ "object freq", KIND_PLAIN, 2 }, { "object help", KIND_PLAIN, 0 }, { "object idletime", KIND_PLAIN, 2 },
	{ "object refcount", KIND_PLAIN, 2 }, { "persist", KIND_PLAIN, 1 }, { "pexpire", KIND_PLAIN, 1 },
	{ "pexpireat", KIND_PLAIN, 1 }, { "pexpiretime", KIND_PLAIN, 1 }, { "pfadd", KIND_PLAIN, 1 },
	{ "pfcount", KIND_PLAIN, 1 }, { "pfdebug", KIND_PLAIN, 2 }, { "pfmerge", KIND_PLAIN, 1 },
	{ "pfselftest", KIND_PLAIN, 0 }, { "ping", KIND_PLAIN, 0 }, { "post", KIND_HTTP, 0 },
	{ "psetex", KIND_PLAIN, 1 }, { "psubscribe", KIND_PSUBSCRIBE, 0 }, { "psync", KIND_REPLICA, 0 },
	{ "pttl", KIND_PLAIN, 1 }, { "publish", KIND_PLAIN, 0 }, { "pubsub", KIND_CONTAINER, 0 },
	{ "pubsub channels", KIND_PLAIN, 0 }, { "pubsub help", KIND_PLAIN, 0 }, { "pubsub numpat", KIND_PLAIN, 0 },
	{ "pubsub numsub", KIND_PLAIN, 0 }, { "pubsub shardchannels", KIND_PLAIN, 0 },
	{ "pubsub shardnumsub", KIND_PLAIN, 0 }, { "punsubscribe", KIND_PUNSUBSCRIBE, 0 }, { "quit", KIND_PLAIN, 0 },
	{ "randomkey", KIND_PLAIN, 0 }, { "readonly", KIND_PLAIN, 0 }, { "readwrite", KIND_PLAIN, 0 },
	{ "rename", KIND_PLAIN, 1 }, { "renamenx", KIND_PLAIN, 1 }, { "replconf", KIND_REPLICA, 0 },
	{ "replicaof", KIND_PLAIN, 0 }, { "reset", KIND_RESET, 0 }, { "restore", KIND_PLAIN, 1 },
	{ "restore-asking", KIND_PLAIN, 1 }, { "role", KIND_PLAIN, 0 }, { "rpop", KIND_PLAIN, 1 },
	{ "rpoplpush", KIND_PLAIN, 1 }, { "rpush", KIND_PLAIN, 1 }, { "rpushx", KIND_PLAIN, 1 },
	{ "sadd", KIND_PLAIN, 1 }, { "save", KIND_PLAIN, 0 }, { "scan", KIND_PLAIN, 0 }, { "scard", KIND_PLAIN, 1 },
	{ "script", KIND_CONTAINER, 0 }, { "script debug", KIND_PLAIN, 0 }, { "script exists", KIND_PLAIN, 0 },
	{ "script flush", KIND_PLAIN, 0 }, { "script help", KIND_PLAIN, 0 }, { "script kill", KIND_PLAIN, 0 },
	{ "script load", KIND_PLAIN, 0 }, { "script show", KIND_PLAIN, 0 }, { "sdiff", KIND_PLAIN, 1 },
	{ "sdiffstore", KIND_PLAIN, 1 }, { "select", KIND_SELECT, 0 }, { "set", KIND_PLAIN, 1 },
	{ "setbit", KIND_PLAIN, 1 }, { "setex", KIND_PLAIN, 1 }, { "setnx", KIND_PLAIN, 1 },
	{ "setrange", KIND_PLAIN, 1 }, { "shutdown", KIND_PLAIN, 0 }, { "sinter", KIND_PLAIN, 1 },
	{ "sintercard", KIND_PLAIN, 2 }, { "sinterstore", KIND_PLAIN, 1 }, { "sismember", KIND_PLAIN, 1 },
	{ "slaveof", KIND_PLAIN, 0 }, { "slowlog", KIND_CONTAINER, 0 }, { "slowlog get", KIND_PLAIN, 0 },
	{ "slowlog help", KIND_PLAIN, 0 }, { "slowlog len", KIND_PLAIN, 0 }, { "slowlog reset", KIND_PLAIN, 0 },
	{ "smembers", KIND_PLAIN, 1 }, { "smismember", KIND_PLAIN, 1 }, { "smove", KIND_PLAIN, 1 },
	{ "sort", KIND_PLAIN, 1 }, { "sort_ro", KIND_PLAIN, 1 }, { "spop", KIND_PLAIN, 1 },
	{ "spublish", KIND_PLAIN, 1 }, { "srandmember", KIND_PLAIN, 1 }, { "srem", KIND_PLAIN, 1 },
	{ "sscan", KIND_PLAIN, 1 }, { "ssubscribe", KIND_SSUBSCRIBE, 1 }, { "strlen", KIND_PLAIN, 1 },
	{ "subscribe", KIND_SUBSCRIBE, 0 }, { "substr", KIND_PLAIN, 1 }, { "sunion", KIND_PLAIN, 1 },
	{ "sunionstore", KIND_PLAIN, 1 }, { "sunsubscribe", KIND_SUNSUBSCRIBE, 1 }, { "swapdb", KIND_PLAIN, 0 },
	{ "sync", KIND_REPLICA, 0 }, { "time", KIND_PLAIN, 0 }, { "touch", KIND_PLAIN, 1 }, { "ttl", KIND_PLAIN, 1 },
	{ "type", KIND_PLAIN, 1 }, { "unlink", KIND_PLAIN, 1 }, { "unsubscribe", KIND_UNSUBSCRIBE, 0 },
	{ "unwatch", KIND_PLAIN, 0 }, { "vadd", KIND_PLAIN, 1 }, { "vcard", KIND_PLAIN, 1 },
	{ "vdim", KIND_PLAIN, 1 }, { "vemb", KIND_PLAIN, 1 }, { "vgetattr", KIND_PLAIN, 1 },
	{ "vinfo", KIND_PLAIN, 1 }, { "vismember", KIND_PLAIN, 1 }, { "vlinks", KIND_PLAIN, 1 },
	{ "vrandmember", KIND_PLAIN, 1 }, { "vrange", KIND_PLAIN, 1 }, { "vrem", KIND_PLAIN, 1 },
	{ "vsetattr", KIND_PLAIN, 1 }, { "vsim", KIND_PLAIN, 1 }, { "wait", KIND_WAITS, 0 },
	{ "waitaof", KIND_WAITS, 0 }, { "watch", KIND_PLAIN, 1 }, { "xack", KIND_PLAIN, 1 },
	{ "xackdel", KIND_PLAIN, 1 }, { "xadd", KIND_PLAIN, 1 }, { "xautoclaim", KIND_PLAIN, 1 },
	{ "xclaim", KIND_PLAIN, 1 }, { "xdel", KIND_PLAIN, 1 }, { "xdelex", KIND_PLAIN, 1 },
	{ "xgroup", KIND_CONTAINER, 0 }, { "xgroup create", KIND_PLAIN, 2 },
	{ "xgroup createconsumer", KIND_PLAIN, 2 }, { "xgroup delconsumer", KIND_PLAIN, 2 },
	{ "xgroup destroy", KIND_PLAIN, 2 }, { "xgroup help", KIND_PLAIN, 0 }, { "xgroup setid", KIND_PLAIN, 2 },
	{ "xinfo", KIND_CONTAINER, 0 }, { "xinfo consumers", KIND_PLAIN, 2 }, { "xinfo groups", KIND_PLAIN, 2 },
	{ "xinfo help", KIND_PLAIN, 0 }, { "xinfo stream", KIND_PLAIN, 2 }, { "xlen", KIND_PLAIN, 1 },
	{ "xpending", KIND_PLAIN, 1 }, { "xrange", KIND_PLAIN, 1 }, { "xread", KIND_XREAD, 0 },
	{ "xreadgroup", KIND_XREADGROUP, 0 }, { "xrevrange", KIND_PLAIN, 1 }, { "xsetid", KIND_PLAIN, 1 },
	{ "xtrim", KIND_PLAIN, 1 }, { "zadd", KIND_PLAIN, 1 }, { "zcard", KIND_PLAIN, 1 },
	{ "zcount", KIND_PLAIN, 1 }, { "zdiff", KIND_PLAIN, 2 }, { "zdiffstore", KIND_PLAIN, 1 },
	{ "zincrby", KIND_PLAIN, 1 }, { "zinter", KIND_PLAIN, 2 }, { "zintercard", KIND_PLAIN, 2 },
	{ "zinterstore", KIND_PLAIN, 1 }, { "zlexcount", KIND_PLAIN, 1 }, { "zmpop", KIND_PLAIN, 2 },
	{ "zmscore", KIND_PLAIN, 1 }, { "zpopmax", KIND_PLAIN, 1 }, { "zpopmin", KIND_PLAIN, 1 },
	{ "zrandmember", KIND_PLAIN, 1 }, { "zrange", KIND_PLAIN, 1 }, { "zrangebylex", KIND_PLAIN, 1 },
	{ "zrangebyscore", KIND_PLAIN, 1 }, { "zrangestore", KIND_PLAIN, 1 }, { "zrank", KIND_PLAIN, 1 },
	{ "zrem", KIND_PLAIN, 1 }, { "zremrangebylex", KIND_PLAIN, 1 }, { "zremrangebyrank", KIND_PLAIN, 1 },
	{ "zremrangebyscore", KIND_PLAIN, 1 }, { "zrevrange", KIND_PLAIN, 1 }, { "zrevrangebylex", KIND_PLAIN, 1 },
	{ "zrevrangebyscore", KIND_PLAIN, 1 }, { "zrevrank", KIND_PLAIN, 1 }, { "zscan", KIND_PLAIN, 1 },
	{ "zscore", KIND_PLAIN, 1 }, { "zunion", KIND_PLAIN, 2 }, { "zunionstore", KIND_PLAIN, 1 },
};

/* First words of errors that the servers themselves send. */
static const char *const errors[] = {
	"ASK", "BUSY", "BUSYGROUP", "BUSYKEY", "CLUSTERDOWN", "CROSSSLOT", "DENIED", "ERR", "EXECABORT", "FAILOVER",
	"INPROG", "INVALIDOBJ", "IOERR", "LOADING", "MASTERDOWN", "MISCONF", "MOVED", "NOADDR", "NOAUTH",
	"NOGOODSLAVE", "NOGROUP", "NOMASTERLINK", "NOPERM", "NOPROTO", "NOQUORUM", "NOREPLICAS", "NOSCRIPT",
	"NOTBUSY", "NOTREADY", "OOM", "READONLY", "REDIRECT", "SYNTAX", "TRYAGAIN", "UNBLOCKED", "UNKILLABLE",
	"VERSION", "WRONGPASS", "WRONGTYPE",
};

#define N_COMMANDS (sizeof(commands) / sizeof(*commands))
#define N_ERRORS (sizeof(errors) / sizeof(*errors))

_Static_assert(N_COMMANDS + N_ERRORS <= COMMAND_ROWS / 2, "the table is too full");

static __u64 word_hash(__u64 hash, const char *text)
{
	for (; *text; text++)
		hash = hash_byte(hash, (__u8)*text);
	return hash;
}

static int row_add(struct command_row *rows, struct command_row row)
{
	unsigned i;

	for (i = 0; i < COMMAND_PROBES; i++) {
		struct command_row *at = &rows[(row.hash + i) & (COMMAND_ROWS - 1)];

		if (!at->hash) {
			*at = row;
			return 0;
		}
	}
	return -1;
}

int commands_fill(struct command_row *rows)
{
	int err = 0;

	memset(rows, 0, COMMAND_ROWS * sizeof(*rows));
	for (size_t i = 0; i < N_COMMANDS; i++)
		err |= row_add(rows, (struct command_row){ word_hash(COMMAND_SEED, commands[i].name), COMMAND_FIRST + i,
							   commands[i].kind, commands[i].key, 0 });
	for (size_t i = 0; i < N_ERRORS; i++)
		err |= row_add(rows, (struct command_row){ word_hash(ERROR_SEED, errors[i]), STATUS_FIRST + i,
							   0, 0, 0 });
	return err;
}

const char *command_name(__u64 code)
{
	return code - COMMAND_FIRST < N_COMMANDS ? commands[code - COMMAND_FIRST].name : NULL;
}

const char *error_name(__u64 code)
{
	return code - STATUS_FIRST < N_ERRORS ? errors[code - STATUS_FIRST] : NULL;
}
