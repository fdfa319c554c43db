/* svg.h - finishes the SVG that Cairo writes, so that it is repeatable and readable.
 *
 *      <svg ...> <title/> <desc/> <style/> ... </svg>
 *
 * Cairo numbers its images and surfaces through the life of the process.  svg_finish() numbers them from the beginning
 * of the document, so that equal input gives equal bytes.  Title and description are text for people who cannot see the
 * picture, or search for it; the text in the picture is outlines.
 * Memory  the caller frees the bytes with free().
 */
#ifndef HEATSCOPE_SVG_H
#define HEATSCOPE_SVG_H

#include <linux/types.h>
#include <stddef.h>

/* title, description: UTF-8; NULL or "": none.  -EINVAL: not an SVG of Cairo; -ENOMEM. */
int svg_finish(const __u8 *svg, size_t len, const char *title, const char *description, __u8 **ret_svg,
	       size_t *ret_len);

#endif
