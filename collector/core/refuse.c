#include "collector/core/refuse.h"

#include <stdarg.h>
#include <stdio.h>

void refuse_because(char reason[REASON_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason, REASON_MAX, format, args);
	va_end(args);
}
