// A field for a value of the model: its kind is chosen beside it, and its text is read as that kind.

import { html } from "../core/html.js";
import { isNumber, numberIn, parseJson } from "../core/exact.js";
import { areaField, choiceField, faultsAt, textField } from "./fields.js";

// The state of a field that names the instant of the request, in place of a value.
export const NOW = { kind: "now", text: "now" };

/** @type {Choice[]} */
const KINDS = [
  ["text", "text"],
  ["number", "number"],
  ["flag", "true or false"],
  ["texts", "list of texts"],
  ["numbers", "list of numbers"],
  ["json", "JSON"],
  ["reference", "value of the request"],
  ["now", "time of the request"],
];
const CONSTANTS = KINDS.map(([kind]) => kind).filter((kind) => !isNamed({ kind }));
const NAMES = /^(subject|action|context)\./; // of values of a request
const OF_TYPE = { string: "text", number: "number", boolean: "flag", array: "texts", object: "json" };

// Returns the field's state for what a comparison names in place of a constant.
export const namedBy = (name) => (name === NOW.text ? NOW : { kind: "reference", text: name });

// Returns whether a field names a value of the request.
export function isNamed({ kind }) {
  return kind === "reference" || kind === NOW.kind;
}

// Returns the kind of field for a declared type, or for a list of that type.
export function kindFor(type, isList = false) {
  if (isList) return type === "number" ? "numbers" : type === "string" || !type ? "texts" : "json";
  return OF_TYPE[type] ?? "text";
}

// Returns the field's state {kind, text} for a value of the model.
export function written(value) {
  if (typeof value === "string") return value.includes("\n") ? asJson(value) : { kind: "text", text: value };
  if (isNumber(value)) return { kind: "number", text: JSON.stringify(value) };
  if (typeof value === "boolean") return { kind: "flag", text: String(value) };
  if (!Array.isArray(value) || !value.length) return asJson(value);
  if (value.every((one) => typeof one === "string" && one.trim() === one && one && !one.includes("\n"))) {
    return { kind: "texts", text: value.join("\n") };
  }
  return value.every(isNumber) ? { kind: "numbers", text: value.map((one) => JSON.stringify(one)).join("\n") } : asJson(value);
}

const asJson = (value) => ({ kind: "json", text: JSON.stringify(value) });

// Returns {value}, or {fault} with the words for what can't be read.
export function readValue({ kind, text }) {
  const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
  if (kind === "text" || isNamed({ kind })) return { value: text };
  if (kind === "flag") return { value: text === "true" };
  if (kind === "texts") return { value: lines };
  if (kind === "number") return numbers([text], (found) => found[0]);
  if (kind === "numbers") return numbers(lines, (found) => found);
  try {
    return { value: parseJson(text) };
  } catch {
    return { fault: "this is not JSON" };
  }
}

function numbers(lines, shape) {
  const found = lines.map(numberIn);
  const at = found.indexOf(undefined);
  return at < 0 ? { value: shape(found) } : { fault: `\`${lines[at]}\` is not a number` };
}

// Returns the text of another kind of field for what is there, as far as it can be kept.
export function changedKind({ kind, text: former }, next) {
  const text = kind === NOW.kind ? "" : former;
  const found = readValue({ kind, text });
  if (next === NOW.kind) return NOW;
  if (next === "reference") return { kind: next, text: NAMES.test(text) ? text : "subject.id" };
  if (next === "flag") return { kind: next, text: text === "true" ? "true" : "false" };
  if (next === "json" && !found.fault) return asJson(found.value);
  if (kind !== "json") return { kind: next, text };
  const again = found.fault ? { kind, text } : written(found.value);
  return { kind: next, text: again.kind === "json" ? "" : again.text };
}

// Returns the drawing: the kind, and the field. `state` is {kind, text}; `set(state)` takes another one. `names` is the id
// of a list of references.
export function valueField({ label, at, state, set, faults, kinds = CONSTANTS, names = "" }) {
  const offered = KINDS.filter(([kind]) => kinds.includes(kind) || kind === state.kind);
  const common = { label, at, value: state.text, faults, isHidden: true, set: (text) => set({ ...state, text }) };
  return html`<div class="value">
    ${choiceField({ label: `${label}: kind`, at: `${at}-kind`, value: state.kind, options: offered, isHidden: true, set: (kind) => set(changedKind(state, kind)) })}
    ${field(state, common, names)}
  </div>`;
}

function field(state, common, names) {
  if (state.kind === NOW.kind) return faultsAt(common.faults, common.at);
  if (state.kind === "reference") return textField({ ...common, list: names, placeholder: "subject.id" });
  if (state.kind === "flag") return choiceField({ ...common, options: [["true", "true"], ["false", "false"]] });
  if (state.kind === "text" || state.kind === "number") return textField(common);
  return areaField({ ...common, placeholder: state.kind === "json" ? "" : "one a line", rows: Math.min(8, Math.max(2, state.text.split("\n").length)) });
}
