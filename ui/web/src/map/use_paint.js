/* use_paint.js - hooks that put the canvases of a panel into the paint queue of the page. */
import { useEffect, useLayoutEffect } from "preact/hooks";
import { PaintQueue } from "./paint_queue.js";

const queue = new PaintQueue();

addEventListener("beforeprint", () => queue.finish());

/** The element of a ref is a panel from now on, as long as its component is there. */
export function usePaintQueue(box) {
	useLayoutEffect(() => {
		const panel = box.current, watch = new IntersectionObserver((entries) => queue.show(panel, entries.at(-1).isIntersecting));

		watch.observe(panel);
		return () => {
			watch.disconnect();
			queue.forget(panel);
		};
	}, []);
}

/** Paints a canvas of the panel in its turn, where any of `on` has changed; paint null: there is nothing yet. */
export function usePaint(box, canvas, paint, on) {
	useEffect(() => {
		if (paint)
			queue.put(box.current, canvas.current, paint);
	}, on);
}
