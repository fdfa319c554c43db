/* sorting.js - sorts a table's rows by the column whose head the user clicked. */

/* Rows without a value come last in both directions. */
function compare(a, b, up) {
	if (a === null || b === null)
		return (a === null) - (b === null);
	return a === b ? 0 : (a < b) === up ? -1 : 1;
}

/** A copy in the order of what `of` makes of a row: a number, a text or null; equal ones stay in the order that is given. */
export const sortedBy = (rows, of, up) => [...rows].sort((a, b) => compare(of(a) ?? null, of(b) ?? null, up));

/** The order after a click on a head: the most first, texts from a to z; again, turned round.  sort: {by, up} or null. */
export const orderAfter = (sort, { id, text = false }) => ({ by: id, up: sort?.by === id ? !sort.up : text });

/** Rows in that order; null, or a column that is not there: as they are given. */
export function rowsInOrder(rows, columns, sort) {
	const column = columns.find(({ id }) => id === sort?.by);

	return column?.of ? sortedBy(rows, column.of, sort.up) : rows;
}
