// The preview of a promotion or a restoration, and the form that carries out exactly that.

import { html, nothing } from "../core/html.js";
import { announce } from "../core/announcement.js";
import { call } from "../core/api.js";
import { refreshEnvironments } from "../core/environments.js";
import { update } from "../core/update.js";
import { Act } from "../parts/act.js";
import { Awaited } from "../parts/awaited.js";
import { countsOf, ElementChanges } from "./element_changes.js";
import { gateTests } from "./gate_tests.js";
import { effectOnPeople } from "./people.js";
import { actor } from "../parts/actor.js";
import { notice } from "../parts/notice.js";
import { when } from "../parts/when.js";

// A takeover that is asked for. `where` is the path of its call, `body` what the call needs beside the note.
// `done({data})` is called with the promotion.
export class Takeover {
  /** @param {{env: string, what: string, where: string, body?: ModelElement, button: string, done(made: any): void, mayAccept?: boolean}} given */
  constructor({ env, what, where, body = {}, button, done, mayAccept = false }) {
    this.env = env;
    this.where = where;
    this.body = body;
    this.button = button;
    this.done = done;
    this.mayAccept = mayAccept;
    this.note = "";
    this.accepts = false; // that edits in place are overwritten
    this.act = new Act();
    this.preview = new Awaited(what, async (signal) => {
      const { data } = await call("POST", where, { body: { ...body, dry_run: true }, signal });
      this.changes = new ElementChanges(null, data.elements);
      this.drift = new ElementChanges(null, data.drift.changes, { also: editedBy, names: ["promoted", "edited"] });
      return data;
    });
  }

  // Returns the drawing.
  view() {
    return this.preview.view((found) => html`
      ${found.people ? html`<section>${effectOnPeople(this.env, found.people)}</section>` : nothing}
      <section><h2>What would change in <code>${this.env}</code></h2>
        ${found.elements.length ? html`<p>${countsOf(found.changes)}</p>${this.changes.view()}` : html`<p>Nothing: both policy models are the same.</p>`}
        ${found.truncated ? html`<p class="soft">There are more changes than are shown here.</p>` : nothing}
        ${inUse(found.in_use)}</section>
      ${gateTests(found.tests)}
      ${found.drift.changes.length ? this.edits(found) : nothing}
      ${this.form(found)}`);
  }

  edits(found) {
    return html`<section><h2>Edits in place that it overwrites</h2>
      ${notice("warn", this.mayAccept
        ? html`<p><code>${this.env}</code> was edited since its last promotion. Take these edits over into
            <code>${found.from}</code> first, or accept that they are lost.</p>`
        : html`<p><code>${this.env}</code> was edited since its last promotion. Going back overwrites these edits.</p>`)}
      ${this.drift.view()}
      ${this.mayAccept ? html`<label><input type="checkbox" .checked=${this.accepts}
        @change=${(event) => ((this.accepts = event.target.checked), update())}> Overwrite these edits</label>` : nothing}</section>`;
  }

  form(found) {
    const submit = (event) => (event.preventDefault(), this.run(found));
    return html`<form class="card" @submit=${submit}>
      <label for="note">Note, for the history and the audit log</label>
      <input id="note" maxlength="2000" autocomplete="off" .value=${this.note} @input=${(event) => (this.note = event.target.value)}>
      ${this.act.trouble()}
      <p class="actions"><button type="submit" ?disabled=${this.act.isBusy}>${this.button}</button>
        <button class="quiet" type="button" @click=${() => this.preview.again()}>Look again</button></p>
      <p class="meta"><span>Exactly this: digest <code>${found.digest.slice(0, 12)}…</code></span></p>
    </form>`;
  }

  async run(found) {
    const more = this.accepts ? { accept_drift: true } : {};
    const body = { ...this.body, ...more, note: this.note || null, expect_digest: found.digest };
    const answer = await this.act.run(() => call("POST", this.where, { body }));
    if (!answer) return;
    announce(answer.data.status === "pending" ? "It waits for an approval." : "It is done.");
    refreshEnvironments();
    this.done(answer.data);
  }
}

// Returns who made an edit in place, and when.
export const editedBy = (one) => html`<span class="soft">by ${actor(one.by)} in revision ${one.revision}, ${when(one.time)}</span>`;

function inUse(uses) {
  if (!uses.length) return nothing;
  return html`<h3>What stands in the way</h3>
    ${notice("bad", html`<p>These elements still use what it would remove. Change them first.</p>
      <ul>${uses.map((one) => html`<li>${one.text ? html`<span class="mono">${one.text}</span>` : html`${one.kind.replaceAll("_", " ")} <code>${one.id}</code>`} refers to <code>${one.refers_to}</code></li>`)}</ul>`)}`;
}
