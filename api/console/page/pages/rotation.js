// The rotation of a secret: the dialog that asks how long the old one works too, and the old secrets of a credential.

import { html, nothing } from "../core/html.js";
import { announce } from "../core/announcement.js";
import { call } from "../core/api.js";
import { now } from "../core/clock.js";
import { update } from "../core/update.js";
import { Act } from "../parts/act.js";
import { openDialog } from "../parts/dialog.js";
import { when } from "../parts/when.js";

const OVERLAPS = [
  ["0", "Not at all: it leaked or is lost"],
  ["3600", "For an hour"],
  ["86400", "For a day"],
  ["604800", "For a week"],
];

// Asks for the overlap, and makes the new secret. `rotate(seconds)` returns a promise. `old` says what is replaced. `fields`
// draws what else is asked for, and `isReady` returns whether it can be sent.
/** @param {{title: string, old: string, about: string, button: string, rotate: (seconds: number) => Promise<any>, fields?: (problem: any) => Drawing, isReady?: () => boolean}} given */
export function askRotation({ title, old, about, button, rotate, fields = () => nothing, isReady = () => true }) {
  let overlap = "86400";
  const act = new Act();
  openDialog({
    title,
    view: (close) => html`<form @submit=${async (event) => {
      event.preventDefault();
      if (!isReady()) return update();
      const done = await act.run(async () => (await rotate(Number(overlap)), true));
      if (done) close();
    }}>
      <p>${about}</p>
      <fieldset><legend>How long does ${old} work too?</legend>
        ${OVERLAPS.map(([seconds, text]) => html`<label><input type="radio" name="overlap" value=${seconds}
          .checked=${overlap === seconds} @change=${() => ((overlap = seconds), update())}> ${text}</label>`)}</fieldset>
      ${overlap === "0" ? html`<p class="hint">What still sends ${old} is refused at once.</p>` : nothing}
      ${fields(act.problem)}
      ${act.trouble()}
      <p class="actions"><button type="submit" ?disabled=${act.isBusy}>${button}</button>
        <button class="quiet" type="button" @click=${close}>Cancel</button></p>
    </form>`,
  });
}

// Returns a function that draws the secrets of a credential: the present one and the old ones, each with its last use.
// `where` ends the old ones by a DELETE.
export function secretsOf({ where, again }) {
  const act = new Act();
  const end = async () => {
    if (!(await act.run(() => call("DELETE", where)))) return;
    announce("The old secrets are ended.");
    again();
  };
  return ({ present, old }) => {
    const living = old.filter((one) => Date.parse(one.ends_at) > now());
    return html`<section><h2>Secrets</h2>
      <div class="scroll"><table><thead><tr><th scope="col">Secret</th><th scope="col">Last used</th></tr></thead><tbody>
        <tr><th scope="row">The present one</th><td data-label="Last used">${when(present)}</td></tr>
        ${old.map((one) => html`<tr><th scope="row">${living.includes(one)
          ? html`<span class="tag warn">! old</span> works until ${when(one.ends_at)}`
          : html`Old, ended ${when(one.ends_at)}`}</th><td data-label="Last used">${when(one.last_used_at)}</td></tr>`)}
      </tbody></table></div>
      ${living.length ? html`<p class="soft">If nothing uses an old secret any more, end it now.</p>
        ${act.trouble()}
        <p class="actions"><button class="danger" type="button" ?disabled=${act.isBusy} @click=${end}>End the old secrets</button></p>` : nothing}
    </section>`;
  };
}
