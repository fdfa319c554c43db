/* queued_panel.js - draws a panel when the draw queue (draw_queue.js) says so. */
import { Component } from "preact";
import { ErrorBoundary } from "../base/error_boundary.js";
import { html } from "../base/html.js";
import { DrawQueue } from "./draw_queue.js";

const queue = new DrawQueue();

/** of: the panel's component, which has all other properties; now: it waits for none, as what the pointer is over. */
export class QueuedPanel extends Component {
	shouldComponentUpdate({ now, of }) {
		return now || of !== this.props.of || queue.take(this);
	}

	componentWillUnmount() {
		queue.forget(this);
	}

	render({ now, of, ...properties }) {
		return html`<${ErrorBoundary} session=${properties.map.session} name=${properties.map.label}><${of} ...${properties} /></${ErrorBoundary}>`;
	}
}
