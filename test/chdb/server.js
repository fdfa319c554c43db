// server.js DIR - a current ClickHouse engine (chdb) that answers as a ClickHouse server does over HTTP, for the laws of the store.
//
// Prints its address, http://127.0.0.1:PORT, and ends at SIGTERM.  It knows what heatscoped and its tests send: statements as the body
// of a POST or in the address, settings in the address, and INSERT with rows in the format RowBinary as the body.  There are no
// users.  Statements run one at a time.  The engine gives results as texts, so rows go through files in DIR.
import { Session } from "chdb";
import { createServer } from "node:http";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const dir = process.argv[2];
const session = new Session(join(dir, "data"));
const rows = join(dir, "rows"), answer = join(dir, "answer");
const ours = ["wait_end_of_query", "buffer_size", "query"];

/** The settings in an address as the end of a statement. */
function settingsOf(url) {
	const settings = [...url.searchParams].filter(([name]) => !ours.includes(name)).map(([name, value]) => `${name}=${value}`);

	return settings.length ? ` SETTINGS ${settings.join(", ")}` : "";
}

/** "INSERT INTO d.t (a, b) FORMAT RowBinary", with the rows in a file. */
function insert(table, columns, body, settings) {
	const types = new Map(session.query(`SELECT name, type FROM system.columns WHERE concat(database, '.', table) = '${table}'`, "TSV")
		.trim().split("\n").map(line => line.split("\t")));
	const shape = columns.split(",").map(c => c.trim()).map(c => `${c} ${types.get(c)}`).join(", ");

	writeFileSync(rows, body);
	session.query(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM file('${rows}', 'RowBinary', '${shape}')${settings}`);
	return "";
}

function run(url, body) {
	const settings = settingsOf(url), text = url.searchParams.get("query") ?? body.toString("latin1");	// literals may have any byte
	const into = /^INSERT INTO (\S+) \((.*)\) FORMAT RowBinary$/.exec(text), select = /^(.*) FORMAT RowBinary$/s.exec(text);

	if (into)
		return insert(into[1], into[2], body, settings);
	if (!select)
		return session.query(text, "TSV");
	session.query(`${select[1]} INTO OUTFILE '${answer}' TRUNCATE FORMAT RowBinary${settings}`);
	return readFileSync(answer);
}

const server = createServer((request, response) => {
	const pieces = [];

	request.on("data", piece => pieces.push(piece));
	request.on("end", () => {
		const user = request.headers["x-clickhouse-user"];

		try {
			if (user)
				throw new Error(`Code: 516. DB::Exception: ${user}: Authentication failed`);
			response.end(run(new URL(request.url, "http://localhost"), Buffer.concat(pieces)));
		} catch (error) {
			response.statusCode = 500;
			response.end(String(error.message ?? error));
		}
	});
});

server.keepAliveTimeout = 600000;
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.on("SIGTERM", () => process.exit(0));
