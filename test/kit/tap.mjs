// Prints TAP.
//
//     ok("the list is sorted", isSorted(list) ? "" : list)      a reason is what is wrong; without one the case passes
//     finish()                                                  the plan; ends with 1 if a case failed
let number = 0, bad = 0;

export function ok(what, why) {
	number++;
	console.log(`${why ? "not ok" : "ok"} ${number} - ${what}`);
	if (why) {
		bad++;
		console.log(`#   ${String(why).slice(0, 1500).replaceAll("\n", "\n#   ")}`);
	}
}

export function finish() {
	console.log(`1..${number}`);
	process.exit(bad ? 1 : 0);
}
