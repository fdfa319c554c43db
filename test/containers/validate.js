// validate.js - compares YAML files with Kubernetes' schemas, or with what docker compose must not lack: TAP.
//
//     node validate.js kubernetes FILE        every object is valid, and the schema knows every key of it
//     node validate.js privileges FILE        no container has more than it needs
//
// The schemas are those of kubernetes-models, as validators.  They accept keys that Kubernetes does not have, such as
// a misspelt one.  So a validator gets objects that note which keys it reads: it does not know the others.
import fs from "node:fs";
import { createRequire } from "node:module";
import yaml from "yaml";

const require = createRequire(import.meta.url);
const [what, file] = process.argv.slice(2);
const objects = yaml.parseAllDocuments(fs.readFileSync(file, "utf8")).map((document) => document.toJS());
let n = 0, bad = 0;

function ok(holds, text) {
	console.log(`${holds ? "ok" : "not ok"} ${++n} - ${text}`);
	bad += !holds;
}

// An object like `value` that adds the paths of keys to `read` when they are read.
function noting(value, path, read) {
	if (typeof value !== "object" || value === null)
		return value;
	return new Proxy(value, {
		get(target, key) {
			if (typeof key === "symbol" || !Object.hasOwn(target, key))
				return Reflect.get(target, key);
			read.add(`${path}/${key}`);
			return noting(target[key], `${path}/${key}`, read);
		},
	});
}

function* paths(value, path) {
	if (typeof value !== "object" || value === null)
		return;
	for (const key of Object.keys(value)) {
		yield `${path}/${key}`;
		yield* paths(value[key], `${path}/${key}`);
	}
}

// Returns the errors of the object, and the keys that its schema does not know.
function check(object) {
	const Model = require(`kubernetes-models/${object.apiVersion}`)[object.kind];
	const read = new Set(["/apiVersion", "/kind"]);
	const model = new Model({});

	for (const key of Object.keys(object))
		Object.defineProperty(model, key, { enumerable: true, get() { read.add(`/${key}`); return noting(object[key], `/${key}`, read); } });
	let errors = "";
	try {
		model.validate();
	} catch (error) {
		errors = error.message;
	}
	return { errors, unknown: [...paths(object, "")].filter((path) => !read.has(path)) };
}

function kubernetes() {
	for (const object of objects) {
		const { errors, unknown } = check(object);

		ok(!errors, `${object.kind} ${object.metadata.name} is valid ${errors}`);
		ok(!unknown.length, `${object.kind} ${object.metadata.name}: Kubernetes knows each key ${unknown.join(" ")}`);
	}
	const pod = objects.find((object) => object.kind === "DaemonSet");
	const copy = structuredClone(pod);

	copy.spec.template.spec.containers[0].securityContext.readonlyRootFilesystem = true;
	ok(check(copy).unknown.join() === "/spec/template/spec/containers/0/securityContext/readonlyRootFilesystem", "a misspelt key is found");
	copy.spec.template.spec.hostPID = "yes";
	ok(check(copy).errors.includes("hostPID"), "a wrong type is found");
}

const added = { folders: "CHOWN FOWNER", secret: "CHOWN FOWNER", heatscoped: "", collector: "BPF PERFMON SYS_PTRACE" };

function privileges() {
	for (const object of objects.filter((each) => each.spec?.template)) {
		const pod = object.spec.template.spec;
		const volumes = new Set(pod.volumes.map((volume) => volume.name));

		ok(!pod.hostNetwork && !pod.hostIPC && !!pod.hostPID === (object.kind === "DaemonSet"), `${object.kind}: only the collector sees the host's processes`);
		ok(pod.automountServiceAccountToken === false, `${object.kind} has no access to Kubernetes`);
		for (const { name, securityContext: context, volumeMounts } of [...(pod.initContainers ?? []), ...pod.containers]) {
			ok(!context.privileged && context.allowPrivilegeEscalation === false && context.readOnlyRootFilesystem === true,
				`${name} is not privileged and writes only to volumes`);
			ok(context.capabilities.drop.join() === "ALL" && (context.capabilities.add ?? []).join(" ") === added[name],
				`${name} has the capabilities "${added[name]}" and no others`);
			ok(volumeMounts.every((mount) => volumes.has(mount.name)), `${name}: its volumes exist`);
		}
	}
	const { services } = yaml.parse(fs.readFileSync(new URL("compose.yaml", `file://${fs.realpathSync(file)}`), "utf8"));

	for (const [name, service] of Object.entries(services))
		ok(!service.privileged && service.read_only === true && service.cap_drop.join() === "ALL" && (service.cap_add ?? []).join(" ") === added[name],
			`compose: ${name} has the capabilities "${added[name]}" and no others`);
}

({ kubernetes, privileges })[what]();
console.log(`1..${n}`);
process.exit(bad ? 1 : 0);
