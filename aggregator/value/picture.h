/* picture.h - what the pictures with words around them share: the words, and what a PNG carries of its data.
 *
 * Errors  0 or -errno, with v->reason where a sentence is due.
 * Thread  a worker's.
 */
#ifndef HEATSCOPE_VALUE_PICTURE_H
#define HEATSCOPE_VALUE_PICTURE_H

#include "render/draw/sentence.h"
#include "aggregator/value/picture_data.h"
#include "aggregator/value/value.h"

/* The texts of a parcel that are made for it. */
struct picture_texts {
	char sentence[SENTENCE_MAX], host[192];
};

/* The picture carries what it was drawn from. */
bool value_attaches(const struct value *v);

/* "latency; only select, update" */
void picture_subtitle(const struct value *v, const char *what, char *out, size_t room);

/* Fills the picture's data: all maps of the value, and the texts.  texts: the caller's memory, as long as the data is used. */
void picture_fill_data(const struct value *v, const char *picture, const char *subtitle, struct picture_texts *texts, struct picture_data *ret_data);

/* Draws it: the value's data. */
int picture_take(struct value *v, struct picture_data *p);

/* Puts what a bare image was drawn from into it, unless that is not wanted. */
int picture_attach(struct value *v, __u8 **png, size_t *len);

#endif
