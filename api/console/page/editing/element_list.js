// The page of a list of the model: its filters are those of the API, and a text narrows the page that is shown.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { goTo, placeLink } from "../core/place.js";
import { RESOURCE, SUBJECT } from "../core/kinds.js";
import { may } from "../core/session.js";
import { Awaited } from "../parts/awaited.js";
import { doneNotice } from "../parts/done.js";
import { heading } from "../parts/heading.js";
import { listPage } from "../parts/list.js";
import { nothingYet } from "../parts/notice.js";
import { Sorting } from "../parts/sorting.js";
import { Typeahead } from "../parts/typeahead.js";
import { elementLink, keyOf } from "./draft.js";
import { listFile, ListTotal } from "./list_summary.js";

const LIMIT = 100;
const WRITERS_ONLY = "This credential may only read.";

// Returns the page of a kind's list. A row has the sentence `about` the list, `columns`, `filters` as [parameter, label,
// choices?], and the sentence for an `empty` list. `above(place)` returns a function that draws what stands above the
// table, and `draw(place)` one that draws a page of the list in its place.
/** @type {(place: Place, row: ListRow) => Page & {again(): void}} */
export function elementList(place, { kind, about, columns, filters, empty, sorts = [], limit = LIMIT, above, draw }) {
  const { env, query } = place;
  const sorting = new Sorting(place, sorts, kind.key.length > 1);
  const named = kind === SUBJECT && !sorting.asked ? { named: true } : {}; // those without an entry are registered too (E3)
  const asked = { sort: sorting.asked, ...named, ...Object.fromEntries(["q", ...filters.map(([name]) => name)].map((name) => [name, query.get(name)])) };
  const where = path`/v1/environments/${env}/${kind.segment}`;
  const ask = (cursor, signal) => get(where, { query: { limit, cursor, ...asked }, signal });
  const list = new Awaited(`the ${kind.plural.toLowerCase()}`, (signal) => ask(query.get("cursor"), signal));
  const total = new ListTotal(kind, (signal) => get(where, { query: { limit: 1, total: true, ...asked }, signal }));
  const file = columns.length ? listFile(kind, env, columns, ask) : null;
  const link = (body) => elementLink(env, kind, keyOf(kind, body));
  const isFiltered = ["q", ...filters.map(([name]) => name)].some((name) => query.get(name));
  const typeahead = new Typeahead(env);
  const [drawAbove, drawList] = [above?.(place), draw?.(place)];
  return {
    title: kind.plural,
    again: () => list.again(),
    view: () => html`<div class="top">${heading(kind.plural, about)}${createLink(place, kind)}</div>
      ${doneNotice(place, () => list.again())}${drawAbove ? drawAbove() : nothing}
      <section>${filterForm(place, kind, filters, typeahead, sorting.field(columns.length > 0))}
        ${list.view((found) => {
          const items = narrowed(found.items, query.get("text"));
          if (found.items.length && !items.length) return nothingYet("Nothing on this page contains this text.");
          const shape = { columns, link, empty: isFiltered ? "Nothing fits these filters." : empty, firstStep: createLink(place, kind, "button plain"), sorting, caption: sorting.caption() };
          const summary = items.length ? html`<p class="bar"><span class="soft" role="status">${total.view(found, query.get("cursor"))}</span>${file?.view() ?? nothing}</p>` : nothing;
          if (drawList && items.length) return html`${summary}${drawList(items, found)}`;
          return html`${summary}${listPage(place, { ...found, items }, shape)}`;
        })}
      </section>`,
  };
}

// Returns the way to a new element, if the credential may write.
function createLink(place, kind, look = "button") {
  if (!may("write")) return html`<p class="soft">${WRITERS_ONLY}</p>`;
  return html`<a class=${look} href=${placeLink(place.env, kind.segment, [], { new: "yes" })}>Create ${/^[aeiou]/.test(kind.noun) ? "an" : "a"} ${kind.noun}</a>`;
}

function narrowed(items, text) {
  if (!text) return items;
  const sought = text.toLowerCase();
  return items.filter((one) => JSON.stringify(one).toLowerCase().includes(sought));
}

function filterForm({ env, page, query }, kind, filters, typeahead, order) {
  const submit = (event) => {
    event.preventDefault();
    const { sort, ...chosen } = Object.fromEntries(new FormData(event.target));
    goTo(placeLink(env, page, [], chosen.q ? chosen : { ...chosen, sort }));
  };
  const isAny = ["q", "text", ...filters.map(([name]) => name)].some((name) => query.get(name));
  return html`<form class="bar filters" role="search" @submit=${submit}>
    ${filters.map(([name, label, choices]) => html`<div><label for=${`by-${name}`}>${label}</label>${field(kind, name, choices, query, typeahead)}</div>`)}
    <div class="grow"><label for="by-q">Part of an id or a name</label>
      <input id="by-q" name="q" type="search" autocomplete="off" spellcheck="false" .value=${query.get("q") ?? ""}></div>
    <div><label for="by-text">Text on this page</label>
      <input id="by-text" name="text" type="search" autocomplete="off" .value=${query.get("text") ?? ""}></div>
    ${order}
    <button class="plain" type="submit">Filter</button>
    ${isAny ? html`<a class="button quiet" href=${placeLink(env, page)}>Show all</a>` : nothing}
  </form>`;
}

// The lists of the elements that filters name. A type stands beside an id that needs one.
const NAMED = {
  role: "roles", group: "groups", "members.group": "groups", resource_type: "resource-types", "resource.type": "resource-types",
  "subject.id": "subjects", "members.id": "subjects", "resource.id": "resources",
};

const OWN = ["name", "external_id"];

function suggested(kind, name, typeahead) {
  const id = `by-${name}`;
  if (name === "type" && kind === RESOURCE) return typeahead.list(id, "resource-types");
  if (OWN.includes(name)) return typeahead.list(id, kind.segment, { member: name });
  if (!NAMED[name]) return nothing;
  const beside = /** @type {HTMLInputElement | null} */ (document.getElementById(id.replace(/\.id$/, ".type")));
  return typeahead.list(id, NAMED[name], { filter: name.endsWith(".id") ? { type: beside?.value } : {} });
}

function field(kind, name, choices, query, typeahead) {
  const given = query.get(name) ?? "";
  if (!choices) return html`<input id=${`by-${name}`} name=${name} class="mono" list="by-${name}-list" autocomplete="off" spellcheck="false" .value=${given}>${suggested(kind, name, typeahead)}`;
  return html`<select id=${`by-${name}`} name=${name}>${[["", "all"], ...choices].map(
    ([value, text]) => html`<option value=${value} .selected=${value === given}>${text}</option>`,
  )}</select>`;
}
