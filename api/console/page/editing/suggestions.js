// Suggestions of text fields: the first elements of a list of the model. A longer list is never read as a whole.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { update } from "../core/update.js";

const MOST = 100;

export class Suggestions {
  constructor(env) {
    this.env = env;
    this.lists = new Map(); // by the list's path and its filter
  }

  // Returns the first elements of a list, or none before they are read. `filter` is a query of the API.
  of(segment, filter = {}) {
    const name = JSON.stringify([segment, filter]);
    if (!this.lists.has(name)) {
      this.lists.set(name, []);
      this.read(name, segment, filter);
    }
    return this.lists.get(name);
  }

  async read(name, segment, filter) {
    try {
      const query = { ...filter, limit: MOST };
      this.lists.set(name, (await get(path`/v1/environments/${this.env}/${segment}`, { query })).items);
      update();
    } catch {
      // A field works without suggestions, and what is typed is checked when it is saved.
    }
  }

  // Returns the drawing of the ids of a list as suggestions; fields name it by `id`.
  list(id, segment, filter) {
    return options(id, this.of(segment, filter).map((one) => [one.id, one.name]));
  }
}

// Returns the drawing of [value, name] as suggestions: those that contain `typed`, and not too many.
export function options(id, pairs, typed = "") {
  const sought = typed.toLowerCase();
  const found = sought ? pairs.filter(([value]) => value.toLowerCase().includes(sought)) : pairs;
  return html`<datalist id=${id}>${found.slice(0, MOST).map(
    ([value, name]) => html`<option value=${value} label=${name && name !== value ? name : nothing}></option>`,
  )}</datalist>`;
}
