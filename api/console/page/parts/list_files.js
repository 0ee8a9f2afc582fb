// A list of the API as files: all that its filter selects, as a table and as lines of JSON.

import { html } from "../core/html.js";
import { escaped } from "../core/visible.js";
import { csv, Export } from "./csv.js";

const EXPORTED_AT_ONCE = 1_000; // rows: the largest page of the service

// Returns the exports of a list. `read(query, signal)` answers a page. The table has the `members`, and the lines have all.
/** @type {(name: string, members: string[], read: (query: any, signal: AbortSignal) => Promise<any>) => Export[]} */
export function listFiles(name, members, read) {
  const ask = async (next, signal) => {
    const found = await read({ limit: EXPORTED_AT_ONCE, cursor: next }, signal);
    return { rows: found.items, next: found.next_cursor };
  };
  const table = (rows) => csv(members, rows.map((row) => members.map((member) => cell(member, row[member]))));
  const lines = (rows) => rows.map((one) => `${escaped(JSON.stringify(one))}\n`).join("");
  return [
    new Export({ name: `${name}.csv`, type: "text/csv", ask, write: table, button: "Export as CSV" }),
    new Export({ name: `${name}.jsonl`, type: "application/x-ndjson", ask, write: lines, button: "Export as JSON lines" }),
  ];
}

// Returns the drawing of the buttons, or of how far the exports are.
/** @type {(files: Export[]) => Drawing} */
export const fileButtons = (files) => html`<div class="actions">${files.map((one) => one.view())}</div>`;

// A credential that is bound to no environment may use every one: an empty cell would say the opposite.
function cell(member, value) {
  if (member === "environments" && value === null) return "every environment";
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(" ");
  return value !== null && typeof value === "object" ? escaped(JSON.stringify(value)) : value;
}
