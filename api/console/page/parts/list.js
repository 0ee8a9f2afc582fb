// Lists of the API: a table whose rows and pages have addresses.

import { html, nothing } from "../core/html.js";
import { placeLink } from "../core/place.js";
import { nothingYet } from "./notice.js";
import { table } from "./table.js";

// The API tries so many elements for a page and no more: a page may be empty, and the next one not.
const ELSEWHERE = "Nothing fits among the elements of this page. There are more.";

// Returns the drawing of one page of a list, {items, next_cursor}, with the ways to the other pages.
/** @type {(place: Place, found: any, shape: {empty: string, firstStep?: Drawing, cursor?: string, columns: Column[], link?: (row: any) => string, caption?: string, sorting?: Sorting | null}) => Drawing} */
export function listPage(place, found, { empty, firstStep, cursor = "cursor", ...shape }) {
  const next = found.next_cursor;
  if (!found.items.length && next) return html`${nothingYet(ELSEWHERE)}${pager(place, next, cursor)}`;
  if (!found.items.length && !place.query.get(cursor)) return nothingYet(empty, firstStep);
  return html`${table({ ...shape, rows: found.items, env: place.env })}${pager(place, next, cursor)}`;
}

/** @type {Map<string, string>} */
const before = new Map(); // the cursor of the page before a page, if that was shown

// Returns the ways to the first, the previous and the next page of a list. `name` is where the address keeps the cursor.
/** @type {(place: Place, next: string | null | undefined, name?: string) => Drawing} */
export function pager(place, next, name = "cursor") {
  const kept = Object.fromEntries(place.query);
  const here = place.query.get(name) ?? "";
  if (next) before.set(next, here);
  const previous = before.get(here);
  const at = (cursor) => placeLink(place.env, place.page, place.given, { ...kept, [name]: cursor });
  const isFirst = !place.query.get(name);
  if (isFirst && !next) return nothing;
  return html`<p class="pager">
    ${isFirst ? nothing : html`<a href=${at(undefined)}>First page</a>`}
    ${previous === undefined ? nothing : html`<a href=${at(previous)}>Previous page</a>`}
    ${next ? html`<a href=${at(next)}>Next page</a>` : html`<span class="soft">This is the last page.</span>`}
  </p>`;
}
