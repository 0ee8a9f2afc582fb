// The stored attributes of the entity that fields name: they count (E9), and each can be changed for the question.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { session } from "../core/session.js";
import { update } from "../core/update.js";
import { value } from "../core/words.js";
import { sentence } from "./notice.js";

const NOT_FOUND = 404;

export class StoredAttributes {
  // `list` is "subjects" or "resources".
  constructor(env, list) {
    this.env = env;
    this.list = list;
    this.asked = "";
    this.session = session();
    this.begin();
  }

  begin() {
    /** @type {Record<string, any> | null} */
    this.attributes = null; // of an entity with an entry
    /** @type {any} */
    this.problem = null;
    this.isRead = false;
  }

  // Reads those of an entity: its type by the id of the model, `by` and `name` are its identifier. Those that are here are not read again.
  async read(type, by, name) {
    const asked = JSON.stringify([type, by, name]);
    if (asked === this.asked) return;
    this.asked = asked;
    this.begin();
    if (!type || !name) return update();
    try {
      const attributes = await this.stored(type, by, name);
      if (asked !== this.asked) return;
      Object.assign(this, { attributes, isRead: true });
    } catch (problem) {
      if (asked === this.asked) this.problem = problem;
    }
    update();
  }

  async stored(type, by, name) {
    const signal = this.session.until();
    const where = path`/v1/environments/${this.env}/` + this.list;
    if (by !== "id") {
      const { items } = await get(where, { query: { type, [by]: name, limit: 1 }, signal });
      return items.length ? (items[0].attributes ?? {}) : null;
    }
    try {
      return (await get(where + path`/${type}/${name}`, { signal })).attributes ?? {};
    } catch (problem) {
      if (problem.status === NOT_FOUND) return null;
      throw problem;
    }
  }

  // Returns the drawing. `sent` are the attributes that the question sends, `counts` says whether stored ones count, and
  // `change(name, value)` sends one.
  view(sent, counts, change) {
    if (this.problem) return html`<p class="hint"><span class="tag warn">! not read</span>${sentence(this.problem.message)}</p>`;
    if (!this.isRead) return nothing;
    if (!this.attributes) return html`<p class="hint">It has no entry, so it has no stored attributes.</p>`;
    const rows = Object.entries(this.attributes);
    if (!rows.length) return html`<p class="hint">It has no stored attributes.</p>`;
    return html`<details class="stored" open><summary>${counts ? "Stored attributes, which count too" : html`<span class="tag warn">! not sent</span>Stored attributes, which do not count`}</summary>
      <ul class="plain">${rows.map(([name, one]) => this.row(name, one, name in sent, counts, change))}</ul></details>`;
  }

  row(name, one, isSent, counts, change) {
    return html`<li>${isSent ? html`<s><code>${name}</code> <code>${value(one)}</code></s> <span class="soft">another is sent</span>` : html`<span class="tag plain">${counts ? "stored" : "not sent"}</span><code>${name}</code> <code>${value(one)}</code>
      <button class="link" type="button" aria-label=${`Change ${name} for this question`} @click=${() => change(name, one)}>Change</button>`}</li>`;
  }
}
