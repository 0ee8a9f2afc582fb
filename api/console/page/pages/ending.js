// Access that ends soon or has ended: assignments and grants by their end, filtered by time, and exported.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { placeLink } from "../core/place.js";
import { Awaited } from "../parts/awaited.js";
import { csv, Export } from "../parts/csv.js";
import { heading } from "../parts/heading.js";
import { listPage } from "../parts/list.js";
import { when } from "../parts/when.js";
import { actions, entity, holder, link } from "../editing/phrases.js";

const ROWS = 50;
const EXPORTED_AT_ONCE = 1_000;
/** @type {Record<string, {name: string, query: {state: string, within: string}, empty: string}>} */
const SPANS = {
  week: { name: "Ends this week", query: { state: "ending", within: "7d" }, empty: "Nothing ends within the next 7 days." },
  month: { name: "Ends this month", query: { state: "ending", within: "30d" }, empty: "Nothing ends within the next 30 days." },
  ended: { name: "Ended this month", query: { state: "ended", within: "30d" }, empty: "Nothing that is still there has ended in the last 30 days." },
};
const MEMBERS = ["expires_at", "list", "id", "subject_type", "subject_id", "group", "role", "resource_type", "resource_id", "actions"];

export function page(place) {
  const chosen = SPANS[place.query.get("show") ?? ""] ? String(place.query.get("show")) : "week";
  const { query, empty } = SPANS[chosen];
  const ask = (more, signal) => get(path`/v1/environments/${place.env}/expiring`, { query: { ...query, ...more }, signal });
  const found = new Awaited("what ends", (signal) => ask({ limit: ROWS, cursor: place.query.get("cursor") }, signal));
  const file = exportOf(`ending-${chosen}.csv`, ask);
  return {
    title: "Ending access",
    view: () => html`${heading("Ending access", html`Assignments and grants of <span class="name">${place.env}</span> by their end, the earliest first, by the clock of the service.`)}
      <p class="pager">${Object.entries(SPANS).map(([show, { name }]) => html`<a href=${placeLink(place.env, place.page, [], { show })}
        aria-current=${show === chosen ? "true" : nothing}>${name}</a>`)}</p>
      <section aria-label=${SPANS[chosen].name}>${found.view((one) => listPage(place, one, { empty, columns: COLUMNS }))}
        ${found.value?.items.length ? html`<div class="actions">${file.view()}</div>` : nothing}</section>`,
  };
}

const COLUMNS = [
  { title: "End", cell: (one) => when(one.expires_at) },
  { title: "Who", cell: (one, env) => holder(env, one.element) },
  { title: "What", cell: what },
  { title: "By", cell: (one, env) => html`<a href=${placeLink(env, one.kind, [one.id])}>${one.kind === "grants" ? "its grant" : "its assignment"}</a>` },
];

function what({ element }, env) {
  if (element.role !== undefined) return html`holds ${link(env, "roles", element.role)}`;
  return html`may do ${actions(element.actions)} on ${entity(env, "resources", element.resource)}`;
}

// The file has all that the filter selects, with pages as large as the service allows.
function exportOf(name, ask) {
  return new Export({
    name,
    type: "text/csv",
    button: "Export as CSV",
    ask: async (next, signal) => {
      const found = await ask({ limit: EXPORTED_AT_ONCE, cursor: next }, signal);
      return { rows: found.items, next: found.next_cursor };
    },
    write: (rows) => csv(MEMBERS, rows.map(fields)),
  });
}

const fields = ({ kind, id, expires_at: end, element: { subject, group, role, resource, actions: names } }) =>
  [end, kind, id, subject?.type, subject?.id, group, role, resource?.type, resource?.id, names?.join(" ")];
