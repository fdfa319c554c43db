/* openapi.h - holds doc/openapi.json, which describes the interface, as a text in this program. */
#ifndef HEATSCOPE_OPENAPI_H
#define HEATSCOPE_OPENAPI_H

extern const char openapi_text[];

#endif
