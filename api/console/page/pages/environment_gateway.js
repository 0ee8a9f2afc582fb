// The gateway settings of an environment, as JSON: which input from a gateway Writ believes.

import { html, nothing } from "../core/html.js";
import { call, get, path } from "../core/api.js";
import { update } from "../core/update.js";
import { Act } from "../parts/act.js";
import { Awaited } from "../parts/awaited.js";
import { confirmEnd } from "../parts/dialog.js";
import { forgetDone, noteDone } from "../parts/done.js";
import { nothingYet } from "../parts/notice.js";

const WAITS = 202;
const NOT_FOUND = 404;
const SMALLEST = { subject: { header: "X-Writ-Subject" }, trusted_proxies: ["127.0.0.1"] }; // the gateway on this machine
const ABOUT = "They say which gateways Writ believes about the subject, and what it tells the backend.";

export class GatewayEditor {
  // `id` names the environment, `where` is its path in the API, and `link` the address of its page.
  /** @type {(id: string, where: string, link: string) => void} */
  constructor(id, where, link) {
    this.id = id;
    this.link = link;
    this.where = `${where}/gateway`;
    this.act = new Act();
    /** @type {string | null} */
    this.text = null;
    /** @type {string | null} */
    this.offered = null;
    this.found = new Awaited("the gateway settings", (signal) => this.read(signal));
  }

  async read(signal) {
    let settings = null;
    try {
      settings = await get(this.where, { signal });
    } catch (problem) {
      if (problem.status !== NOT_FOUND) throw problem;
    }
    this.text = settings && written(settings);
    return { settings };
  }

  // Reads the settings again, unless that would lose what the user writes.
  again() {
    if (!this.isUnsaved()) this.found.again();
  }

  // Returns whether the text differs from what is stored.
  isUnsaved() {
    const settings = this.found.value?.settings;
    return this.text !== null && this.text !== (settings ? written(settings) : this.offered);
  }

  view() {
    return this.found.view(({ settings }) => (this.text === null ? this.empty() : this.editor(settings)));
  }

  empty() {
    return nothingYet(html`There are no gateway settings, so Writ believes no gateway about a subject. ${ABOUT}`,
      html`<button class="plain" type="button" @click=${() => this.begin()}>Add gateway settings</button>`);
  }

  begin() {
    this.offered = written(SMALLEST);
    this.text = this.offered;
    update();
  }

  editor(settings) {
    const isSame = settings !== null && !this.isUnsaved();
    return html`<form @submit=${(event) => (event.preventDefault(), this.save(settings))}>
      <label for="gateway">Settings, as JSON</label>
      <textarea id="gateway" rows="10" spellcheck="false" .value=${this.text} aria-describedby="gateway-about"
        @input=${(event) => ((this.text = event.target.value), update())}></textarea>
      <p class="hint" id="gateway-about">${ABOUT} They are in force for the next request, or wait if the environment has approvals.
        For requests without a credential, <code>"anonymous": {"type": "visitor", "id": "anyone"}</code> names the subject that routes with that mark ask for.</p>
      ${this.act.trouble()}
      <p class="actions"><button class="plain" type="submit" ?disabled=${this.act.isBusy || isSame}>Save gateway settings</button>
        ${isSame ? nothing : html`<button class="quiet" type="button" @click=${() => this.giveUp(settings)}>Cancel</button>`}
        ${settings ? html`<button class="danger" type="button" @click=${() => this.remove(settings)}>Delete…</button>` : nothing}</p>
    </form>`;
  }

  giveUp(settings) {
    this.text = settings && written(settings);
    this.act.problem = null;
    update();
  }

  async save(former) {
    forgetDone();
    const answer = await this.act.run(() => call("PUT", this.where, { body: this.text }));
    if (!answer) return;
    if (answer.status === WAITS) return this.wait(former, answer.data);
    this.take(answer.data);
    const undo = () => (former ? call("PUT", this.where, { body: former }) : call("DELETE", this.where));
    noteDone({ link: this.link, text: "The gateway settings are saved", undo });
  }

  // Shows the settings in force, and tells that `made` waits for an approval. To undo it is to take it back.
  wait(settings, made) {
    this.take(settings);
    const undo = () => call("POST", path`/v1/environments/${this.id}/promotions/${made.id}/reject`, { body: {} });
    noteDone({ link: this.link, text: "The change of the gateway settings waits for an approval, on the page Promotion", undo });
  }

  take(settings) {
    this.found.value = { settings };
    this.text = settings && written(settings);
    update();
  }

  remove(former) {
    confirmEnd({
      title: "Delete the gateway settings?",
      text: "Writ then believes no gateway about a subject: requests through a gateway are refused.",
      name: this.id,
      button: "Delete gateway settings",
      act: async () => {
        const answer = await call("DELETE", this.where);
        this.act.problem = null;
        if (answer.status === WAITS) return this.wait(former, answer.data);
        this.take(null);
        noteDone({ link: this.link, text: "The gateway settings are deleted", undo: () => call("PUT", this.where, { body: former }) });
      },
    });
  }
}

const written = (settings) => JSON.stringify(settings, null, 2);
