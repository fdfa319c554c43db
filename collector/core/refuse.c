#include "collector/core/refuse.h"

#include <stdarg.h>
#include <stdio.h>

void refuse_because(char *reason, size_t room, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, room, format, args);
	va_end(args);
}
