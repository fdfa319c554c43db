/* reveal.js - scrolls the sidebar to a section that was opened by a click elsewhere. */

/** The section as a whole if that is possible, else from its begin. On a narrow screen, where the page scrolls instead, it
 * stays at the map. */
export function reveal(section) {
	const side = section?.closest(".side");

	if (!side || side.scrollHeight <= side.clientHeight)
		return;
	const { top, bottom } = section.getBoundingClientRect(), box = side.getBoundingClientRect();

	if (top < box.top || bottom > box.bottom)
		side.scrollBy({ top: top < box.top ? top - box.top : Math.min(bottom - box.bottom, top - box.top) });
}
