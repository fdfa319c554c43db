/* error_boundary.js - shows a part of the page; if drawing it throws, shows the error in its place, and the rest of the page goes on. */
import { Component } from "preact";
import { html } from "./html.js";

/** name: the part of the page, for people. */
export class ErrorBoundary extends Component {
	componentDidCatch(error) {
		console.warn(error);		/* with its stack, for a bug report */
		this.setState({ error });
		this.props.session.refuse({ message: `${this.props.name}: the page failed to draw it: ${error.message}` });
	}

	render({ name, children }, { error }) {
		return !error ? children : html`<section class="panel gone" aria-label=${`Failed: ${name}`}>
			<header><h2>${name}</h2></header>
			<p class="waiting">This part of the page failed: ${error.message}. <button onClick=${() => this.setState({ error: null })}>Try again</button></p>
		</section>`;
	}
}
