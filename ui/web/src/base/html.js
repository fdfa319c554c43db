/* html.js - gives the tagged template in which the page is written.
 *
 * htm would keep elements without a value in them and give the same ones again.  preact ties an element to what it was first drawn
 * within, so each kept one would hold the page as it was then, with all grids of that time.  New elements hold
 * nothing old.
 */
import htm from "htm";
import { h } from "preact";

const MADE_ANEW = 3;			/* as htm's operations say that an element is not static */

export const html = htm.bind(function (...element) {
	this[0] = MADE_ANEW;
	return h(...element);
});
