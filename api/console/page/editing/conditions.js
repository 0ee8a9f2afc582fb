// The conditions of a policy that compare an attribute with a constant: a row for each, which knows operators and types.

import { html, nothing } from "../vendor/lit-html.js";
import { isSame } from "../core/exact.js";
import { OPERATORS } from "../core/operators.js";
import { withMember } from "./draft.js";
import { choiceField, faultsAt, textField } from "./fields.js";
import { options } from "./suggestions.js";
import { changedKind, kindFor, readValue, valueField, written } from "./value_field.js";

/** @type {Choice[]} */
const SECTIONS = [
  ["resource_attrs", "resource"],
  ["subject_attrs", "subject"],
  ["action_attrs", "action"],
  ["context_attrs", "context"],
];
/** @type {[string, string][]} */
const CHOICES = Object.entries(OPERATORS).map(([op, { label }]) => [op, label]);
const KINDS = {
  any: ["text", "number", "flag", "json"],
  list: ["texts", "numbers", "json"],
  ordered: ["text", "number"],
  pattern: ["text"],
}; // of values, by the kind of constant
const BLANK = { section: "resource_attrs", key: "", op: "eq", state: { kind: "text", text: "" } };
const kept = new WeakMap(); // {conditions, rows} by the draft

// Returns the drawing of a draft's comparisons.
export function comparisons(draft, faults, declared) {
  const rows = rowsOf(draft);
  const put = (next) => keep(draft, next);
  const at = places(rows);
  return html`<div class="rows" role="group" aria-label="Conditions">
    ${rows.length ? html`<p class="hint">All of them must hold. An attribute that is missing fulfils none.</p>` : nothing}
    ${rows.map((row, index) => {
      const set = (changed) => put(rows.map((one, other) => (other === index ? changed : one)));
      const known = declared.of(row.section, draft.body.resource_types ?? []);
      return comparison(row, { at: at[index], number: index + 1, set, known, faults, remove: () => put(rows.filter((one) => one !== row)) });
    })}
    <p><button class="quiet" type="button" @click=${() => put([...rows, BLANK])}>Add a condition</button></p>
  </div>`;
}

function comparison(row, { at, number, set, known, faults, remove }) {
  const type = known[row.key];
  const offered = CHOICES.filter(([op]) => op === row.op || !type || OPERATORS[op].reads.includes(type));
  const named = (what) => `Condition ${number}: ${what}`;
  const keys = Object.entries(known);
  return html`<div class="row comparison">
    ${choiceField({ label: named("of"), at: `${at}-section`, value: row.section, options: SECTIONS, isHidden: true, set: (section) => set({ ...row, section }) })}
    <div>${textField({ label: named("attribute"), at: `${at}.key`, value: row.key, list: `${at}-keys`, faults, isHidden: true, placeholder: "attribute", set: (key) => set(withKey(row, key, known)) })}
      ${options(`${at}-keys`, keys)}</div>
    ${choiceField({ label: named("comparison"), at: `${at}.op`, value: row.op, faults, isHidden: true, options: offered, set: (op) => set(withOperator(row, op, known)) })}
    ${valueField({ label: named("value"), at: `${at}.value`, state: row.state, faults, kinds: kindsOf(row.op), set: (state) => set({ ...row, state }) })}
    <button class="link" type="button" aria-label=${`Remove condition ${number}`} @click=${remove}>✕</button>
    ${OPERATORS[row.op]?.isNegation ? html`<p class="hint">Holds only if the attribute is there.</p>` : nothing}
    ${faultsAt(faults, at, true)}
  </div>`;
}

const isList = (op) => OPERATORS[op]?.constant === "list";

function kindsOf(op) {
  return KINDS[OPERATORS[op]?.constant ?? "ordered"];
}

function withKey(row, key, known) {
  const isBlank = row.state.text === "" || row.state.kind === "flag";
  if (!(key in known) || !isBlank) return { ...row, key };
  return { ...row, key, state: changedKind({ kind: "text", text: "" }, kindFor(known[key], isList(row.op))) };
}

function withOperator(row, op, known) {
  const kinds = kindsOf(op);
  if (kinds.includes(row.state.kind)) return { ...row, op };
  const fitting = kindFor(known[row.key], isList(op));
  return { ...row, op, state: changedKind(row.state, kinds.includes(fitting) ? fitting : kinds[0]) };
}

// Returns the path of each row, like `$.conditions.resource_attrs[0]`.
function places(rows) {
  const counts = {};
  return rows.map(({ section }) => `$.conditions.${section}[${(counts[section] = (counts[section] ?? -1) + 1)}]`);
}

function rowsOf(draft) {
  const { conditions } = draft.body;
  const found = kept.get(draft);
  if (found && isSame(found.conditions, conditions)) return found.rows;
  const rows = SECTIONS.flatMap(([section]) =>
    (conditions?.[section] ?? []).map(({ key, op, value }) => ({ section, key, op, state: written(value) })),
  );
  kept.set(draft, { conditions, rows });
  return rows;
}

// A value that can't be read stands in the draft as the text that it is, and its fault keeps the draft from being saved.
function keep(draft, unordered) {
  const rows = SECTIONS.flatMap(([section]) => unordered.filter((row) => row.section === section));
  for (const at of [...draft.local.keys()]) if (SECTIONS.some(([section]) => at.startsWith(`$.conditions.${section}[`))) draft.local.delete(at);
  let conditions = { ...draft.body.conditions };
  for (const [section] of SECTIONS) delete conditions[section];
  places(rows).forEach((at, index) => {
    const { section, key, op, state } = rows[index];
    const { value, fault } = readValue(state);
    if (fault) draft.fault(`${at}.value`, fault);
    conditions = withMember(conditions, section, [...(conditions[section] ?? []), { key, op, value: fault ? state.text : value }]);
  });
  const found = Object.keys(conditions).length ? conditions : undefined;
  kept.set(draft, { conditions: found, rows });
  draft.set("conditions", found);
}
