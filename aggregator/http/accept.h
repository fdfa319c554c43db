/* accept.h - chooses the form of a value that a client prefers, by its Accept header.
 *
 *      "image/svg+xml, image/png;q=0.5"  of  "png pdf svg"  ->  svg
 *
 * Formats are names separated by spaces: json, png, pdf, svg, csv, folded; the first is the default.  The one of the
 * greatest quality wins, among equals the first: a browser that takes any picture gets the default.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_ACCEPT_H
#define HEATSCOPE_ACCEPT_H

#include <stddef.h>

/* Writes the format's name; 0: the header prefers none of them, and nothing is written. */
int accept_choose(const char *accept, const char *formats, char *ret_format, size_t room);

#endif
