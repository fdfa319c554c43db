/* drag.js - follows the pointer from one place to another with its button held; a short way is a click.
 *
 *      begin() -> move() ... -> end()
 */
const FAR = 5;				/* px: a hand is not that restless */

export class Drag {
	far = false;			/* also after the end, so that the click that follows is ignored */
	held = null;

	/** Begins at a place, which is `from` afterwards. */
	begin(event, place) {
		this.far = false;
		this.from = place;
		this.held = event.isPrimary && event.button === 0 ? { x: event.clientX, y: event.clientY } : null;
	}

	/** True: it goes far enough to be none but a drag. */
	move(event) {
		if (!this.held)
			return false;
		if (!this.far && Math.hypot(event.clientX - this.held.x, event.clientY - this.held.y) >= FAR) {
			this.far = true;
			event.currentTarget.setPointerCapture(event.pointerId);
		}
		return this.far;
	}

	/** True: it was a drag. */
	end() {
		const dragged = Boolean(this.held) && this.far;

		this.held = null;
		return dragged;
	}
}
