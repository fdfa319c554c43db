#include "test/kit/check.h"
#include "test/kit/server_kit.h"
#include "test/kit/render_kit.h"
#include "render/color/hue.h"

#include <stdio.h>

#define SLOT 1000000000ll
#define BASE "/ca/instrumentations/1/value/heatmap/"

static struct server server;
static __s64 t0;

/* Two slots: 4 selects and 2 updates of 1 ms in the first, 1 update of 1 ms in the second. */
static int start(void **state)
{
	server_start(&server, true);
	server_collector(&server, "db1");
	assert_int_equal(server_create(&server), 1);
	t0 = now_ns() / SLOT - 30;
	server_batch(&server, "db1", 1, t0, "select", 1000000, 4);
	server_batch(&server, "db1", 1, t0, "update", 1000000, 2);
	server_batch(&server, "db1", 1, t0 + 1, "update", 1000000, 1);
	return 0;
}

static int stop(void **state)
{
	server_stop(&server);
	return 0;
}

/* Draws the two columns of a picture with one row: 20 x 10 px. */
static void picture(const char *parameters, __u32 ret_rgb[2])
{
	char path[512];
	unsigned width, height;
	struct answer a;
	__u8 *rgb;

	snprintf(path, sizeof(path), BASE "image?format=png&start_time=%lld&duration=2&width=20&height=10&nbuckets=1&ymax=2000000%s",
		 (long long)t0, parameters);
	a = ask(&server, "GET", path, NULL, NULL);
	if (a.status != 200)
		fail_msg("%s: %d %s", path, a.status, a.body);
	rgb = kit_decode((const __u8 *)a.body, a.body_len, &width, &height);
	assert_int_equal(width, 20);
	ret_rgb[0] = kit_pixel(rgb, width, 5, 5);
	ret_rgb[1] = kit_pixel(rgb, width, 15, 5);
	free(rgb);
	answer_fini(&a);
}

static __u32 one(int hue, double v) { return hue_colour(PALETTE_LIGHT, hue, v); }

static __u32 two(int hue_a, double a, int hue_b, double b)
{
	struct hue_mix mix = { 0 };

	hue_mix_add(&mix, one(hue_a, a), a);
	hue_mix_add(&mix, one(hue_b, b), b);
	return hue_mix_colour(&mix, 0);
}

TEST(pictures_are_those_of_cloud_analytics)
{
	const struct { const char *parameters; __u32 rgb[2]; } cases[] = {
		{ "", { one(21, 1), one(21, 0.5) } },				/* 6, 1: two ranks */
		{ "&coloring=linear", { one(21, 1), one(21, 1 / 6.0) } },
		{ "&coloring=linear&weights=weight", { one(21, 1), one(21, 1 / 6.0) } },
		{ "&coloring=linear&selected=update", { two(21, 1, 112, 0.5), one(112, 0.25) } },	/* 4 + 2, 1 */
		{ "&selected=update", { two(21, 1, 112, 2 / 3.0), one(112, 1 / 3.0) } },
		{ "&coloring=linear&selected=update&isolate=true", { one(112, 1), one(112, 0.5) } },
		{ "&coloring=linear&selected=update,select&isolate=true", { two(112, 0.5, 203, 1), one(112, 0.25) } },
		{ "&coloring=linear&selected=update&exclude=true", { one(21, 1), 0xffffff } },
		{ "&coloring=linear&decompose_all=true", { two(112, 1, 203, 0.5), one(203, 0.25) } },	/* by name */
		{ "&isolate=true", { 0xffffff, 0xffffff } },
		{ "&exclude=true", { one(21, 1), one(21, 0.5) } },
		{ "&coloring=linear&selected=update&hues=200,40,7", { two(200, 1, 40, 0.5), one(40, 0.25) } },
		{ "&coloring=linear&selected=update&isolate=true&hues=40", { one(40, 1), one(40, 0.5) } },
		{ "&coloring=linear&hues=300", { one(300, 1), one(300, 1 / 6.0) } },
		{ "&coloring=linear&selected=nothing", { one(21, 1), one(21, 1 / 6.0) } },
		{ "&transfer=percent", { one(21, 1), one(21, 1) } },
	};
	__u32 rgb[2];

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		picture(cases[i].parameters, rgb);
		if (rgb[0] != cases[i].rgb[0] || rgb[1] != cases[i].rgb[1])
			fail_msg("%s: %06x %06x, wanted %06x %06x", cases[i].parameters, rgb[0], rgb[1], cases[i].rgb[0],
				 cases[i].rgb[1]);
	}
}

TEST(the_ramp_is_ours)
{
	struct palette p;
	__u32 rgb[2];

	palette_make(PALETTE_DARK, PALETTE_USUAL, &p);
	picture("&palette=ramp&theme=dark&transfer=linear", rgb);
	assert_int_equal(rgb[0], p.colour[255]);
	assert_int_equal(rgb[1], p.colour[43]);
}

TEST(figures_and_reports_draw_layers)
{
	static const char *const paths[] = {
		"heatmap/figure?selected=update", "heatmap/figure?selected=update,select&isolate=true",
		"heatmap/figure?selected=update&isolate=true", "heatmap/figure?selected=update&exclude=true",
		"heatmap/figure?decompose_all=true&theme=dark", "heatmap/figure?hues=200", "heatmap/figure?palette=hue",
		"heatmap/figure?decompose_all=true&hues=1,2,3", "report?decompose_all=true", "report?selected=update",
		"heatmap/figure?by=statement&decompose_all=true", "heatmap/figure?weights=weight&decompose_all=true",
		"heatmap/figure?selected=update&exclude=true&hues=1,2", "report?selected=update&isolate=true&hues=200",
	};

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		char path[256];
		struct answer a;

		snprintf(path, sizeof(path), "/ca/instrumentations/1/value/%s&start_time=%lld&duration=2", paths[i], (long long)t0);
		a = ask(&server, "GET", path, NULL, NULL);
		if (a.status != 200)
			fail_msg("%s: %d %s", path, a.status, a.body);
		assert_memory_equal(a.body, "\x89PNG", 4);
		answer_fini(&a);
	}
}

/* "present" of an image lists every key; details list only those that are drawn. */
TEST(details_are_of_what_is_drawn)
{
	static const struct { const char *parameters; int select, update; } cases[] = {
		{ "", 4, 2 }, { "&selected=update", 4, 2 }, { "&selected=update&isolate=true", 0, 2 },
		{ "&selected=update&exclude=true", 4, 0 }, { "&decompose_all=true", 4, 2 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char path[512];
		json_t *d, *present;

		snprintf(path, sizeof(path), BASE "details?start_time=%lld&duration=2&width=20&height=10&nbuckets=1&ymax=2000000&"
			 "x=3&y=3%s", (long long)t0, cases[i].parameters);
		d = get_json(&server, path);
		present = json_object_get(d, "present");
		assert_int_equal(json_integer_value(json_object_get(present, "select")), cases[i].select);
		assert_int_equal(json_integer_value(json_object_get(present, "update")), cases[i].update);
		assert_int_equal(json_integer_value(json_object_get(d, "total")), cases[i].select + cases[i].update);
		json_decref(d);
	}
}

TEST(refusals_have_their_reason)
{
	static const struct { const char *path, *says; } cases[] = {
		{ "image?isolate=true&exclude=true", "at most one of isolate, exclude and decompose_all" },
		{ "image?isolate=true&decompose_all=true", "at most one of" },
		{ "image?selected=update&hues=21", "1 hues are too few: 2 are needed, one for the background" },
		{ "image?selected=a,b&isolate=true&hues=21", "2 are needed, one for each selected key" },
		{ "image?decompose_all=true&hues=21,22", "3 are needed, one for the background and one for each of 2 keys" },
		{ "image?hues=360", "maximum is 359" }, { "image?hues=-1", "minimum is 0" }, { "image?hues=red", "not a number" },
		{ "image?hues=1,,2", "not a number" }, { "image?isolate=1", "true or false" },
		{ "figure?isolate=true", "isolate needs selected" }, { "figure?exclude=true", "exclude needs selected" },
		{ "image?palette=green", "ramp fire grey hue" }, { "image?by=nothing", "has statement" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char path[256];
		struct answer a;

		snprintf(path, sizeof(path), BASE "%s&start_time=%lld&duration=2", cases[i].path, (long long)t0);
		a = ask(&server, "GET", path, NULL, NULL);
		if (a.status != 409 || !strstr(a.body, cases[i].says))
			fail_msg("%s: %d %s", path, a.status, a.body);
		answer_fini(&a);
	}
}

TEST_MAIN_WITH(start, stop)
