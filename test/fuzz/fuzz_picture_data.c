/* fuzz_picture_data - reads any bytes as a PNG, or as the JSON in one: it is read or refused with a sentence; picture
 * data that is read can be drawn, described, and written and read again. */
#include "aggregator/payload/picture_data.h"
#include "render/encode/png_text.h"

#include <isa-l/crc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Drawing takes a hundred times as long as reading, so a fuzzer draws one small parcel in so many, in one format. */
#define DRAWN_CELLS 4096
#define DRAWN_PART 64

extern const int fuzz_corpus __attribute__((weak));	/* fuzz_main.c's: what is kept is drawn in every format */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void must(int holds)
{
	if (!holds)
		abort();
}

/* Corrects the CRCs first: only after them the parsing begins. */
static void mend(uint8_t *png, size_t len)
{
	for (size_t at = 8; len > at && len - at >= 12;) {
		uint32_t n = (uint32_t)png[at] << 24 | (uint32_t)png[at + 1] << 16 | (uint32_t)png[at + 2] << 8 | png[at + 3], crc;

		if (n > len - at - 12)
			return;
		crc = crc32_gzip_refl(0, png + at + 4, 4 + (uint64_t)n);
		for (int i = 0; i < 4; i++)
			png[at + 8 + n + i] = (uint8_t)(crc >> (24 - 8 * i));
		at += 12 + n;
	}
}

static const enum value_format formats[] = { FORMAT_PNG, FORMAT_SVG, FORMAT_PDF, FORMAT_HTML };
#define N_FORMATS (sizeof(formats) / sizeof(*formats))

static void draw(struct picture_data *p, enum value_format format)
{
	uint8_t *out = NULL;
	size_t n;

	p->drawn.format = format;
	if (!picture_data_draw(p, &out, &n))
		free(out);
}

static void tabulate(const struct picture_data *p)
{
	char *text = NULL;
	size_t n;

	for (int table = CSV_CELLS; table <= CSV_KEYS; table++)
		if (!picture_data_csv(p, (enum csv_table)table, &text, &n))
			free(text);
}

/* `chosen` is the same for the same bytes. */
static void show(struct picture_data *p, uint32_t chosen)
{
	if (p->drawn.width > 1200 || p->drawn.height > 1200 || p->drawn.scale != 1)
		return;
	for (size_t i = 0; i < N_FORMATS; i++)
		if (&fuzz_corpus || chosen % (DRAWN_PART * N_FORMATS) == i)
			draw(p, formats[i]);
}

/* Data that was read is written, and is read again as the same. */
static void come_back(const struct picture_data *p)
{
	struct bytes out = { 0 }, again = { 0 };
	char reason[PARAMS_REASON_MAX];
	struct picture_data back;

	picture_data_put(&out, p);
	must(!out.err && !picture_data_get((char *)out.data, out.len, NULL, 0, &back, reason));
	picture_data_put(&again, &back);
	must(out.len == again.len && !memcmp(out.data, again.data, out.len));
	picture_data_fini(&back);
	bytes_fini(&out);
	bytes_fini(&again);
}

static void read_json(const char *text, size_t len)
{
	char reason[PARAMS_REASON_MAX] = "";
	struct picture_data p;
	size_t cells = 0;
	int err = picture_data_get(text, len, NULL, 0, &p, reason);

	must(!err || *reason);
	if (err)
		return;
	for (size_t i = 0; i < p.n_maps; i++)
		cells += p.map[i].grid->n_rows * p.map[i].grid->n_cols;
	come_back(&p);
	if (cells <= DRAWN_CELLS) {
		tabulate(&p);
		show(&p, crc32_gzip_refl(0, (const uint8_t *)text, len));
	}
	picture_data_fini(&p);
}

static void read_png(const uint8_t *png, size_t len)
{
	char reason[PNG_TEXT_REASON] = "", *text;
	size_t n;
	int err = png_text_get(png, len, PICTURE_DATA_SCHEMA, &text, &n, reason);

	must(!err || *reason);
	if (err)
		return;
	read_json(text, n);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len + 1);

	if (!copy)
		return 0;
	memcpy(copy, data, len);
	if (len && *data == '{') {
		read_json((char *)copy, len);
	} else {
		read_png(copy, len);
		mend(copy, len);
		read_png(copy, len);
	}
	free(copy);
	return 0;
}
