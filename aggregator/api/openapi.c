#include "aggregator/api/openapi.h"

const char openapi_text[] =
#include "aggregator/api/openapi.inc"	/* made by Makefile.am */
	"\n";
