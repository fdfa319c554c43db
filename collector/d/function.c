#include "collector/d/function.h"

#include <string.h>

#define ACTION(name, arguments, id) { name, FUNCTION_ACTION, D_VOID, arguments, id }
#define LATER(name, arguments) ACTION(name, arguments, FUNCTION_LATER)
#define AGGREGATING(name, arguments) { name, FUNCTION_AGGREGATING, D_VOID, arguments, FUNCTION_LATER }
#define SUBROUTINE(name, result, arguments) { name, FUNCTION_SUBROUTINE, result, arguments, FUNCTION_LATER }

static const struct d_function functions[] = {
	ACTION("printf", "x*", FUNCTION_PRINTF), ACTION("trace", "x", FUNCTION_TRACE), ACTION("exit", "i", FUNCTION_EXIT),
	LATER("printa", "*"), LATER("print", "x"), LATER("tracemem", "pi?i"), LATER("stack", "?i"), LATER("ustack", "?ii"),
	LATER("jstack", "?ii"), LATER("clear", "@"), LATER("trunc", "@?i"), LATER("normalize", "@i"), LATER("denormalize", "@"),
	LATER("setopt", "s?b"), LATER("freopen", "s*"), LATER("ftruncate", ""), LATER("system", "s*"), LATER("raise", "i"),
	LATER("stop", ""), LATER("copyout", "ppi"), LATER("copyoutstr", "spi"), LATER("chill", "i"), LATER("panic", ""),
	LATER("breakpoint", ""), LATER("speculate", "i"), LATER("commit", "i"), LATER("discard", "i"), LATER("pcap", "pi"),
	AGGREGATING("count", ""), AGGREGATING("sum", "i"), AGGREGATING("min", "i"), AGGREGATING("max", "i"),
	AGGREGATING("avg", "i"), AGGREGATING("stddev", "i"), AGGREGATING("quantize", "i?i"),
	AGGREGATING("lquantize", "iii?ii"), AGGREGATING("llquantize", "iiiii?i"),
	SUBROUTINE("sym", D_ULONG, "p"), SUBROUTINE("mod", D_ULONG, "p"), SUBROUTINE("func", D_ULONG, "p"),
	SUBROUTINE("usym", D_ULONG, "p"), SUBROUTINE("umod", D_ULONG, "p"), SUBROUTINE("uaddr", D_ULONG, "p"),
	SUBROUTINE("ufunc", D_ULONG, "p"), SUBROUTINE("alloca", D_ULONG, "i"), SUBROUTINE("basename", D_STRING, "s"),
	SUBROUTINE("bcopy", D_VOID, "ppi"), SUBROUTINE("cleanpath", D_STRING, "s"), SUBROUTINE("copyin", D_ULONG, "pi"),
	SUBROUTINE("copyinstr", D_STRING, "p?i"), SUBROUTINE("copyinto", D_VOID, "pip"), SUBROUTINE("dirname", D_STRING, "s"),
	SUBROUTINE("getmajor", D_UINT, "i"), SUBROUTINE("getminor", D_UINT, "i"), SUBROUTINE("htonl", D_UINT, "i"),
	SUBROUTINE("htonll", D_ULONG, "i"), SUBROUTINE("htons", D_USHORT, "i"), SUBROUTINE("ntohl", D_UINT, "i"),
	SUBROUTINE("ntohll", D_ULONG, "i"), SUBROUTINE("ntohs", D_USHORT, "i"), SUBROUTINE("index", D_INT, "ss?i"),
	SUBROUTINE("rindex", D_INT, "ss?i"), SUBROUTINE("inet_ntoa", D_STRING, "p"), SUBROUTINE("inet_ntoa6", D_STRING, "p"),
	SUBROUTINE("inet_ntop", D_STRING, "ip"), SUBROUTINE("link_ntop", D_STRING, "ip"), SUBROUTINE("lltostr", D_STRING, "i?i"),
	SUBROUTINE("progenyof", D_INT, "i"), SUBROUTINE("rand", D_INT, ""), SUBROUTINE("speculation", D_INT, ""),
	SUBROUTINE("strchr", D_STRING, "si"), SUBROUTINE("strjoin", D_STRING, "ss"), SUBROUTINE("strlen", D_ULONG, "s"),
	SUBROUTINE("strrchr", D_STRING, "si"), SUBROUTINE("strstr", D_STRING, "ss"), SUBROUTINE("strtok", D_STRING, "ss"),
	SUBROUTINE("substr", D_STRING, "si?i"), SUBROUTINE("strtoll", D_LLONG, "s?i"), SUBROUTINE("tolower", D_STRING, "s"),
	SUBROUTINE("toupper", D_STRING, "s"), SUBROUTINE("json", D_STRING, "ss"),
};
#define N_FUNCTIONS (sizeof(functions) / sizeof(*functions))

const struct d_function *d_function_find(const char *name)
{
	for (size_t i = 0; i < N_FUNCTIONS; i++)
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	return NULL;
}

const struct d_function *d_function_at(size_t i) { return i < N_FUNCTIONS ? &functions[i] : NULL; }
