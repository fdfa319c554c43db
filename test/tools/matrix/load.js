// load.js mysql2 | mariadb | pg | redis | ioredis - sends a load by a driver of npm; the environment as for load.py.
const fs = require("fs");

const env = process.env, driver = process.argv[2];
const at = { host: "127.0.0.1", port: +env.MATRIX_PORT, user: env.MATRIX_USER, database: "shop" };
const ssl = env.MATRIX_MODE === "tls" ? { rejectUnauthorized: false } : undefined;
const compress = env.MATRIX_MODE === "zlib";
const hows = env.MATRIX_HOWS.split(",");
const lines = fs.readFileSync(env.MATRIX_LOAD, "utf8").split("\n").filter((line) => line && !line.startsWith("#"))
	.map((line) => line.split("\t")).filter(([, how]) => hows.includes(how));

// Of each: how to connect, to send a text, to execute a prepared statement with a number, and to end.
const drivers = {
	async mysql2() {
		const c = await require("mysql2/promise").createConnection({ ...at, ssl, compress });
		return { text: (text) => c.query(text), prepared: (text, i) => c.execute(text, [i]), end: () => c.end() };
	},
	async mariadb() {
		const c = await require("mariadb").createConnection({ ...at, ssl, compress });
		const made = new Map();
		const prepared = async (text, i) => {
			if (!made.has(text))
				made.set(text, await c.prepare(text));
			return made.get(text).execute([i]);
		};
		return { text: (text) => c.query(text), prepared, end: () => c.end() };
	},
	async redis() {
		const c = require("redis").createClient({ socket: { host: at.host, port: at.port, ...(ssl && { tls: true, ...ssl }) } });
		await c.connect();
		return { text: (text) => c.sendCommand(text.split(" ")), end: () => c.close() };
	},
	async ioredis() {
		const c = new (require("ioredis"))({ host: at.host, port: at.port, tls: ssl });
		return { text: (text) => c.call(...text.split(" ")), end: () => c.quit() };
	},
	async pg() {
		const c = new (require("pg").Client)({ ...at, ssl: ssl || false });
		await c.connect();
		const prepared = (text, i) => c.query({ name: text, text, values: [i] });
		return { text: (text) => c.query(text), prepared, end: () => c.end() };
	},
};

(async () => {
	const c = await drivers[driver]();
	for (let i = +env.MATRIX_FIRST; i < +env.MATRIX_FIRST + +env.MATRIX_ROUNDS; i++)
		for (const [every, how, text] of lines) {
			if (i % every)
				continue;
			try {
				await (how === "prepared" ? c.prepared(text, i) : c.text(text.replaceAll("%d", i)));
			} catch (error) {
				if (how !== "fails")
					throw error;
			}
		}
	await c.end();
})().catch((error) => { console.error(error); process.exit(1); });
