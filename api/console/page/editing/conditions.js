// The conditions of a policy that compare an attribute: a row for each, which knows operators and types.

import { html, nothing } from "../core/html.js";
import { isSame } from "../core/exact.js";
import { OPERATORS } from "../core/operators.js";
import { placeLink } from "../core/place.js";
import { fitting, hints } from "./condition_hints.js";
import { withMember } from "./draft.js";
import { choiceField, faultsAt, textField } from "./fields.js";
import { options } from "./suggestions.js";
import { changedKind, isNamed, kindFor, namedBy, NOW, readValue, valueField, written } from "./value_field.js";

/** @type {Choice[]} */
const SECTIONS = [
  ["resource_attrs", "resource"],
  ["subject_attrs", "subject"],
  ["action_attrs", "action"],
  ["context_attrs", "context"],
];
/** @type {[string, string][]} */
const CHOICES = Object.entries(OPERATORS).map(([op, { label }]) => [op, label]);
/** @type {[string, string][]} */
const OF_NOW = [["lte now", "has passed"], ["gt now", "is still to come"]]; // the comparisons that have words beside those of operators
const NOW_SECTIONS = ["resource_attrs", "subject_attrs"];
const KINDS = {
  any: ["text", "number", "flag", "json", "reference"],
  list: ["texts", "numbers", "json", "reference"],
  ordered: ["text", "number", "reference", NOW.kind],
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
      return comparison(row, { at: at[index], number: index + 1, set, known, declared, faults, effect: draft.body.effect, env: draft.env, remove: () => put(rows.filter((one) => one !== row)) });
    })}
    <p><button class="quiet" type="button" @click=${() => put([...rows, BLANK])}>Add a condition</button></p>
  </div>`;
}

function comparison(row, { at, number, set, known, declared, faults, effect, env, remove }) {
  const named = (what) => `Condition ${number}: ${what}`;
  const keys = Object.entries(known);
  return html`<div class="row comparison">
    ${choiceField({ label: named("of"), at: `${at}-section`, value: row.section, options: SECTIONS, isHidden: true, set: (section) => set({ ...row, section }) })}
    <div>${textField({ label: named("attribute"), at: `${at}.key`, value: row.key, list: `${at}-keys`, faults, isHidden: true, placeholder: "attribute", set: (key) => set(withKey(row, key, known)) })}
      ${options(`${at}-keys`, keys)}</div>
    ${choiceField({ label: named("comparison"), at: `${at}.op`, value: comparisonOf(row), faults, isHidden: true, options: offered(row, known[row.key]), set: (op) => set(withOperator(row, op, known)) })}
    ${isOfNow(row) ? faultsAt(faults, `${at}.value_of`) : valueField({ label: named("value"), at: `${at}.${memberOf(row.state)}`, state: row.state, faults, kinds: kindsOf(row), names: `${at}-names`, set: (state) => set({ ...row, state }) })}
    ${row.state.kind === "reference" ? options(`${at}-names`, fitting(row.op, referable(row.section, declared))) : nothing}
    <button class="link" type="button" aria-label=${`Remove condition ${number}`} @click=${remove}>✕</button>
    ${hints(row, effect).map((one) => html`<p class="hint">${one}</p>`)}
    ${faultsAt(faults, at, true)}
    ${lacksExtension(faults, at) ? html`<p class="hint"><a href=${placeLink(env, "extensions")}>Choose the extensions of the model</a></p>` : nothing}
  </div>`;
}

const lacksExtension = (faults, at) => faults.some((one) => one.code === "missing-extension" && one.path?.startsWith(`${at}.`));

// Returns the values with which a section can compare, and their types. It names none of the entity that it is about, but
// groups.
/** @type {(section: string, declared: any) => [string, string][]} */
function referable(section, declared) {
  const found = SECTIONS.filter(([other]) => other !== section && other !== "resource_attrs").flatMap(([other, source]) =>
    Object.entries(declared.of(other, [])).map(([key, type]) => [`${String(source)}.${key}`, type]),
  );
  return /** @type {[string, string][]} */ ([["subject.groups", "array"], ...found]);
}

const isNow = ({ state }) => state.kind === NOW.kind;
const comparisonOf = (row) => (isNow(row) && OF_NOW.some(([words]) => words === `${row.op} now`) ? `${row.op} now` : row.op);
const isOfNow = (row) => comparisonOf(row) !== row.op; // then no value stands beside its words
const memberOf = (state) => (isNamed(state) ? "value_of" : "value");

// Returns the comparisons that a row can choose. `type` is that of its attribute, if it is declared.
function offered(row, type) {
  const chosen = comparisonOf(row);
  const reads = (name) => !type || OPERATORS[name.split(" ")[0]].reads.includes(type);
  const ofNow = OF_NOW.filter(([name]) => name === chosen || (NOW_SECTIONS.includes(row.section) && type !== "number" && reads(name)));
  return [...CHOICES.filter(([op]) => op === chosen || reads(op)), ...ofNow];
}

// Returns the kinds of values that fit the comparison of a row. Only some entities have attributes that are instants.
function kindsOf({ op, section }) {
  const kinds = KINDS[OPERATORS[op]?.constant ?? "ordered"];
  return NOW_SECTIONS.includes(section) ? kinds : kinds.filter((kind) => kind !== NOW.kind);
}

// Returns the kind of a constant for an attribute of a declared type. Of an array, it may be an element.
function constantKind(op, type) {
  const isList = OPERATORS[op]?.constant === "list";
  return OPERATORS[op]?.isOfElements ? kindFor(undefined, isList) : kindFor(type, isList);
}

function withKey(row, key, known) {
  const isBlank = row.state.text === "" || row.state.kind === "flag";
  if (!(key in known) || !isBlank) return { ...row, key };
  return { ...row, key, state: changedKind({ kind: "text", text: "" }, constantKind(row.op, known[key])) };
}

function withOperator(row, name, known) {
  const [op, now] = name.split(" ");
  if (now) return { ...row, op, state: NOW };
  const kinds = kindsOf({ ...row, op });
  if (kinds.includes(row.state.kind) && !isOfNow(row)) return { ...row, op };
  const fits = constantKind(op, known[row.key]);
  return { ...row, op, state: changedKind(row.state, kinds.includes(fits) ? fits : kinds[0]) };
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
    (conditions?.[section] ?? []).map(({ key, op, value, value_of: name }) => ({ section, key, op, state: stateOf(value, name) })),
  );
  kept.set(draft, { conditions, rows });
  return rows;
}

const stateOf = (value, name) => (typeof name === "string" ? namedBy(name) : written(value));

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
    conditions = withMember(conditions, section, [...(conditions[section] ?? []), { key, op, [memberOf(state)]: fault ? state.text : value }]);
  });
  const found = Object.keys(conditions).length ? conditions : undefined;
  kept.set(draft, { conditions: found, rows });
  draft.set("conditions", found);
}
