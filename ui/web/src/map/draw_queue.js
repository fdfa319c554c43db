/* draw_queue.js - decides which panels are drawn in which frame: a few at once, the others in the next frames.
 *
 *      App draws -> each panel's take(): now --true--> it is drawn with the page
 *                                          `--false-> waiting --a frame--> forceUpdate()
 *
 * A change of every second, or of every pointer move, concerns all maps of a page.  If twelve maps were drawn at once
 * they would hold up the frame, and with it the replies that arrive at the same time.  The panel that has waited
 * longest is first, so that none waits for ever.
 */
const FRAME_PANELS = 3;			/* no more are on the page as a rule: then nothing waits */

export class DrawQueue {
	constructor() {
		this.waiting = new Set();	/* components */
		this.left = FRAME_PANELS;	/* of this frame */
		this.asked = 0;			/* for a frame */
	}

	/** Is a panel drawn now?  If not, it is drawn in a later frame, with its state of then. */
	take(panel) {
		this.ask();
		if (this.left <= 0) {
			this.waiting.add(panel);
			return false;
		}
		this.left--;
		this.waiting.delete(panel);
		return true;
	}

	forget(panel) {
		this.waiting.delete(panel);
	}

	ask() {
		this.asked ||= requestAnimationFrame(() => this.frame());
	}

	frame() {
		this.asked = 0;
		this.left = FRAME_PANELS;
		for (const panel of this.waiting) {
			if (!this.left)
				break;
			this.left--;
			this.waiting.delete(panel);
			panel.forceUpdate();
		}
		if (this.waiting.size)
			this.ask();
	}
}
