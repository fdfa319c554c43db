/* cell_keys.js - requests the keys of the cell that the user picked. */
import * as api from "../net/api.js";
import { rowRange } from "./grid.js";
import { presentRows } from "./keys.js";

const OLDEST = 1e15;			/* ns: what has no upper edge ends somewhere */

export class CellKeys {
	constructor(session) {
		this.session = session;
		this.cell = null;		/* {map, start, duration, low, high, unit, weight, slot, rows, total, running: {rows, total} | null, problem} */
	}

	drop() {
		this.cell = null;
		this.session.changed();
	}

	/** Lists the keys of the cell under the cursor, and of what still ran there. */
	async ask() {
		const { session } = this, map = session.cursor?.map, at = map?.pointed;
		const inCell = at?.row >= 0 && at.n > 0;

		if (!inCell && !at?.running)
			return this.drop();
		const { grid, i, row, column, running } = at;
		const span = { start: grid.from + i * grid.column, duration: grid.column };
		const [low, high, n] = inCell ? [...rowRange(grid, row), at.n] : running;
		const cell = { map, ...span, low, high, unit: grid.unit, weight: grid.weight, slot: grid.slot, rows: null, running: null, total: inCell ? n : 0 };

		this.cell = cell;
		session.changed();
		try {
			const [events, still] = await Promise.all([
				inCell ? api.cell(map.inst.id, map.measure, span, low, high ?? column.max + 1, grid.weight) : { present: {}, total: 0 },
				running ? api.cell(map.inst.id, grid.running, span, running[0], running[1] ?? OLDEST) : null]);

			this.answer(cell, { rows: presentRows(events.present), total: events.total, running: still && { rows: presentRows(still.present), total: still.total } });
		} catch (e) {
			this.answer(cell, { rows: [], problem: e.message });
		}
	}

	answer(cell, what) {
		if (this.cell !== cell)
			return;
		this.cell = { ...cell, ...what };
		this.session.changed();
	}
}
