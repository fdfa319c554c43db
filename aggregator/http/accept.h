/* accept.h - chooses the format of a reply by the client's Accept header.
 *
 *      "image/svg+xml, image/png;q=0.5"  of  "png pdf svg"  ->  svg
 *
 * Offer   the formats that the resource has, separated by spaces: json, png, pdf, svg, csv, folded.
 * Choice  the format with the greatest quality; among equals the first of the offer.  So a browser that takes any
 *         picture gets the first.
 * Pure    no loop, file or clock.  Thread: any.
 */
#ifndef HEATSCOPE_ACCEPT_H
#define HEATSCOPE_ACCEPT_H

#include <stddef.h>

/* Writes the format's name; 0: the header prefers none of them, and nothing is written. */
int accept_choose(const char *accept, const char *formats, char *ret_format, size_t room);

#endif
