// Hints at what a comparison of a policy means where its words leave it open, and the values with which it can compare.

import { OPERATORS } from "../core/operators.js";
import { isNamed, NOW } from "./value_field.js";

// Returns the sentences about a row of a condition of a policy with an effect.
/** @type {(row: {op: string, state: {kind: string}}, effect: string) => string[]} */
export function hints({ op, state }, effect) {
  const operator = OPERATORS[op];
  const unreadable = effect === "DENY" ? "the condition holds" : "the condition does not hold";
  const found = [];
  if (operator?.isNegation) found.push("Holds only if the attribute is there.");
  if (operator?.isOfElements) found.push("Looks at the elements of an array. It holds for no other value.");
  if (state.kind === NOW.kind) found.push(`The attribute is an instant with its offset, like 2035-01-31T12:00:00Z. If it is there and can't be read, ${unreadable}.`);
  else if (isNamed(state)) found.push(`If that value is missing, or does not fit, ${unreadable}.`);
  return found;
}

// Returns those of some values of a request, as [name, type], with which an operator can compare.
/** @type {(op: string, values: [string, string][]) => [string, string][]} */
export function fitting(op, values) {
  const constant = OPERATORS[op]?.constant;
  if (constant === "list") return values.filter(([, type]) => type === "array");
  if (constant === "ordered") return values.filter(([, type]) => OPERATORS[op].reads.includes(type));
  return values;
}
