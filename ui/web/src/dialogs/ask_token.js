/* ask_token.js - asks the user for the token. */
import { html } from "../base/html.js";

export function Ask({ session }) {
	const { asking } = session;

	if (!asking)
		return null;
	const submit = (e) => {
		e.preventDefault();
		asking.answer(e.currentTarget.elements.token.value.trim() || null);
	};
	const cancel = (e) => {
		e.preventDefault();
		asking.answer(null);
	};

	return html`<dialog class="ask" aria-labelledby="ask" ref=${(dialog) => dialog && !dialog.open && dialog.showModal()} onCancel=${cancel}>
		<form onSubmit=${submit}>
			<h2 id="ask">Token</h2>
			<p>${asking.why} It is in the file that heatscoped was started with (<code>token-file</code>), and forgotten when this tab is closed.</p>
			<label class="row">Token <input name="token" type="password" autocomplete="off" spellcheck=${false} required autofocus /></label>
			<p class="row"><button class="primary">Go on</button><button type="button" onClick=${cancel}>Cancel</button></p>
		</form>
	</dialog>`;
}
