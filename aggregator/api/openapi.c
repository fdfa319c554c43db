/* Holds doc/openapi.json, which describes the interface, as a text. */
#include "aggregator/api/private.h"

const char openapi_text[] =
#include "aggregator/api/openapi.inc"	/* files.am makes it */
	"\n";
