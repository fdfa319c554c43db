/* svg.h - what Cairo writes as SVG, made repeatable and readable.
 *
 *      <svg ...> <title/> <desc/> <style/> ... </svg>
 *
 * Cairo numbers its images and surfaces through the life of the process; here they are counted from
 * the document's beginning, so that equal input gives equal bytes.  Title and description are text for
 * those who cannot see the picture, or search for it; the picture's own text is outlines.
 * Memory  the bytes are the caller's, to be freed with free().
 */
#ifndef HEATSCOPE_SVG_H
#define HEATSCOPE_SVG_H

#include <linux/types.h>
#include <stddef.h>

/* title, description: UTF-8, NULL or "": none.  -EINVAL: not such a document; -ENOMEM. */
int svg_finish(const __u8 *svg, size_t len, const char *title, const char *description, __u8 **ret_svg,
	       size_t *ret_len);

#endif
