/* painted.js - panels on the page's easel. */
import { useEffect, useLayoutEffect } from "preact/hooks";
import { Easel } from "./easel.js";

const easel = new Easel();

addEventListener("beforeprint", () => easel.finish());

/** The element of a ref is a panel from now on, as long as its component is there. */
export function useEasel(box) {
	useLayoutEffect(() => {
		const panel = box.current, watch = new IntersectionObserver((entries) => easel.show(panel, entries.at(-1).isIntersecting));

		watch.observe(panel);
		return () => {
			watch.disconnect();
			easel.forget(panel);
		};
	}, []);
}

/** Paints a canvas of the panel in its turn, where any of `on` has changed; paint null: there is nothing yet. */
export function usePaint(box, canvas, paint, on) {
	useEffect(() => {
		if (paint)
			easel.put(box.current, canvas.current, paint);
	}, on);
}
