// The types of a dashboard with heat maps and time series of a Prometheus source, as Grafana publishes them: enums are written as
// their values, as in JSON.
import type * as dashboard from "@grafana/grafana-foundation-sdk/dashboard";
import type * as heatmap from "@grafana/grafana-foundation-sdk/heatmap";
import type * as prometheus from "@grafana/grafana-foundation-sdk/prometheus";
import type * as timeseries from "@grafana/grafana-foundation-sdk/timeseries";

type IsAny<T> = 0 extends 1 & T ? true : false;
type Plain<T> = IsAny<T> extends true ? any
	: T extends boolean | null | undefined ? T
	: T extends string ? `${T}`
	: T extends number ? number
	: T extends (infer Item)[] ? Plain<Item>[]
	: { [Key in keyof T as Key extends "_implementsDataqueryVariant" ? never : Key]: Plain<T[Key]> };


type PanelOf<Type extends string, Options, Custom> = Omit<Plain<dashboard.Panel>, "type" | "options" | "fieldConfig" | "targets"> & {
	type: Type;
	targets: Plain<prometheus.Dataquery>[];
	options: Plain<Options>;
	fieldConfig: Omit<Plain<dashboard.FieldConfigSource>, "defaults"> & {
		defaults: Omit<Plain<dashboard.FieldConfig>, "custom"> & { custom: Plain<Custom> };
	};
};
export type Dashboard = Omit<Plain<dashboard.Dashboard>, "panels"> & {
	panels: (PanelOf<"heatmap", heatmap.Options, heatmap.FieldConfig> | PanelOf<"timeseries", timeseries.Options, timeseries.FieldConfig>)[];
};
