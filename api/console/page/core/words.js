// Words for instants, numbers and values.

import { now } from "./clock.js";

const NUMBER = new Intl.NumberFormat("en");
const MINUTE = 60_000;
/** @type {[number, string][]} */
const STEPS = [
  [60, "second"],
  [60, "minute"],
  [24, "hour"],
  [Infinity, "day"],
];

// Returns a number with its digits in groups.
export const number = (value) => NUMBER.format(value);

// Returns a count with its noun: "1 policy", "3 policies".
export function counted(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

// Returns words for what a server alone has counted or logged, if other servers may have the store: " at this server".
export const atThisServer = (found) => (found?.at_this_server ? " at this server" : "");

// Returns drawings or texts as a list in words: "a", "a and b", "a, b and c".
/** @type {(parts: Drawing[], last?: string) => Drawing[]} */
export const joined = (parts, last = "and") =>
  parts.flatMap((one, at) => (at === 0 ? [one] : [at === parts.length - 1 ? ` ${last} ` : ", ", one]));

// Returns an instant, of the API or in milliseconds, for people, in their own zone: "2026-11-22 14:05".
export function instant(text) {
  const at = new Date(text);
  if (Number.isNaN(at.getTime())) return text;
  const shifted = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE);
  return shifted.toISOString().slice(0, 16).replace("T", " ");
}

// Returns how far an instant is from `at`, in milliseconds: "3 minutes ago", "in 2 days".
export function distance(text, at = now()) {
  let amount = (new Date(text).getTime() - at) / 1000;
  const word = amount < 0 ? (what) => `${what} ago` : (what) => `in ${what}`;
  amount = Math.abs(amount);
  for (const [size, noun] of STEPS) {
    if (amount < size) return word(counted(Math.round(amount), noun));
    amount /= size;
  }
  return text;
}

// Returns a value of a model as JSON, on one line.
export const value = (given) => JSON.stringify(given);
