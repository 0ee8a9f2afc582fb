// Suggestions for a field that names an element: the service is asked for the part of an id or a name that is typed.
//
// They are a list of the browser's own, which people choose from by keyboard. The list of the field `ID` is `ID-list`.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { session } from "../core/session.js";
import { update } from "../core/update.js";

const PAUSE = 150; // milliseconds after the last letter, before the service is asked
const MOST = 20; // suggestions
const SUBJECTS = "/subjects";
const NAMED_TOO = { named: true }; // subjects without an entry are registered too (E3)

// Fields that nothing else watches tell what is typed, too.
for (const event of ["focusin", "input"]) globalThis.window?.addEventListener(event, ({ target }) => target instanceof HTMLInputElement && target.list && update());

export class Typeahead {
  constructor(env) {
    this.env = env;
    this.session = session();
    /** @type {Map<string, {asked: string, items: any[], given: AbortController}>} */
    this.fields = new Map(); // by the id of the field
  }

  // Returns the drawing of the suggestions for a field. `segment` is the list of the model, or `where` another one of the API; `filter`
  // is a query; `member` is what the field holds of an element.
  list(id, segment, { filter = {}, member = "id", where = "" } = {}) {
    const field = /** @type {HTMLInputElement | null} */ (document.activeElement);
    const typed = field && field.id === id ? field.value.trim() : null;
    if (typed !== null) this.type(id, where || path`/v1/environments/${this.env}/${segment}`, filter, member, typed);
    const items = this.fields.get(id)?.items ?? [];
    return html`<datalist id="${id}-list">${items.filter((one) => one[member]).map((one) => option(one[member], one, typed ?? ""))}</datalist>`;
  }

  // Asks for what is typed, unless that is known or chosen. An earlier question is given up.
  type(id, where, filter, member, typed) {
    const asked = JSON.stringify([where, filter, typed]);
    const known = this.fields.get(id);
    if (known?.asked === asked || (typed && known?.items.some((one) => one[member] === typed))) return;
    known?.given.abort();
    const state = { asked, items: known?.items ?? [], given: new AbortController() };
    this.fields.set(id, state);
    const { signal } = state.given;
    setTimeout(() => signal.aborted || this.ask(state, where, { ...filter, ...(where.endsWith(SUBJECTS) ? NAMED_TOO : {}), q: typed, limit: MOST }), PAUSE);
  }

  async ask(state, where, query) {
    try {
      state.items = (await get(where, { query, signal: this.session.until(state.given.signal) })).items;
      update();
    } catch {
      // A field works without suggestions, and what is typed is checked when it is sent.
    }
  }
}

// Browsers show what has the typed text. The service finds more, such as `José` for `jose`: its words then get that text.
function option(value, one, typed) {
  const words = [one.name ?? one.attributes?.name, one.id, one.external_id].filter((text) => typeof text === "string" && text !== value);
  const label = [...new Set(words)].join(", ");
  const isShown = [value, label].some((text) => text.toLowerCase().includes(typed.toLowerCase()));
  const told = isShown ? label : `${label} (${typed})`;
  return html`<option value=${value} label=${told || nothing}></option>`;
}
