/* pick.js - the keys of one cell, which a person picked. */
import * as api from "./api.js";
import { presentRows } from "./keys.js";

export class Pick {
	constructor(session) {
		this.session = session;
		this.cell = null;		/* {map, start, duration, low, high, unit, weight, slot, rows, total, problem} */
	}

	drop() {
		this.cell = null;
		this.session.changed();
	}

	/** Lists the keys of the cell under the cursor. */
	async ask() {
		const { session } = this, map = session.cursor?.map, at = map?.pointed;

		if (!at || at.row < 0 || !at.n)
			return this.drop();
		const { grid, i, row, column } = at;
		const span = { start: grid.from + i * grid.column, duration: grid.column };
		const low = grid.edge[row], high = grid.edge[row + 1];
		const cell = { map, ...span, low, high, unit: grid.unit, weight: grid.weight, slot: grid.slot, rows: null, total: at.n };

		this.cell = cell;
		session.changed();
		try {
			const { present, total } = await api.cell(map.inst.id, map.measure, span, low, high ?? column.max + 1, grid.weight);

			this.answer(cell, { rows: presentRows(present), total });
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
