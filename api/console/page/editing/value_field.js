// A field for a value of the model: its kind is chosen beside it, and its text is read as that kind.

import { html } from "../vendor/lit-html.js";
import { isNumber, numberIn, parseJson } from "../core/exact.js";
import { areaField, choiceField, textField } from "./fields.js";

/** @type {Choice[]} */
const KINDS = [
  ["text", "text"],
  ["number", "number"],
  ["flag", "true or false"],
  ["texts", "list of texts"],
  ["numbers", "list of numbers"],
  ["json", "JSON"],
];
const OF_TYPE = { string: "text", number: "number", boolean: "flag", array: "texts", object: "json" };

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
  if (kind === "text") return { value: text };
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
export function changedKind({ kind, text }, next) {
  const found = readValue({ kind, text });
  if (next === "flag") return { kind: next, text: text === "true" ? "true" : "false" };
  if (next === "json" && !found.fault) return asJson(found.value);
  if (kind !== "json") return { kind: next, text };
  const again = found.fault ? { kind, text } : written(found.value);
  return { kind: next, text: again.kind === "json" ? "" : again.text };
}

// Returns the drawing: the kind, and the field. `state` is {kind, text}; `set(state)` takes another one.
export function valueField({ label, at, state, set, faults, kinds = KINDS.map(([kind]) => kind) }) {
  const offered = KINDS.filter(([kind]) => kinds.includes(kind) || kind === state.kind);
  const common = { label, at, value: state.text, faults, isHidden: true, set: (text) => set({ ...state, text }) };
  return html`<div class="value">
    ${choiceField({ label: `${label}: kind`, at: `${at}-kind`, value: state.kind, options: offered, isHidden: true, set: (kind) => set(changedKind(state, kind)) })}
    ${field(state, common)}
  </div>`;
}

function field(state, common) {
  if (state.kind === "flag") return choiceField({ ...common, options: [["true", "true"], ["false", "false"]] });
  if (state.kind === "text" || state.kind === "number") return textField(common);
  return areaField({ ...common, placeholder: state.kind === "json" ? "" : "one a line", rows: Math.min(8, Math.max(2, state.text.split("\n").length)) });
}
