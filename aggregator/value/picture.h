/* picture.h - collects the grids and words of a picture, has it drawn, and puts its data into the PNG.
 *
 * Errors  0 or -errno, with v->reason if the error needs a sentence.
 * Thread  a worker's.
 */
#ifndef HEATSCOPE_VALUE_PICTURE_H
#define HEATSCOPE_VALUE_PICTURE_H

#include "render/draw/sentence.h"
#include "aggregator/payload/picture_data.h"
#include "aggregator/value/value.h"

/* The texts that are made for a struct picture_data. */
struct picture_texts {
	char sentence[SENTENCE_MAX], host[192];
};

/* Are value_kind.columns() of a figure, report or chart, and value_kind.query() of a figure or report. */
size_t picture_columns(const struct value *v);
void picture_query(const struct value *v, struct query *q);

/* Does the picture carry the data it was drawn from? */
bool value_attaches(const struct value *v);

/* Writes "latency; only select, update". */
void picture_subtitle(const struct value *v, const char *what, char *out, size_t room);

/* Fills the picture's data: all maps of the value, and the texts.  texts: the caller's memory, valid as long as the
 * data is used. */
void picture_fill_data(const struct value *v, const char *picture, const char *subtitle, struct picture_texts *texts, struct picture_data *ret_data);

/* Draws it, which becomes the value's data. */
int picture_take(struct value *v, struct picture_data *p);

/* Puts the data of a bare image into it, unless the request says no. */
int picture_attach(struct value *v, __u8 **png, size_t *len);

#endif
