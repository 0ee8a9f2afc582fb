// The scope of a policy: types of resources, each with its actions.

import { html, nothing } from "../core/html.js";
import { choiceField, faultsAt } from "./fields.js";
import { ANY, actionsField, idField } from "./references.js";

const BLANK = { resource_type_id: "", actions: [] };
/** @type {Choice[]} */
const ALL_OR_ONE = [["one", "resources of the type"], ["all", "resources of every type"]];

// Returns the drawing of a draft's types and actions.
export function scopes(draft, faults, suggestions) {
  const all = draft.body.resource_types ?? [];
  const put = (next) => draft.set("resource_types", next);
  return html`<div role="group" aria-label="Types and actions">
    ${all.map((one, index) => {
      const set = (changed) => put(all.map((other, at) => (at === index ? changed : other)));
      return scope(one, { at: `$.resource_types[${index}]`, set, faults, suggestions, remove: all.length > 1 ? () => put(all.filter((other) => other !== one)) : null });
    })}
    <p><button class="quiet" type="button" @click=${() => put([...all, BLANK])}>Add another type</button></p>
    ${faultsAt(faults, "$.resource_types", true)}
  </div>`;
}

function scope(one, { at, set, faults, suggestions, remove }) {
  const isAll = one.resource_type_id === ANY;
  const declared = suggestions.of("resource-types").find((type) => type.id === one.resource_type_id)?.actions;
  return html`<div class="scope">
    <div class="halves">
      ${choiceField({ label: "Covers", at: `${at}-all`, value: isAll ? "all" : "one", options: ALL_OR_ONE, set: (kind) => set({ ...one, resource_type_id: kind === "all" ? ANY : "" }) })}
      ${isAll ? nothing : idField({ label: "Resource type", at: `${at}.resource_type_id`, value: one.resource_type_id, faults, suggestions, segment: "resource-types", set: (text) => set({ ...one, resource_type_id: text }) })}
    </div>
    ${actionsField({ at: `${at}.actions`, values: one.actions ?? [], faults, declared, set: (actions) => set({ ...one, actions }) })}
    ${remove ? html`<p><button class="link" type="button" @click=${remove}>Remove this type</button></p>` : nothing}
  </div>`;
}
