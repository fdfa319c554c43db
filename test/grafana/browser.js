// The few objects of a browser that Grafana's modules look for while they are loaded.  None of them has a part in a request.
const kept = new Map();

globalThis.window = globalThis;
window.grafanaBootData = { settings: {}, user: {}, navTree: [] };
window.localStorage = window.sessionStorage = { getItem: (name) => kept.get(name) ?? null, setItem: (name, value) => kept.set(name, String(value)),
	removeItem: (name) => kept.delete(name) };
window.location = new URL("http://localhost/");
window.addEventListener = window.removeEventListener = () => {};
window.IntersectionObserver = class {
	observe() {}
	unobserve() {}
	disconnect() {}
};
