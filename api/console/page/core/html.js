// The language of all drawings. A text in a drawing shows the characters that people can't see, wherever it comes from.

import { html as drawn, nothing, render, svg as drawnSvg } from "../vendor/lit-html.js";
import { partsOf, visible } from "./visible.js";

export { nothing, render };

const READ = /\s(?:title|aria-label|placeholder)=(?:["'][^"'<>]*|[^\s"'<>]*)$/; // attributes that people read
const PLAIN = /<(?:option|title)\b[^>]*>[^<>]*$/; // elements that have no others in them
const NAME = /<code\b[^>]*>$/;

/** @type {WeakMap<TemplateStringsArray, (((value: unknown) => unknown) | null)[]>} */
const known = new WeakMap(); // by the texts of a template: what shows each of its values

// Returns a drawing, as the library does.
export const html = (strings, ...values) => drawn(strings, ...shown(strings, values));
// Returns a drawing within an SVG picture.
export const svg = (strings, ...values) => drawnSvg(strings, ...shown(strings, values));

function shown(strings, values) {
  const ways = known.get(strings) ?? known.set(strings, waysOf(strings)).get(strings) ?? [];
  return values.map((one, at) => ways[at]?.(one) ?? one);
}

function waysOf(strings) {
  let before = "";
  return strings.slice(0, -1).map((text) => {
    before += text;
    const way = wayAt(before);
    before += "-"; // in the place of the value
    return way;
  });
}

// Values of other attributes, of members and of handlers stay as they are.
function wayAt(before) {
  const isInside = before.lastIndexOf("<") > before.lastIndexOf(">"); // a tag
  if (isInside ? READ.test(before) : PLAIN.test(before)) return (value) => (typeof value === "string" ? visible(value) : value);
  return isInside ? null : (value) => inText(value, NAME.test(before));
}

function inText(value, isName) {
  if (Array.isArray(value)) return value.map((one) => inText(one, isName));
  const parts = typeof value === "string" ? partsOf(value, isName) : null;
  return parts ? parts.map(({ text, unseen }) => (unseen ? drawn`<span class="unseen">${unseen}</span>` : text)) : value;
}
