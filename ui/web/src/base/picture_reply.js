/* picture_reply.js - keeps the newest reply and its picture: older replies are dropped. */
import { useEffect, useState } from "preact/hooks";

const WIDTH_MIN = 400, WIDTH_MAX = 1200;	/* of heatscoped; that of a picture if none is asked for */
const AROUND = 72;				/* of a dialogue: its frame, and the space around it */

/** The width of a picture in a dialogue, CSS px: a wide one, made smaller, cannot be read on a phone. */
export const pictureWidth = () => Math.max(WIDTH_MIN, Math.min(WIDTH_MAX, Math.floor(innerWidth - AROUND)));

/**
 * asked: the question as a text; another text asks again, null asks nothing.  ask: (signal) -> Promise of [reply, Blob].
 * @returns {{reply, url, problem, busy}}   url: of the picture, as long as it is the newest
 */
export function usePictureReply(asked, ask) {
	const [made, setMade] = useState({});

	useEffect(() => {
		const abort = new AbortController();
		let url = null;

		setMade((old) => asked ? { ...old, busy: true } : {});
		if (asked)
			ask(abort.signal).then(([reply, blob]) => {
				if (abort.signal.aborted)
					return;
				url = URL.createObjectURL(blob);
				setMade({ reply, url });
			}, (problem) => abort.signal.aborted || setMade({ problem: problem.message }));
		return () => {
			abort.abort();
			if (url)
				URL.revokeObjectURL(url);
		};
	}, [asked]);
	return made;
}
