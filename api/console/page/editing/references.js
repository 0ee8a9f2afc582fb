// Fields that name other elements: a subject, a resource, a role, a group, a type and its actions.

import { html, nothing } from "../core/html.js";
import { withMember } from "./draft.js";
import { faultsAt, textField } from "./fields.js";
import { idList } from "./id_list.js";
import { options } from "./suggestions.js";

export const ANY = "*";

// Returns fields for a subject or a resource: its type and its id. `set({type, id})` takes another one. In a request
// (`isAsked`), a resource's type goes by its name.
/** @param {FieldGiven & {suggestions: any, segment: string, isAsked?: boolean}} field */
export function entityField({ label, at, value, set, suggestions, segment, isAsked = false, faults = [] }) {
  const given = value ?? { type: "", id: "" };
  const isResource = segment === "resources";
  const first = suggestions.of(isResource ? "resource-types" : "subjects");
  const typeOf = (one) => (!isResource ? one.type : isAsked ? (one.name ?? one.id) : one.id);
  const types = [...new Set(first.map(typeOf))];
  const known = first.find((one) => typeOf(one) === given.type);
  const type = (isResource && known?.id) || given.type;
  const field = (name, title) =>
    textField({ label: `${label}: ${title}`, at: `${at}.${name}`, value: given[name], faults, list: `${at}.${name}-list`, set: (text) => set(withMember(given, name, text)) });
  return html`<div class="pair wide-first">${field("type", "type")}${field("id", "id")}</div>
    ${options(`${at}.type-list`, types.map((one) => [one]))}${suggestions.list(`${at}.id`, segment, type ? { type } : {})}
    ${faultsAt(faults, at, true)}`;
}

// Returns a field for the id of an element of a list.
/** @param {FieldGiven & {suggestions: any, segment: string}} field */
export function idField({ label, at, value, set, faults, suggestions, segment, hint }) {
  return html`${textField({ label, at, value, set, faults, hint, list: `${at}-list` })}${suggestions.list(at, segment)}`;
}

// Returns check boxes for the actions that a type declares; without a known type, a list to type them in.
export function actionsField({ at, values, set, faults, declared }) {
  const isAll = values.includes(ANY);
  const anything = html`<label><input type="checkbox" .checked=${isAll} @change=${(event) => set(event.target.checked ? [ANY] : [])}> anything</label>`;
  if (!declared) {
    return html`<div class="field">${anything}${isAll ? nothing : idList({ label: "Actions", at, values, set, faults, noun: "an action" })}</div>`;
  }
  const names = [...new Set([...declared, ...values.filter((one) => one !== ANY)])];
  const toggle = (name, isOn) => set(names.filter((one) => (one === name ? isOn : values.includes(one))));
  return html`<fieldset class="choice checks"><legend>Actions</legend>${anything}
    ${names.map((name) => html`<label><input type="checkbox" .checked=${isAll || values.includes(name)} ?disabled=${isAll}
      @change=${(event) => toggle(name, event.target.checked)}> <code>${name}</code></label>`)}
    ${faultsAt(faults, at)}</fieldset>`;
}
