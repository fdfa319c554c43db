#include "collector/d/tree/function.h"

#include <string.h>

#define ACTION(name, arguments, id) { name, FUNCTION_ACTION, D_VOID, arguments, id }
#define LATER(name, arguments) ACTION(name, arguments, FUNCTION_LATER)
#define STACK(name, arguments, id) { name, FUNCTION_ACTION, D_STACK, arguments, id }
#define AGGREGATING(name, arguments, id) { name, FUNCTION_AGGREGATING, D_VOID, arguments, id }
#define SUBROUTINE(name, result, arguments) { name, FUNCTION_SUBROUTINE, result, arguments, FUNCTION_LATER }
#define READY(name, result, arguments, id) { name, FUNCTION_SUBROUTINE, result, arguments, id }

static const struct d_function functions[] = {
	ACTION("printf", "x*", FUNCTION_PRINTF),
	ACTION("trace", "x", FUNCTION_TRACE),
	ACTION("exit", "i", FUNCTION_EXIT),
	ACTION("printa", "*", FUNCTION_PRINTA),
	LATER("print", "x"),
	LATER("tracemem", "pi?i"),
	STACK("stack", "?i", FUNCTION_STACK),
	STACK("ustack", "?ii", FUNCTION_USTACK),
	LATER("jstack", "?ii"),
	ACTION("clear", "@", FUNCTION_CLEAR),
	ACTION("trunc", "@?i", FUNCTION_TRUNC),
	ACTION("normalize", "@i", FUNCTION_NORMALIZE),
	ACTION("denormalize", "@", FUNCTION_DENORMALIZE),
	ACTION("setopt", "c?b", FUNCTION_SETOPT),
	LATER("freopen", "s*"),
	LATER("ftruncate", ""),
	LATER("system", "s*"),
	LATER("raise", "i"),
	LATER("stop", ""),
	LATER("copyout", "ppi"),
	LATER("copyoutstr", "spi"),
	LATER("chill", "i"),
	LATER("panic", ""),
	LATER("breakpoint", ""),
	LATER("speculate", "i"),
	LATER("commit", "i"),
	LATER("discard", "i"),
	LATER("pcap", "pi"),
	AGGREGATING("count", "", FUNCTION_COUNT),
	AGGREGATING("sum", "i", FUNCTION_SUM),
	AGGREGATING("min", "i", FUNCTION_MIN),
	AGGREGATING("max", "i", FUNCTION_MAX),
	AGGREGATING("avg", "i", FUNCTION_AVG),
	AGGREGATING("stddev", "i", FUNCTION_STDDEV),
	AGGREGATING("quantize", "i?i", FUNCTION_QUANTIZE),
	AGGREGATING("lquantize", "iii?ii", FUNCTION_LQUANTIZE),
	AGGREGATING("llquantize", "iiiii?i", FUNCTION_LLQUANTIZE),
	SUBROUTINE("sym", D_ULONG, "p"),
	SUBROUTINE("mod", D_ULONG, "p"),
	SUBROUTINE("func", D_ULONG, "p"),
	SUBROUTINE("usym", D_ULONG, "p"),
	SUBROUTINE("umod", D_ULONG, "p"),
	SUBROUTINE("uaddr", D_ULONG, "p"),
	SUBROUTINE("ufunc", D_ULONG, "p"),
	SUBROUTINE("alloca", D_ULONG, "i"),
	SUBROUTINE("basename", D_STRING, "s"),
	SUBROUTINE("bcopy", D_VOID, "ppi"),
	SUBROUTINE("cleanpath", D_STRING, "s"),
	READY("copyin", D_ULONG, "pi", FUNCTION_COPYIN),
	READY("copyinstr", D_STRING, "p?i", FUNCTION_COPYINSTR),
	SUBROUTINE("copyinto", D_VOID, "pip"),
	SUBROUTINE("dirname", D_STRING, "s"),
	SUBROUTINE("getmajor", D_UINT, "i"),
	SUBROUTINE("getminor", D_UINT, "i"),
	SUBROUTINE("htonl", D_UINT, "i"),
	SUBROUTINE("htonll", D_ULONG, "i"),
	SUBROUTINE("htons", D_USHORT, "i"),
	SUBROUTINE("ntohl", D_UINT, "i"),
	SUBROUTINE("ntohll", D_ULONG, "i"),
	SUBROUTINE("ntohs", D_USHORT, "i"),
	SUBROUTINE("index", D_INT, "ss?i"),
	SUBROUTINE("rindex", D_INT, "ss?i"),
	SUBROUTINE("inet_ntoa", D_STRING, "p"),
	SUBROUTINE("inet_ntoa6", D_STRING, "p"),
	SUBROUTINE("inet_ntop", D_STRING, "ip"),
	SUBROUTINE("link_ntop", D_STRING, "ip"),
	READY("lltostr", D_STRING, "i?i", FUNCTION_LLTOSTR),
	SUBROUTINE("progenyof", D_INT, "i"),
	SUBROUTINE("rand", D_INT, ""),
	SUBROUTINE("speculation", D_INT, ""),
	SUBROUTINE("strchr", D_STRING, "si"),
	READY("strjoin", D_STRING, "ss", FUNCTION_STRJOIN),
	READY("strlen", D_ULONG, "s", FUNCTION_STRLEN),
	SUBROUTINE("strrchr", D_STRING, "si"),
	SUBROUTINE("strstr", D_STRING, "ss"),
	SUBROUTINE("strtok", D_STRING, "ss"),
	READY("substr", D_STRING, "si?i", FUNCTION_SUBSTR),
	SUBROUTINE("strtoll", D_LLONG, "s?i"),
	SUBROUTINE("tolower", D_STRING, "s"),
	SUBROUTINE("toupper", D_STRING, "s"),
	SUBROUTINE("json", D_STRING, "ss"),
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
