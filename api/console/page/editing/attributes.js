// Attributes: names with their values, or names with their types.

import { html } from "../vendor/lit-html.js";
import { update } from "../core/update.js";
import { choiceField, faultsAt, textField } from "./fields.js";
import { readValue, valueField, written } from "./value_field.js";

const TYPES = ["string", "number", "boolean", "array", "object"].map((type) => [type, type]);
const rows = new WeakMap(); // the rows of an element's attributes, by its draft

// Returns the drawing of a draft's attributes as rows of a name and a value.
export function valuedAttributes(draft, faults) {
  const value = (row, at, set) => valueField({ label: "Value", at: `${at}-value`, state: row.state, faults, set: (state) => set({ ...row, state }) });
  return editor(draft, faults, { value, blank: { name: "", state: { kind: "text", text: "" } }, row: (name, given) => ({ name, state: written(given) }), read: readRow });
}

// Returns the drawing of a draft's declared attributes as rows of a name and a type.
export function typedAttributes(draft, faults) {
  const value = (row, at, set) =>
    choiceField({ label: "Type", at: `${at}-type`, value: row.type, options: TYPES, faults, isHidden: true, set: (type) => set({ ...row, type }) });
  return editor(draft, faults, { value, blank: { name: "", type: "string" }, row: (name, type) => ({ name, type }), read: (row) => ({ value: row.type }) });
}

const readRow = (row) => readValue(row.state);

function editor(draft, faults, shape) {
  const all = rowsOf(draft, shape);
  const put = (next) => keep(draft, next, shape);
  return html`<fieldset class="rows"><legend>Attributes</legend>
    ${all.map((row, index) => {
      const at = `$.attributes-${index}`;
      const set = (changed) => put(all.map((one, other) => (other === index ? changed : one)));
      const own = [...faults.filter((one) => one.path === at), ...renamed(faults, row.name, at)];
      return html`<div class="row attribute">
        ${textField({ label: "Name", at: `${at}-name`, value: row.name, isHidden: true, placeholder: "name", set: (name) => set({ ...row, name }) })}
        ${shape.value(row, at, set)}
        <button class="link" type="button" aria-label=${`Remove the attribute ${row.name}`} @click=${() => put(all.filter((one) => one !== row))}>✕</button>
        ${faultsAt(own, at)}
      </div>`;
    })}
    <p><button class="quiet" type="button" @click=${() => put([...all, shape.blank])}>Add an attribute</button></p>
    ${faultsAt(faults, "$.attributes", true)}
  </fieldset>`;
}

// The service names an attribute by its name, the page by its row.
const renamed = (faults, name, at) =>
  faults.filter((one) => one.path && [`$.attributes.${name}`, `$.attributes["${name}"]`].includes(one.path)).map((one) => ({ ...one, path: at }));

// The rows belong to the body from which they were made, or which they made: another body makes other ones.
function rowsOf(draft, shape) {
  const kept = rows.get(draft);
  if (kept && kept.attributes === draft.body.attributes) return kept.rows;
  const made = Object.entries(draft.body.attributes ?? {}).map(([name, value]) => shape.row(name, value));
  rows.set(draft, { attributes: draft.body.attributes, rows: made });
  return made;
}

function keep(draft, all, shape) {
  for (const at of [...draft.local.keys()]) if (at.startsWith("$.attributes-")) draft.local.delete(at);
  const attributes = {};
  all.forEach((row, index) => {
    const { value, fault } = shape.read(row);
    const problem = fault ?? nameFault(row.name, all, index);
    if (problem) draft.fault(`$.attributes-${index}`, problem);
    else attributes[row.name] = value;
  });
  const isLeftOut = !all.length && draft.stored?.attributes === undefined;
  draft.set("attributes", isLeftOut ? undefined : attributes);
  rows.set(draft, { attributes: draft.body.attributes, rows: all });
  update();
}

function nameFault(name, all, index) {
  if (!name) return "an attribute needs a name";
  return all.findIndex((one) => one.name === name) < index ? `the name \`${name}\` is there twice` : null;
}
