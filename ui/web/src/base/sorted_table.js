/* sorted_table.js - makes the heads of a table's columns: buttons that sort its rows. */
import { useState } from "preact/hooks";
import { html } from "./html.js";
import { orderAfter, rowsInOrder } from "./sorting.js";

/** A head; sort: {by, up} or null; change: is given the next one; more: further attributes of its th. */
export function Head({ column, sort, change, more = {} }) {
	const { id, head, title, of } = column, sorted = sort?.by === id;

	if (!of && !head)
		return html`<td data-column=${id} ...${more} />`;
	if (!of)
		return html`<th scope="col" data-column=${id} title=${title} ...${more}>${head}</th>`;
	return html`<th scope="col" data-column=${id} aria-sort=${sorted ? sort.up ? "ascending" : "descending" : null} ...${more}>
		<button class="plain" title=${title} onClick=${() => change(orderAfter(sort, column))}>${head}<i aria-hidden="true">${sorted ? sort.up ? "▴" : "▾" : ""}</i></button></th>`;
}

/**
 * A table's rows and heads.  columns: {id, head, title, of, text}[]; of: returns a row's value in it, without
 * `of` the column cannot be sorted; text: the first click sorts from a to z.  At first the rows keep the given order.
 * @returns {{rows: Object[], heads: Object, sort, change}}   heads: for a tr of a thead
 */
export function useSorted(given, columns) {
	const [sort, change] = useState(null);

	return {
		rows: rowsInOrder(given, columns, sort), sort, change,
		heads: columns.map((column) => html`<${Head} key=${column.id} column=${column} sort=${sort} change=${change} />`),
	};
}
