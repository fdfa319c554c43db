/* token.js - adds the token to requests that need one: it asks for it once and keeps it with this tab.
 *
 *      fetchWithToken() --401--> ask(why) --a person--> the same request again
 *
 * It is a header and no cookie: a cookie would go along to every port of this machine, and with requests that
 * other pages make.  Requests that fail at the same time wait for one answer.  A user who declines is not asked again
 * for reading, only for a change.
 */
const NAME = "heatscope-token";

let ask = async () => null;
let asking = null;
let declined = false;
let kept = null;			/* where the browser keeps nothing */

/** Sets the function that asks the user: (why) -> the token, or null. */
export function whenNeeded(asks) {
	ask = asks;
	declined = false;
}

export function held() {
	try {
		return sessionStorage.getItem(NAME) ?? kept;
	} catch {
		return kept;
	}
}

function keep(token) {
	try {
		token ? sessionStorage.setItem(NAME, token) : sessionStorage.removeItem(NAME);
	} catch {
		kept = token;
	}
}

/* True: there is another one to try. */
function obtain(refused, reading) {
	if (declined && reading) {
		keep(null);
		return false;
	}
	asking ??= ask(refused ? "That is not the token of this server." : "heatscoped wants its token for this.").then((token) => {
		asking = null;
		declined = !token;
		keep(token);
		return Boolean(token);
	});
	return asking;
}

/** fetch(), with the token where there is one, and asking for it where it is missing or wrong. */
export async function fetchWithToken(path, options = {}) {
	const reading = (options.method ?? "GET") === "GET";

	for (;;) {
		const sent = held();
		const headers = { ...options.headers, ...(sent ? { Authorization: `Bearer ${sent}` } : {}) };
		const reply = await fetch(path, { cache: "no-store", ...options, headers });

		if (reply.status !== 401)
			return reply;
		if (held() !== sent || await obtain(sent, reading))
			continue;
		if (!sent || !reading)
			return reply;		/* else once more: without a token, reading may be free */
	}
}
