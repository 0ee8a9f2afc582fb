// Access that ends soon or has ended: assignments and grants by their end, filtered by time, exported, and drawn as a calendar.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { now } from "../core/clock.js";
import { placeLink } from "../core/place.js";
import { Awaited } from "../parts/awaited.js";
import { calendar, dayOf, monthAfter, nameOf, spanOf } from "../parts/calendar.js";
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
  const [month, day] = ["month", "day"].map((name) => dateOf(place.query.get(name) ?? "", name));
  const show = place.query.get("show") ?? "week";
  if (show === "calendar") return calendarPage(place, month ?? dayOf(now(), 7));
  const chosen = SPANS[show] ? show : "week";
  const { query, empty } = day ? { query: spanOf(day), empty: `Nothing ends on ${nameOf(day)}.` } : SPANS[chosen];
  const ask = (more, signal) => asked(place, { ...query, ...more }, signal);
  const found = new Awaited("what ends", (signal) => ask({ limit: ROWS, cursor: place.query.get("cursor") }, signal));
  const file = exportOf(`ending-${day ?? chosen}.csv`, ask);
  const name = day ? nameOf(day) : SPANS[chosen].name;
  return {
    title: "Ending access",
    view: () => html`${top(place, day ? "" : chosen)}
      <section aria-label=${name}>${day ? html`<h2>${name}</h2><p><a href=${placeLink(place.env, place.page, [], { show: "calendar", month: day.slice(0, 7) })}>Calendar of ${nameOf(day.slice(0, 7))}</a></p>` : nothing}
        ${found.view((one) => listPage(place, one, { empty, columns: COLUMNS }))}
        ${found.value?.items.length ? html`<div class="actions">${file.view()}</div>` : nothing}</section>`,
  };
}

const asked = (place, query, signal) => get(path`/v1/environments/${place.env}/expiring`, { query, signal });

// Returns a text of the address if it is a month or a day, and undefined otherwise.
function dateOf(text, name) {
  const isOne = (name === "day" ? /^\d{4}-\d\d-\d\d$/ : /^\d{4}-\d\d$/).test(text);
  return isOne && !Number.isNaN(Date.parse(text)) && text > "1970" ? text : undefined;
}

const top = (place, chosen) => html`${heading("Ending access", html`Assignments and grants of <span class="name">${place.env}</span> by their end, the earliest first, by the clock of the service.`)}
  <p class="pager">${[...Object.entries(SPANS).map(([show, { name }]) => [show, name]), ["calendar", "Calendar"]].map(([show, name]) => html`<a
    href=${placeLink(place.env, place.page, [], { show })} aria-current=${show === chosen ? "true" : nothing}>${name}</a>`)}</p>`;

// A month as a table, whose days open their lists.
function calendarPage(place, month) {
  const found = new Awaited("what ends", (signal) => asked(place, { ...spanOf(month), limit: EXPORTED_AT_ONCE }, signal));
  const at = (months) => placeLink(place.env, place.page, [], { show: "calendar", month: monthAfter(month, months) });
  const day = (date) => placeLink(place.env, place.page, [], { day: date });
  const entry = (one) => ({ at: one.expires_at, told: holder(place.env, one.element) });
  return {
    title: "Ending access",
    view: () => html`${top(place, "calendar")}
      <section aria-label=${nameOf(month)}>${found.view((one) => html`${calendar(month, one.items.map(entry), day)}
        ${one.items.length ? nothing : html`<p class="soft">Nothing ends in ${nameOf(month)}.</p>`}
        ${one.next_cursor ? html`<p><span class="tag warn">! not all</span>Only the first ${EXPORTED_AT_ONCE} ends are drawn, up to ${when(one.items.at(-1).expires_at)}. Each day has its whole list.</p>` : nothing}`)}
        <p class="pager"><a href=${at(-1)}>${nameOf(monthAfter(month, -1))}</a><a href=${at(1)}>${nameOf(monthAfter(month, 1))}</a></p></section>`,
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
