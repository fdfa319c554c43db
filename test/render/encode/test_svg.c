#include "render/encode/svg.h"
#include "test/kit/check.h"
#include "test/kit/render_kit.h"
#include "render/draw/figure.h"
#include "render/document/report.h"
#include <errno.h>
#include <expat.h>
#include <stdio.h>

/* The elements that a parser of the whole document has found. */
struct document {
	unsigned depth, images, texts;
	char root[16], width[16], inside[16];
	char title[256], description[512];
};

static void on_start(void *arg, const char *name, const char **attribute)
{
	struct document *d = arg;

	if (!d->depth++) {
		snprintf(d->root, sizeof(d->root), "%s", name);
		for (; *attribute; attribute += 2)
			if (!strcmp(attribute[0], "width"))
				snprintf(d->width, sizeof(d->width), "%s", attribute[1]);
	}
	d->images += !strcmp(name, "image");
	snprintf(d->inside, sizeof(d->inside), "%s", name);
}

static void on_end(void *arg, const char *name)
{
	struct document *d = arg;

	d->depth--;
	d->inside[0] = 0;
}

static void on_text(void *arg, const char *text, int len)
{
	struct document *d = arg;
	char *to = !strcmp(d->inside, "title") ? d->title : !strcmp(d->inside, "desc") ? d->description : NULL;

	if (to)
		strncat(to, text, (size_t)len);
}

static struct document parse(const __u8 *svg, size_t len)
{
	XML_Parser p = XML_ParserCreate(NULL);
	struct document d = { .depth = 0 };

	XML_SetUserData(p, &d);
	XML_SetElementHandler(p, on_start, on_end);
	XML_SetCharacterDataHandler(p, on_text);
	if (!XML_Parse(p, (const char *)svg, (int)len, 1))
		fail_msg("expat: %s", XML_ErrorString(XML_GetErrorCode(p)));
	XML_ParserFree(p);
	assert_int_equal(d.depth, 0);
	assert_string_equal(d.root, "svg");
	return d;
}

/* An hour of slots of a second, with everything that can be drawn over it. */
TEST(a_figure_is_valid_and_small)
{
	struct grid *g = kit_hour(3600, 3, 1);
	struct figure_options o;
	struct document d;
	__u8 *a, *b;
	size_t a_len, b_len;

	(void)state;
	figure_defaults(&o);
	o.format = FIGURE_SVG;
	o.title = "select \"<a>\" & more \xff";
	o.subtitle = "latency";
	o.max_marks = true;
	for (int i = 0; i < 4; i++) {
		o.theme = i % 2;
		o.yscale = i / 2;
		assert_int_equal(figure_render(g, &o, &a, &a_len), 0);
		assert_int_equal(figure_render(g, &o, &b, &b_len), 0);
		assert_int_equal(a_len, b_len);
		assert_memory_equal(a, b, a_len);
		assert_true(a_len < 1000000);
		d = parse(a, a_len);
		assert_string_equal(d.title, "select \"<a>\" & more \xef\xbf\xbd");
		assert_non_null(strstr(d.description, "latency. 2026-11-21 14:00:00 to 15:00:00 UTC"));
		assert_string_equal(d.width, "1200px");
		assert_in_range(d.images, 1, 3);		/* the map and its strips */
		free(a);
		free(b);
	}
	grid_free(g);
}

TEST(a_report_is_valid_and_small)
{
	struct grid *g = kit_hour(3600, 3, 1);
	struct report_panel panel[] = { { "latency", g, NULL }, { "on-CPU", g, NULL }, { "off-CPU", g, NULL } };
	struct report_row row = { "a label of \xc3 bytes\x01", 1, 2, 3, 4, 5, 6, 7, 2, 0, 0 };
	struct report r = { .n_panels = 3, .panel = panel, .table = { .unit = "ns", .n_rows = 1, .row = &row } };
	struct figure_options o;
	struct document d;
	__u8 *svg;
	size_t len;

	(void)state;
	kit_split(g, 5);
	figure_defaults(&o);
	o.format = FIGURE_SVG;
	o.height = 0;
	assert_int_equal(report_render(&r, &o, &svg, &len), 0);
	assert_true(len < 1000000);
	d = parse(svg, len);
	assert_in_range(d.images, 3, 9);
	free(svg);
	grid_free(g);
}

TEST(ids_are_counted_from_the_beginning)
{
	static const char before[] = "<svg a=\"b\"><image id=\"image2727\"/><g id=\"surface12\"/><use xlink:href=\"#image2727\"/>"
				     "<use xlink:href=\"#image99\"/><path d=\"image5\"/><image id=\"source-41\"/>"
				     "<use xlink:href=\"#source-41\"/><use xlink:href=\"#source-\"/></svg>";
	static const char after[] = "<svg a=\"b\" role=\"img\">\n<title>t</title>\n<style>image{image-rendering:pixelated}</style>\n"
				    "<image id=\"image0\"/><g id=\"surface1\"/><use xlink:href=\"#image0\"/>"
				    "<use xlink:href=\"#image2\"/><path d=\"image3\"/><image id=\"source-4\"/>"
				    "<use xlink:href=\"#source-4\"/><use xlink:href=\"#source-\"/></svg>";
	__u8 *svg;
	size_t len;

	(void)state;
	assert_int_equal(svg_finish((const __u8 *)before, sizeof(before) - 1, "t", NULL, &svg, &len), 0);
	assert_int_equal(len, sizeof(after) - 1);
	assert_memory_equal(svg, after, len);
	free(svg);
}

TEST(refuses_other_texts)
{
	static const char *const bad[] = { "", "%PDF-1.5", "<svg" };
	__u8 *svg;
	size_t len;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(svg_finish((const __u8 *)bad[i], strlen(bad[i]), NULL, NULL, &svg, &len), -EINVAL);
}

TEST_MAIN()
