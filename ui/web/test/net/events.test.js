import assert from "node:assert/strict";
import test from "node:test";
import { EventParser, readEvents } from "../../src/net/events.js";

const stream = "event: grid\ndata: {\"a\":1}\n\n:\n\nevent: column\ndata: {\"b\":\ndata: 2}\n\ndata: bare\n\n";
const whole = [
	{ type: "grid", data: "{\"a\":1}" }, { type: "column", data: "{\"b\":\n2}" }, { type: "message", data: "bare" },
];

test("events come out whole, however the stream is cut", () => {
	for (let size = 1; size <= stream.length; size++) {
		const parser = new EventParser(), got = [];

		for (let at = 0; at < stream.length; at += size)
			got.push(...parser.push(stream.slice(at, at + size)));
		assert.deepEqual(got, whole, `pieces of ${size}`);
	}
});

test("an unfinished event is not returned", () => {
	assert.deepEqual(new EventParser().push("event: grid\ndata: 1\n"), []);
});

test("a stream is read to its end, also where a letter is cut", async (t) => {
	const bytes = new TextEncoder().encode("event: e\ndata: µs ü\n\n"), got = [];

	t.mock.method(globalThis, "fetch", async (path, options) => {
		assert.equal(options.headers.Accept, "text/event-stream");
		return new Response(new ReadableStream({
			start(c) {
				for (const byte of bytes)
					c.enqueue(Uint8Array.of(byte));
				c.close();
			},
		}));
	});
	await readEvents("/x", undefined, (type, data) => got.push([type, data]));
	assert.deepEqual(got, [["e", "µs ü"]]);
});

test("a reply that is no stream is an error", async (t) => {
	t.mock.method(globalThis, "fetch", async () => new Response("{}", { status: 404 }));
	await assert.rejects(readEvents("/x", undefined, () => assert.fail()), /404/);
});
