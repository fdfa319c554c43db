/* events.js - reads server-sent events with fetch(): unlike EventSource it can send the token. */
import { fetchWithToken } from "./token.js";

/** Pieces of a stream in, whole events out. */
export class EventParser {
	constructor() {
		this.rest = "";
	}

	/** @returns {{type: string, data: string}[]} */
	push(text) {
		const blocks = (this.rest + text).split("\n\n");

		this.rest = blocks.pop();
		return blocks.map((block) => {
			const event = { type: "message", data: [] };

			for (const line of block.split("\n")) {
				const [, name, value] = /^([^:]*):? ?(.*)$/.exec(line);

				if (name === "event")
					event.type = value;
				else if (name === "data")
					event.data.push(value);
			}
			return { type: event.type, data: event.data.join("\n") };
		}).filter((event) => event.data);
	}
}

/** Calls on(type, data) until the stream ends; throws where it breaks. */
export async function readEvents(path, signal, on) {
	const reply = await fetchWithToken(path, { headers: { Accept: "text/event-stream" }, signal });

	if (!reply.ok)
		throw new Error(`status ${reply.status}`);
	const reader = reply.body.pipeThrough(new TextDecoderStream()).getReader();
	const parser = new EventParser();

	for (;;) {
		const { done, value } = await reader.read();

		if (done)
			return;
		for (const { type, data } of parser.push(value))
			on(type, data);
	}
}
