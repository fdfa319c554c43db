/* svg.h - makes the SVG that Cairo writes repeatable, and gives it a title and a description.
 *
 *      <svg ...> <title/> <desc/> <style/> ... </svg>
 *
 * Cairo numbers images and surfaces through the life of the process. svg_finish() numbers them within the document, so
 * equal input gives equal bytes.  The text in the picture is outlines: title and description serve people who cannot
 * see it, and searches.
 * Memory  the caller frees the bytes with free().
 */
#ifndef HEATSCOPE_SVG_H
#define HEATSCOPE_SVG_H

#include <linux/types.h>
#include <stddef.h>

/* Makes a copy of Cairo's SVG.  title, description: UTF-8; NULL or "": none.  -EINVAL: not an SVG of Cairo; -ENOMEM. */
int svg_finish(const __u8 *svg, size_t len, const char *title, const char *description, __u8 **ret_svg,
	       size_t *ret_len);

#endif
