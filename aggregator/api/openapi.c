#include "aggregator/api/openapi.h"

const char openapi_text[] =
#include "aggregator/api/openapi.inc"	/* Makefile.am makes it */
	"\n";
