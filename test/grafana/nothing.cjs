// Stands for a package that only draws Grafana's page (React, its components, editors, maps).  While modules are loaded its members
// may be called (React.createContext()); after that a call is an error, so no answer comes from a package that is missing.
let isLoaded = false;

function nothing(path) {
	const used = () => {
		if (isLoaded)
			throw new Error(`${path} was called, but is not installed: see the overrides in package.json`);
		return nothing(`${path}()`);
	};
	const self = new Proxy(function () {}, {
		get: (target, name) => name === "prototype" ? target.prototype : name === "__esModule" ? true : typeof name === "symbol" ? undefined :
			nothing(`${path}.${name}`),
		getPrototypeOf: () => self,		// the bundler's copy of a module inherits its members
		apply: used,
		construct: used,
	});
	return self;
}

module.exports = { nothing, loaded: () => { isLoaded = true; } };
