/* paint_queue.js - decides which canvases are painted in which frame: a panel or a few at a time, and only visible ones.
 *
 *      put(panel, canvas, paint) -> waiting --a frame--> paint()
 *                                      |
 *                                      `-- out of sight: until it is seen, or printed
 *
 * A second's columns come for all maps at once.  Painted at once they would hold up the frame, and whatever a person does in it.
 * All canvases of a panel are painted together, so its layers always show the same time.
 */
const FRAME_CANVASES = 4;		/* of a panel all that it has, or of four the cursor; handing a canvas to the screen takes as long as to paint it */

export class PaintQueue {
	constructor() {
		this.seen = new Set();		/* panels */
		this.waiting = new Map();	/* panel -> Map(canvas -> paint); who waits longest is first */
		this.asked = 0;			/* for a frame */
	}

	/** Calls paint() when it is the panel's turn; of a canvas only the newest. */
	put(panel, canvas, paint) {
		if (!this.waiting.has(panel))
			this.waiting.set(panel, new Map());
		this.waiting.get(panel).set(canvas, paint);
		this.ask();
	}

	/** Is the panel visible? */
	show(panel, visible) {
		this.seen[visible ? "add" : "delete"](panel);
		this.ask();
	}

	forget(panel) {
		this.seen.delete(panel);
		this.waiting.delete(panel);
	}

	/** Paints all, out of sight or not. */
	finish() {
		for (const panel of this.waiting.keys())
			this.paint(panel);
	}

	get next() {
		for (const panel of this.waiting.keys())
			if (this.seen.has(panel))
				return panel;
		return null;
	}

	ask() {
		if (!this.asked && this.next)
			this.asked = requestAnimationFrame(() => this.frame());
	}

	frame() {
		this.asked = 0;
		try {
			for (let left = FRAME_CANVASES; left > 0 && this.next; )
				left -= this.paint(this.next);
		} finally {
			this.ask();		/* whatever happens to one, the others wait */
		}
	}

	/* Returns the number of canvases. */
	paint(panel) {
		const paints = this.waiting.get(panel);

		this.waiting.delete(panel);
		for (const paint of paints.values())
			paint();
		return paints.size;
	}
}
