// The difference of two bodies of an element, member by member.

import { html } from "../core/html.js";
import { isObject, isSame } from "../core/exact.js";
import { nothingYet } from "../parts/notice.js";

const SHOWN = 200; // differing members that are drawn
const LONGEST = 2_000; // characters of a value that are drawn

// Returns the differing members as [{path, removed: [value], added: [value]}]. A body that is not there is null.
function differences(before, after, path = "") {
  if (isSame(before, after)) return [];
  if (isObject(before) && isObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => differences(before[name], after[name], path ? `${path}.${name}` : name));
  }
  if (Array.isArray(before) && Array.isArray(after)) return [elementsOf(before, after, path)];
  return [{ path, removed: present(before), added: present(after) }];
}

const present = (value) => (value === undefined || value === null ? [] : [value]);

// An array's elements that are in one of both alone; if there are none, only their order differs, and all are shown.
function elementsOf(before, after, path) {
  const [had, has] = [before, after].map((list) => new Set(list.map((item) => JSON.stringify(item))));
  const removed = before.filter((item) => !has.has(JSON.stringify(item)));
  const added = after.filter((item) => !had.has(JSON.stringify(item)));
  return removed.length || added.length ? { path, removed, added } : { path, removed: [before], added: [after] };
}

// Returns the drawing of the difference of two bodies. `names` are the words for the first and the second one.
export function difference(before, after, names = ["before", "after"]) {
  const blank = isObject(before ?? after) ? {} : null;
  const found = differences(before ?? blank, after ?? blank);
  if (!found.length) return nothingYet("Nothing differs.");
  return html`<div class="difference" role="group" aria-label="Difference">
    ${found.slice(0, SHOWN).map((one) => member(one, names))}
    ${found.length > SHOWN ? html`<p class="soft">and ${found.length - SHOWN} more members</p>` : ""}
  </div>`;
}

const member = ({ path, removed, added }, names) => html`<div class="changed">
  <code>${path}</code>
  <div>${removed.map((one) => line("removed", "−", names[0], one))}${added.map((one) => line("added", "+", names[1], one))}</div>
</div>`;

const line = (mood, mark, name, value) => html`<div class=${mood}>
  <span class="mark" aria-hidden="true">${mark}</span><span class="hidden">${name}: </span><span class="mono">${shown(value)}</span>
</div>`;

function shown(value) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
