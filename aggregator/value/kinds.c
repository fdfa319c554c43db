#include "aggregator/value/kind.h"

static const struct value_kind *const kinds[VALUE_KINDS] = {
	[VALUE_RAW] = &value_raw, [VALUE_KEYS] = &value_keys, [VALUE_AVERAGE] = &value_average, [VALUE_PERCENTILE] = &value_percentile,
	[VALUE_GRID] = &value_grid, [VALUE_STREAM] = &value_stream, [VALUE_IMAGE] = &value_image, [VALUE_DETAILS] = &value_details,
	[VALUE_FIGURE] = &value_figure, [VALUE_REPORT] = &value_report, [VALUE_CHART] = &value_chart, [VALUE_FLAME] = &value_flame,
	[VALUE_EXPLAIN] = &value_explain, [VALUE_EXEMPLARS] = &value_exemplars, [VALUE_COMPOSITION] = &value_composition,
	[VALUE_COMPARE] = &value_compare, [VALUE_SIDE] = &value_side,
};

const struct value_kind *value_kind_of(enum value_kind_id id)
{
	return kinds[id];
}

enum admission_class value_class(enum value_kind_id id)
{
	return kinds[id]->class;
}
