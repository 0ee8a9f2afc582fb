// The first elements of the model's lists for forms: all types and roles of most models. Fields suggest what fits their text.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { update } from "../core/update.js";
import { Typeahead } from "../parts/typeahead.js";

const MOST = 100;

export class Suggestions {
  constructor(env) {
    this.env = env;
    this.lists = new Map(); // by the list's path and its filter
    this.typeahead = new Typeahead(env);
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

  // Returns the drawing of the suggestions for the field `id`, which name it as `ID-list`.
  list(id, segment, filter = {}) {
    return this.typeahead.list(id, segment, { filter });
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
