/* server.js - starts a private heatscoped with a collector that replays a recording, on a port of its own. */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";

const top = join(dirname(fileURLToPath(import.meta.url)), "../..");
const build = process.env.HEATSCOPE_BUILD;

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** Asks until the answer is true; throws with `what` after a while. */
export async function until(what, ask, seconds = 20) {
	for (let left = seconds * 10; left > 0; left--) {
		const found = await ask();

		if (found)
			return found;
		await sleep(100);
	}
	throw new Error(`not within ${seconds} s: ${what}`);
}

/** Waits until what is asked for is as wanted: the page draws, and writes its address, a little after it was used. */
export async function becomes(ask, wanted, what) {
	let found;

	await until(what, async () => isDeepStrictEqual(found = await ask(), wanted)).catch(() => assert.deepEqual(found, wanted, what));
}

/* Another program may take it before it is used: Server.start() then takes another one. */
function freePort() {
	return new Promise((done) => {
		const probe = createServer().listen(0, "127.0.0.1", () => {
			const { port } = probe.address();

			probe.close(() => done(port));
		});
	});
}

function pageDir() {
	const page = [join(build, "ui/web/dist"), join(top, "ui/web/dist")].find((dir) => existsSync(join(dir, "index.html")));

	if (!page)
		throw new Error("the page is not built");
	return page;
}

const QUERIES = { module: "mysql", stat: "queries", decomposition: ["statement", "latency"], measures: ["latency", "cputime", "offcpu"] };

export class Server {
	recording = "queries.hsr";

	/** One that other machines may reach: TLS, and a token (`secret`); with the same instrumentation. */
	static async startBeyond() {
		const s = new Server(), port = await freePort();
		const file = (name) => join(s.dir, name);

		s.dir = mkdtempSync(join(tmpdir(), "heatscope-browser."));
		s.url = `https://127.0.0.1:${port}`;
		s.secret = "0123456789abcdef0123456789";
		s.parts = [];
		writeFileSync(file("token"), s.secret, { mode: 0o600 });
		s.do("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
			"/CN=test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", file("key"), "-out", file("certificate")]);
		s.run("heatscoped", ["--no-config", "--listen", `0.0.0.0:${port}`, "--tls-certificate", file("certificate"), "--tls-key", file("key"),
			"--token-file", file("token"), "--api-socket", file("api"), "--socket", file("ingest"), "--database", "memory",
			"--page", pageDir()]);
		await until("heatscoped answers", () => existsSync(file("api")));
		s.replay();
		const heatscope = (...args) => s.do(join(build, "heatscope"), ["--url", `unix:${file("api")}`, ...args]);

		await until("a metric is offered", () => heatscope("metrics").includes("mysql.queries"));
		heatscope("create", "mysql.queries", "--by", "statement", "--measures", "latency,cputime,offcpu");
		return s;
	}

	do(name, args) {
		const done = spawnSync(name, args, { encoding: "utf8", maxBuffer: 1 << 28 });

		if (done.status !== 0)
			throw new Error(`${name}: ${done.stderr}`);
		return done.stdout;
	}

	/** Started, with a recording that is played, and a live instrumentation; by default of latency, time on and off the CPU by statement. */
	static async start({ recording, properties = QUERIES } = {}) {
		const s = new Server();

		s.recording = recording ?? s.recording;

		s.dir = mkdtempSync(join(tmpdir(), "heatscope-browser."));
		s.parts = [];
		for (let tries = 5, daemon; !daemon || daemon.exitCode !== null && tries; tries--) {
			s.url = `http://127.0.0.1:${await freePort()}`;
			s.parts = [daemon = s.run("heatscoped", ["--no-config", "--listen", s.url.slice(7), "--socket", join(s.dir, "ingest"),
				"--database", "memory", "--page", pageDir()])];
			await until("heatscoped answers", () => daemon.exitCode !== null || s.get("/ca").then(() => true, () => false));
		}
		s.replay();
		await until("a metric is offered", async () => (await s.get("/ca")).metrics.length > 0);
		s.id = await s.create(properties);
		await until("a quarter of a minute of events", async () => {
			const { columns } = await s.get(`/ca/instrumentations/${s.id}/value/grid?duration=60&ncols=60`);

			return columns.filter((c) => c.count || c.running).length >= 14;
		}, 40);
		return s;
	}

	/** Another instrumentation; its id. */
	async create(properties) {
		return (await this.post("/ca/instrumentations", properties)).id;
	}

	/** Creates an object; returns it. */
	async post(path, properties) {
		const made = await fetch(this.url + path, {
			method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(properties) });

		if (made.status !== 201)
			throw new Error(`${path}: ${made.status} ${await made.text()}`);
		return made.json();
	}

	async delete(path) {
		const reply = await fetch(this.url + path, { method: "DELETE" });

		if (!reply.ok)
			throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
	}

	run(name, args) {
		const log = openSync(join(this.dir, `${name}.log`), "a");

		const part = spawn(join(build, name), args, { stdio: ["ignore", log, log] });

		this.parts.push(part);
		return part;
	}

	/* The recording is short: at its end it begins again. */
	replay(source = "db1", ...options) {
		const collector = this.run("heatscope-collector", ["--socket", join(this.dir, "ingest"), "--spool", "", "--source", source,
			"--follow-clock", "--once", "--replay", join(top, "test/browser", this.recording), ...options]);

		collector.once("exit", (code) => {
			this.parts.splice(this.parts.indexOf(collector), 1);
			if (code === 0)
				this.replay(source, ...options);
		});
		return collector;
	}

	async get(path) {
		const reply = await fetch(this.url + path);

		if (!reply.ok)
			throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
		return reply.json();
	}

	/** The data from which a picture of the command line was drawn. */
	data(command, ...options) {
		const file = join(this.dir, "picture.png"), heatscope = join(build, "heatscope");

		this.do(heatscope, ["--url", this.url, command, this.id, ...options, "-o", file]);
		return JSON.parse(this.do(heatscope, ["open", file, "--json"]));
	}

	logs() {
		return ["heatscoped", "heatscope-collector"].map((name) => {
			const file = join(this.dir, `${name}.log`);

			return existsSync(file) ? `--- ${name}\n${readFileSync(file, "utf8").slice(-2000)}` : "";
		}).join("\n");
	}

	/** Stops heatscoped alone, as a crash would. */
	kill() {
		this.parts[0].kill("SIGKILL");
	}

	async stop() {
		for (const part of [...this.parts].reverse()) {
			part.removeAllListeners("exit");
			if (part.exitCode === null && part.signalCode === null) {
				const gone = new Promise((done) => part.once("exit", done));

				part.kill("SIGTERM");
				await Promise.race([gone, sleep(3000).then(() => part.kill("SIGKILL"))]);
			}
		}
		rmSync(this.dir, { recursive: true, force: true });
	}
}
