/* image.h - computes the options of the bare image, for the value `image` and for its details.
 *
 * Thread  as value.h says.
 */
#ifndef HEATSCOPE_VALUE_IMAGE_H
#define HEATSCOPE_VALUE_IMAGE_H

#include "render/draw/image.h"
#include "aggregator/value/value.h"

/* Sets the options of the bare image, whose axis ends at the parameter ymax. */
void value_image_options(const struct value *v, struct image_options *ret_options);

/* The same, but the axis ends as requested, by `crop`, or above all values of grid 0; *ret_ymax: where. */
void value_image_options_of_grid(const struct value *v, struct image_options *ret_options, __u64 *ret_ymax);

/* Writes "nbuckets", "width", "height", "ymin", "ymax", and "cropped" if a crop was asked for. */
void value_image_put_scale(struct bytes *out, const struct value *v, const struct image_options *o, __u64 ymax);

size_t value_image_columns(const struct value *v);	/* one per pixel */

#endif
