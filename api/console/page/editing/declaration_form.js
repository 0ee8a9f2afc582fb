// The form of the declared attributes: those of each type of subject, of the context and of actions, with their types.
//
// A section that is given, even without an attribute, has all conditions checked. One that is left out declares nothing.

import { html, nothing } from "../core/html.js";
import { update } from "../core/update.js";
import { dropFaults, typedAttributes } from "./attributes.js";
import { withMember } from "./draft.js";
import { faultsAt, flagField, textField } from "./fields.js";
import { options } from "./suggestions.js";

const typed = new WeakMap(); // the type of subjects that is about to be added, by the draft

// Returns the drawing of a declaration's form.
export function declarationForm(draft, faults, suggestions) {
  return html`
    ${section(draft, "subject", "Subjects", "Check conditions on subjects", () => subjectTypes(draft, faults, suggestions))}
    ${section(draft, "context", "Context", "Check conditions on the context", () => attributes(draft, faults, "context", html`The keys <code>time</code>, <code>ip</code> and <code>ip_address</code> need no declaration.`))}
    ${section(draft, "action", "Actions", "Check conditions on properties of actions", () => attributes(draft, faults, "action"))}`;
}

const isGiven = (draft, name) => draft.body[name] !== undefined && draft.body[name] !== null;

function section(draft, name, title, label, content) {
  const turn = (isOn) => {
    for (const at of [...draft.local.keys()]) if (at.startsWith(`$.${name}`)) draft.local.delete(at);
    draft.set(name, isOn ? (draft.stored?.[name] ?? {}) : undefined);
  };
  return html`<div class="declared" role="group" aria-label=${title}><h2>${title}</h2>
    ${flagField({ label, value: isGiven(draft, name), set: turn })}
    ${isGiven(draft, name) ? content() : html`<p class="hint">Nothing is declared, so a condition may name anything.</p>`}</div>`;
}

/** @type {(draft: Draft, faults: Fault[], name: string, hint?: Drawing) => Drawing} */
function attributes(draft, faults, name, hint = nothing) {
  const set = (value) => (draft.set(name, value), value);
  return html`${typedAttributes(draft, faults, { at: `$.${name}`, legend: "Attributes", value: draft.body[name], set })}
    ${hint === nothing ? nothing : html`<p class="hint">${hint}</p>`}`;
}

function subjectTypes(draft, faults, suggestions) {
  const types = Object.keys(draft.body.subject);
  return html`${types.map((type) => subjectType(draft, faults, type))}
    ${faultsAt(faults, "$.subject", true)}
    ${adding(draft, types, suggestions)}
    <p class="hint">A condition must fit at least one of the types. The keys <code>id</code> and <code>type</code> need no declaration.</p>`;
}

function subjectType(draft, faults, type) {
  const at = subjectPath(type);
  const part = {
    ...{ at, legend: html`Attributes of the type <code>${type}</code>`, value: draft.body.subject[type] },
    set: (value) => (draft.set("subject", withMember(draft.body.subject, type, value)), value),
  };
  const remove = () => {
    dropFaults(draft, at);
    draft.set("subject", withMember(draft.body.subject, type, undefined));
  };
  return html`<div class="scope">${typedAttributes(draft, faults, part)}
    <p><button class="link" type="button" aria-label=${`Remove the type ${type}`} @click=${remove}>Remove this type</button></p></div>`;
}

// Paths in answers of the service write a name that is no plain word in quotes.
const subjectPath = (type) => (/^[\p{L}_][\p{L}\p{N}_]*$/u.test(type) ? `$.subject.${type}` : `$.subject['${type}']`);

function adding(draft, types, suggestions) {
  const text = typed.get(draft) ?? "";
  const isThere = types.includes(text);
  const known = [...new Set(suggestions.of("subjects").map((one) => one.type))].filter((one) => !types.includes(one));
  const add = () => {
    draft.set("subject", withMember(draft.body.subject, text, {}));
    typed.delete(draft);
  };
  return html`<div class="adding" @keydown=${(event) => event.key === "Enter" && (event.preventDefault(), text && !isThere && add())}>
      ${textField({ label: "Type of subjects", at: "subject-type", value: text, list: "subject-types", set: (value) => (typed.set(draft, value), update()) })}
      <button class="quiet" type="button" ?disabled=${!text || isThere} @click=${add}>Add the type</button></div>
    ${isThere ? html`<p class="soft">It is there already.</p>` : nothing}${options("subject-types", known.map((one) => [one]))}`;
}
