// The form of a set of policy tests: each test in a line, a form for a new one, and all of them as JSON.

import { html, nothing } from "../core/html.js";
import { questionLink } from "../core/asking.js";
import { isObject, parseJson } from "../core/exact.js";
import { update } from "../core/update.js";
import { areaField, choiceField, textField } from "./fields.js";
import { entityField } from "./references.js";

const ENTITY = { type: "", id: "" };
/** @type {Choice[]} */
const DECISIONS = [["true", "allowed"], ["false", "denied"]];
const states = new WeakMap(); // the JSON as it is typed, and the test that is about to be added, by the draft

// Returns the drawing of a draft's form.
export function policyTestsForm(draft, faults, suggestions) {
  const state = stateOf(draft);
  return html`${draft.isNew ? textField({ label: "Id", at: "$.id", value: draft.body.id, faults, set: (id) => draft.set("id", id) }) : nothing}
    ${draft.body.tests.length ? html`<ul class="plain">${draft.body.tests.map((test) => html`<li>${line(draft.env, test)}</li>`)}</ul>` : html`<p class="soft">No tests yet.</p>`}
    <details class="gate" ?open=${draft.isNew}><summary>Add a test</summary>${adding(draft, state, suggestions)}</details>
    ${areaField({ label: "All tests, as JSON", at: "$", value: state.text, faults, rows: 12, hint: "As in a file of tests.", set: (text) => write(draft, state, text) })}`;
}

function line(env, test) {
  const asked = test.request ?? test.search;
  if (!asked || !isObject(asked)) return html`<span class="name">${test.name}</span> <span class="soft">a table</span>`;
  const verdict = test.expect?.decision;
  const tag = verdict === undefined ? nothing : html`<span class="tag ${verdict ? "allow" : "deny"}">${verdict ? "✓ allowed" : "✕ denied"}</span>`;
  return html`${tag}<span class="name">${test.name}</span>
    ${test.request ? html`<a href=${questionLink(env, "try", test.request)}>Try it</a>` : html`<span class="soft">a search</span>`}`;
}

function adding(draft, state, suggestions) {
  const { next } = state;
  const change = (name) => (value) => ((state.next = { ...state.next, [name]: value }), update());
  const entity = (name, label, segment) => entityField({ label, at: `new-${name}`, value: next[name], faults: [], suggestions, segment, isAsked: true, set: change(name) });
  const { test, fault } = testOf(next);
  const add = () => {
    draft.set("tests", [...draft.body.tests, test]);
    state.next = blank();
    state.text = shown(draft.body);
  };
  return html`${textField({ label: "Name", at: "new-name", value: next.name, isName: true, set: change("name") })}
    ${entity("subject", "Subject", "subjects")}
    ${textField({ label: "Action", at: "new-action", value: next.action, set: change("action") })}
    ${entity("resource", "Resource", "resources")}
    ${areaField({ label: "Resource properties, as JSON", at: "new-properties", value: next.properties, rows: 2, set: change("properties") })}
    ${areaField({ label: "Context, as JSON", at: "new-context", value: next.context, rows: 2, set: change("context") })}
    ${choiceField({ label: "The answer must be", at: "new-decision", value: next.decision, options: DECISIONS, set: change("decision") })}
    ${fault ? html`<p class="soft">${fault}</p>` : nothing}
    <p><button class="quiet" type="button" ?disabled=${fault} @click=${add}>Add the test</button></p>`;
}

const blank = () => ({ name: "", subject: { type: "user", id: "" }, action: "", resource: ENTITY, properties: "", context: "", decision: "true" });

function testOf({ name, subject, action, resource, properties, context, decision }) {
  const [own, around] = [properties, context].map(objectIn);
  if (own === null || around === null) return { fault: "The properties and the context are JSON objects, or empty." };
  if (![name, subject.type, subject.id, action, resource.type, resource.id].every(Boolean)) {
    return { fault: "A test has a name, a subject, an action and a resource." };
  }
  const of = own ? { ...resource, properties: own } : resource;
  const request = { subject, action: { name: action }, resource: of, ...(around ? { context: around } : {}) };
  return { test: { name, request, expect: { decision: decision === "true" } }, fault: null };
}

// Returns the object that a text has, undefined for an empty one, and null for anything else.
function objectIn(text) {
  if (!text.trim()) return undefined;
  try {
    const found = parseJson(text);
    return isObject(found) ? found : null;
  } catch {
    return null;
  }
}

function write(draft, state, text) {
  state.text = text;
  const found = objectIn(text);
  const isSet = found && Array.isArray(found.tests) && found.tests.every(isObject);
  draft.fault("$", isSet ? null : "this is no JSON object with a list `tests`");
  if (isSet) draft.body = { ...(draft.body.id === undefined ? {} : { id: draft.body.id }), ...found };
  update();
}

const shown = ({ id, ...rest }) => JSON.stringify(rest, null, 2);

function stateOf(draft) {
  const kept = states.get(draft);
  if (kept) return kept;
  const made = { text: shown(draft.body), next: blank() };
  states.set(draft, made);
  return made;
}
