// Attributes: names with their values, or names with their types.

import { html } from "../core/html.js";
import { update } from "../core/update.js";
import { choiceField, faultsAt, flagField, textField } from "./fields.js";
import { readValue, valueField, written } from "./value_field.js";

/** @type {Choice[]} */
const TYPES = ["string", "number", "boolean", "instant", "array", "object"].map((type) => [type, type]);
const rows = new WeakMap(); // by the draft: the rows of each part of its element, by the part's path

// The part of most elements that has attributes.
const own = (draft) => ({
  ...{ at: "$.attributes", legend: "Attributes", value: draft.body.attributes },
  set: (value, isNone) => {
    draft.set("attributes", isNone && draft.stored?.attributes === undefined ? undefined : value);
    return draft.body.attributes;
  },
});

// Returns the drawing of a draft's attributes as rows of a name and a value.
export function valuedAttributes(draft, faults) {
  const value = (row, at, set) => valueField({ label: "Value", at: `${at}-value`, state: row.state, faults, set: (state) => set({ ...row, state }) });
  return editor(draft, faults, own(draft), { kind: "row attribute", value, blank: { name: "", state: { kind: "text", text: "" } }, row: (name, given) => ({ name, state: written(given) }), read: readRow });
}

const rowOf = (name, declared) => ({ name, type: kindOf(declared), isRequired: declared.required === true, values: declared.one_of ? JSON.stringify(declared.one_of) : "" });

// Returns {value}, the declaration of a row: its type alone if it says nothing else. Or {fault}, for values that can't be read.
function readType({ type, isRequired, values }) {
  if (!isRequired && !values.trim()) return { value: type };
  const value = isRequired ? { kind: type, required: true } : { kind: type };
  if (!values.trim()) return { value };
  const found = readValue({ kind: "json", text: values });
  if (found.fault || !Array.isArray(found.value)) return { fault: 'write the values as a list, such as `["draft", "final"]`' };
  return { value: { ...value, one_of: found.value } };
}

// Returns the type of a declared attribute, which may stand beside `required` and `one_of`.
export const kindOf = (declared) => declared.kind ?? declared;

// Returns the drawing of declared attributes as rows of a name, a type, a mark and the values. `part` is the part of the draft's element that
// has them: {at, legend, value, set(value, isNone)}, where `at` is its path, such as "$.context", and `set`
// returns the value that the part has then.
/** @type {(draft: any, faults: Fault[], part?: {at: string, legend: Drawing, value: any, set(value: any, isNone: boolean): any}) => Drawing} */
export function typedAttributes(draft, faults, part = own(draft)) {
  const mark = (row, set) => flagField({ label: "Required", value: row.isRequired, set: (isRequired) => set({ ...row, isRequired }) });
  const oneOf = (row, at, set) => textField({ label: "One of", at: `${at}-values`, value: row.values, isHidden: true, placeholder: "any value", set: (values) => set({ ...row, values }) });
  const value = (row, at, set) => html`${choiceField({ label: "Type", at: `${at}-type`, value: row.type, options: TYPES, faults, isHidden: true, set: (type) => set({ ...row, type }) })}
    ${mark(row, set)}${oneOf(row, at, set)}`;
  return editor(draft, faults, part, { kind: "row attribute declared", value, blank: { name: "", type: "string", isRequired: false, values: "" }, row: rowOf, read: readType });
}

const readRow = (row) => readValue(row.state);

function editor(draft, faults, part, shape) {
  const all = rowsOf(draft, part, shape);
  const put = (next) => keep(draft, part, next, shape);
  return html`<fieldset class="rows"><legend>${part.legend}</legend>
    ${all.map((row, index) => {
      const at = `${part.at}-${index}`;
      const set = (changed) => put(all.map((one, other) => (other === index ? changed : one)));
      const found = [...faults.filter((one) => one.path === at), ...renamed(faults, part.at, row.name, at)];
      return html`<div class=${shape.kind}>
        ${textField({ label: "Name", at: `${at}-name`, value: row.name, isHidden: true, placeholder: "name", set: (name) => set({ ...row, name }) })}
        ${shape.value(row, at, set)}
        <button class="link" type="button" aria-label=${`Remove the attribute ${row.name}`} @click=${() => put(all.filter((one) => one !== row))}>✕</button>
        ${faultsAt(found, at)}
      </div>`;
    })}
    <p><button class="quiet" type="button" @click=${() => put([...all, shape.blank])}>Add an attribute</button></p>
    ${faultsAt(faults, part.at, true)}
  </fieldset>`;
}

// The service names an attribute by its name, the page by its row.
const renamed = (faults, part, name, at) =>
  faults.filter((one) => one.path && [`${part}.${name}`, `${part}['${name}']`].includes(one.path)).map((one) => ({ ...one, path: at }));

// The rows belong to the attributes from which they were made, or which they made: others make other ones.
function rowsOf(draft, part, shape) {
  const parts = rows.get(draft) ?? rows.set(draft, new Map()).get(draft);
  const kept = parts.get(part.at);
  if (kept && kept.attributes === part.value) return kept.rows;
  const made = Object.entries(part.value ?? {}).map(([name, value]) => shape.row(name, value));
  parts.set(part.at, { attributes: part.value, rows: made });
  return made;
}

function keep(draft, part, all, shape) {
  dropFaults(draft, part.at);
  const attributes = {};
  all.forEach((row, index) => {
    const { value, fault } = shape.read(row);
    const problem = fault ?? nameFault(row.name, all, index);
    if (problem) draft.fault(`${part.at}-${index}`, problem);
    else attributes[row.name] = value;
  });
  rows.get(draft).set(part.at, { attributes: part.set(attributes, !all.length), rows: all });
  update();
}

// Forgets what can't be sent in a part of a draft: the part is gone, or has other rows.
export function dropFaults(draft, part) {
  for (const at of [...draft.local.keys()]) if (at.startsWith(`${part}-`)) draft.local.delete(at);
}

function nameFault(name, all, index) {
  if (!name) return "an attribute needs a name";
  return all.findIndex((one) => one.name === name) < index ? `the name \`${name}\` is there twice` : null;
}
