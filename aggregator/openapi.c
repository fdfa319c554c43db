#include "openapi.h"

const char openapi_text[] =
#include "aggregator/openapi.inc"	/* made by Makefile.am */
	"\n";
