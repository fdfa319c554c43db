import assert from "node:assert/strict";
import test, { beforeEach } from "node:test";
import { fetchWithToken, held, whenNeeded } from "../../src/net/token.js";

let stored, sent, server;

/* A server that lets "right" change things, and anybody read unless `closed`. */
beforeEach(() => {
	stored = new Map();
	sent = [];
	server = { closed: false };
	globalThis.sessionStorage = {
		getItem: (name) => stored.get(name) ?? null,
		setItem: (name, value) => stored.set(name, value),
		removeItem: (name) => stored.delete(name),
	};
	globalThis.fetch = async (path, { method = "GET", headers }) => {
		const token = headers.Authorization;
		const free = method === "GET" && !server.closed && !token;

		sent.push(token ?? "");
		return new Response("{}", { status: free || token === "Bearer right" ? 200 : 401 });
	};
});

const asks = (...answers) => {
	const whys = [];

	whenNeeded(async (why) => {
		whys.push(why);
		return answers.shift() ?? null;
	});
	return whys;
};
const status = async (method) => (await fetchWithToken("/ca", { method })).status;

test("reading that needs no token does not ask for one", async () => {
	const whys = asks();

	assert.equal(await status("GET"), 200);
	assert.deepEqual([whys, sent], [[], [""]]);
});

test("it is asked for once, and kept with the tab", async () => {
	const whys = asks("right");

	assert.equal(await status("POST"), 200);
	assert.equal(await status("DELETE"), 200);
	assert.equal(whys.length, 1);
	assert.equal([...stored.values()].join(), "right");
	assert.deepEqual(sent, ["", "Bearer right", "Bearer right"]);
});

test("a wrong one is said to be wrong", async () => {
	const whys = asks("wrong", "right");

	assert.equal(await status("POST"), 200);
	assert.match(whys[1], /not the token/);
});

test("requests at the same time wait for one answer", async () => {
	const whys = asks("right");

	server.closed = true;
	assert.deepEqual(await Promise.all([status("GET"), status("GET"), status("POST")]), [200, 200, 200]);
	assert.equal(whys.length, 1);
});

test("a user who declines is asked again only to change something", async () => {
	const whys = asks(null, null);

	server.closed = true;
	assert.equal(await status("GET"), 401);
	assert.equal(await status("GET"), 401);
	assert.equal(whys.length, 1);
	assert.equal(await status("POST"), 401);
	assert.equal(whys.length, 2);
});

test("reading goes on without a token that is no longer right", async () => {
	const whys = asks("old");

	stored.set("heatscope-token", "old");
	whenNeeded(async () => null);
	assert.equal(await status("GET"), 200);
	assert.deepEqual(sent, ["Bearer old", ""]);
	assert.equal(held(), null);
	assert.equal(whys.length, 0);
});

test("a change that was declined is not tried again", async () => {
	stored.set("heatscope-token", "old");
	asks(null);
	assert.equal(await status("POST"), 401);
	assert.deepEqual(sent, ["Bearer old"]);
});

test("a browser that keeps nothing is asked once too", async () => {
	const whys = asks("right");

	globalThis.sessionStorage = { getItem() { throw new Error("no"); }, setItem() { throw new Error("no"); }, removeItem() { throw new Error("no"); } };
	assert.equal(await status("POST"), 200);
	assert.equal(await status("POST"), 200);
	assert.equal(whys.length, 1);
});
