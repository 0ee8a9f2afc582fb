// The matrix: which subjects, or which roles, may do which actions on a type of resources, at a glance.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { resourceTypes } from "../core/asking.js";
import { cellAt, cellLink, MatrixCell } from "./matrix_cell.js";
import { goTo, placeLink } from "../core/place.js";
import { Awaited } from "../parts/awaited.js";
import { heading } from "../parts/heading.js";
import { pager } from "../parts/list.js";
import { nothingYet } from "../parts/notice.js";
import { isNone, marked, rightsOn } from "../parts/rights.js";
import { table } from "../parts/table.js";

const ROWS = 25;
const OF_ROLES = "What the policies say of a holder of each role alone. Some: on those that conditions select. If: it depends on the subject or the request. Other roles may change it.";
const OF_SUBJECTS = "All: on every resource. Some: on those that a filter selects, or by a direct grant. If: it depends on what a request says besides, or on the time.";

export function page(place) {
  const { env } = place;
  const rows = place.query.get("rows") === "roles" ? "roles" : "subjects";
  const types = new Awaited("the resource types", (signal) => resourceTypes(env, signal));
  const answer = new Awaited("the matrix", (signal) => matrix(place, rows, types, signal));
  const chosen = cellAt(place);
  const cell = chosen && new MatrixCell(place, rows, async () => wantedType(place, await types.answer()), chosen);
  return {
    title: "Matrix",
    view: () => html`${heading("Matrix", "Who may do what on a type of resources.")}
      <section>${types.view((found) => choices(place, rows, found))}</section>
      ${cell ? cell.view() : nothing}
      <section>${answer.view((found) => drawn(place, rows, found))}</section>`,
  };
}

const wantedType = (place, types) => types.find((one) => one.id === place.query.get("type")) ?? types[0];

function choices(place, rows, types) {
  const to = (change) => goTo(placeLink(place.env, "matrix", [], { ...Object.fromEntries(place.query), cursor: undefined, cell: undefined, ...change }));
  const chosen = wantedType(place, types);
  return html`<div class="bar">
    <div><label for="rows">Rows</label><select id="rows" @change=${(event) => to({ rows: event.target.value })}>
      ${["subjects", "roles"].map((one) => html`<option value=${one} .selected=${one === rows}>${one === "roles" ? "Roles" : "Subjects"}</option>`)}
    </select></div>
    <div><label for="type">Resource type</label><select id="type" @change=${(event) => to({ type: event.target.value })}>
      ${types.map((one) => html`<option value=${one.id} .selected=${one === chosen}>${one.name && one.name !== one.id ? `${one.name} (${one.id})` : one.id}</option>`)}
    </select></div>
    <form @submit=${(event) => (event.preventDefault(), to({ q: String(new FormData(event.target).get("q")).trim() }))} aria-label="Filter">
      <label for="part">Part of a name or id</label>
      <input id="part" name="q" autocomplete="off" spellcheck="false" maxlength="256" .value=${place.query.get("q") ?? ""}></form>
  </div>`;
}

// Reads one page of rows, and the cell of each row and action.
async function matrix(place, rows, types, signal) {
  const type = wantedType(place, await types.answer());
  if (!type) return { type: null, next: null, rows: [] };
  const named = rows === "subjects" ? { named: true } : {}; // those without an entry are registered too (E3)
  const query = { limit: ROWS, cursor: place.query.get("cursor"), q: place.query.get("q"), ...named };
  const list = await get(path`/v1/environments/${place.env}/` + rows, { query, signal });
  const holders = rows === "roles" ? list.items.map(({ id }) => ({ role: id })) : list.items;
  const cells = await rightsOn(place.env, holders, [type], signal);
  return { type, next: list.next_cursor, rows: list.items.map((row, at) => ({ row, cells: cells[at] })) };
}

function drawn(place, rows, { type, rows: found, next }) {
  if (!type) return nothingYet("The model has no resource types yet. Each one would be a matrix here.");
  if (!found.length && place.query.get("q")) return nothingYet(`No name or id of the ${rows} has this part.`);
  if (!found.length) return nothingYet(`The model has no ${rows} yet. Each one would be a row here.`);
  return html`${table({
    caption: rows === "roles" ? OF_ROLES : OF_SUBJECTS,
    rows: found,
    columns: [
      {
        ...{ title: rows === "roles" ? "Role" : "Subject", isHeader: true },
        cell: ({ row }) => html`<a href=${placeLink(place.env, rows, rows === "roles" ? [row.id] : [row.type, row.id])}><code>${row.id}</code></a>${calledOf(row)}`,
      },
      ...type.actions.map((action, at) => ({
        title: action,
        look: ({ cells }) => `shade ${isNone(cells[at]) ? "none" : cells[at].word}`,
        cell: ({ row, cells }) => html`<a class="plain" href=${cellLink(place, row, action)}>${marked(cells[at])}</a>`,
      })),
    ],
  })}${pager(place, next)}`;
}

// Returns the name of a role, or the attribute of a subject that has its name, beside its id.
function calledOf({ id, name, attributes, listed }) {
  const called = name ?? attributes?.name;
  if (listed === false) return html` <span class="soft">no entry</span>`;
  return typeof called === "string" && called !== id ? html` <span class="name soft">${called}</span>` : nothing;
}
