// The parts of Grafana that a dashboard needs to ask its source: bundle.js makes a file of it.
export { PrometheusDatasource } from "./node_modules/@grafana/prometheus/dist/esm/datasource.mjs";
export { rangeUtil } from "@grafana/data";
export { setBackendSrv, setRunRequest, setTemplateSrv } from "@grafana/runtime";
export { DataSourceVariable, EmbeddedScene, QueryVariable, SceneFlexItem, SceneFlexLayout, SceneQueryRunner, SceneTimeRange, SceneVariableSet,
	sceneGraph } from "@grafana/scenes";
export { getDataSourceInstance, setDataSourcePluginImporter } from "./node_modules/@grafana/runtime/dist/esm/services/dataSource/dataSource.mjs";
export { initDataSourceInstanceSettings } from "./node_modules/@grafana/runtime/dist/esm/services/dataSource/settings.mjs";
export { from, lastValueFrom, map } from "rxjs";
export { loaded } from "./nothing.cjs";
