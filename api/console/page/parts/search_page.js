// A page that searches: its question and its page of answers stand in the address, and the whole answer can be saved.

import { html, nothing } from "../vendor/lit-html.js";
import { path, post } from "../core/api.js";
import { goTo, placeLink } from "../core/place.js";
import { Awaited } from "./awaited.js";
import { csv, Export } from "./csv.js";
import { heading } from "./heading.js";
import { table } from "./list.js";
import { leftOpen, nothingYet, sentence } from "./notice.js";
import { RequestFields, requestIn } from "./request_form.js";

const PAGE_ROWS = 100;
const EXPORT_ROWS = 1_000;

// Returns a page of the console that searches. `kind` is the search, and `options` are its own; `read(request)` makes the body of the search from
// the fields; `instead` asks and draws what an empty answer leaves open; `columns` are those of a table with `csv(row)` beside `cell(row)`.
/** @type {(place: Place, shape: any) => Page} */
export function searchPage(place, { title, about, kind, options = {}, fields, read, columns, link, empty, instead = null }) {
  const asked = requestIn(place.query.get("q"));
  const form = new RequestFields(place.env, asked ?? {});
  const search = (body, page, signal) =>
    post(path`/environments/${place.env}/access/v1/search/` + kind, { ...body, options: { ...asked?.options, ...options }, page }, { signal });
  const body = isWhole(asked, fields) ? read(asked) : null;
  const token = place.query.get("token") ?? undefined;
  const found = body && new Awaited("the answer", (signal) => search(body, { limit: PAGE_ROWS, token }, signal));
  const isFirst = !place.query.get("token");
  /** @type {Awaited<any> | null} */
  let others = null; // is asked once the answer is known to be empty
  const without = (open) => {
    if (!instead || !isFirst) return html`${nothingYet(empty)}${leftOpen(open)}`;
    others ??= new Awaited("who can under conditions", (signal) => instead.ask({ ...body, options: asked?.options }, signal));
    return others.view(instead.draw);
  };
  const file = body && new Export({
    name: `${place.page}.csv`,
    type: "text/csv",
    button: "Save as CSV",
    ask: async (next, signal) => {
      const page = await search(body, { limit: EXPORT_ROWS, ...(next ? { token: next } : {}) }, signal);
      return { rows: page.results, next: page.page.next_token || null };
    },
    write: (rows) => csv(columns.map((one) => one.title), rows.map((row) => columns.map((one) => one.csv(row)))),
  });
  const submit = (event) => {
    event.preventDefault();
    const request = form.request();
    if (request) goTo(placeLink(place.env, place.page, [], { q: JSON.stringify(request) }));
  };
  return {
    title,
    view: () => html`${heading(title, about)}
      <div class="columns">
        <section><h2>Question</h2>
          <form @submit=${submit}>${form.view({ ...fields, hasOptions: true })}<p class="actions"><button type="submit">Search</button></p></form>
        </section>
        <section aria-live="polite"><h2>Answer</h2>
          ${found ? found.view((page) => results(place, page, { columns, link: (row) => link(row, form), empty: without, file })) : nothingYet("Ask a question. The answer appears here, a page at a time.")}
        </section>
      </div>`,
  };
}

function results(place, page, { columns, link, empty, file }) {
  const next = page.page?.next_token;
  const open = page.context.left_open;
  const at = (token) => placeLink(place.env, place.page, [], { q: place.query.get("q"), token });
  return html`<p class="soft">${sentence(page.context.reason)}</p>
    ${page.results.length
      ? html`${table({ columns, rows: page.results, link })}${leftOpen(open)}`
      : next
        ? nothingYet("Nothing among the candidates of this page. There are more.")
        : empty(open)}
    <p class="pager">
      ${place.query.get("token") ? html`<a href=${at(undefined)}>First page</a>` : nothing}
      ${next ? html`<a href=${at(next)}>Next page</a>` : nothing}
    </p>
    ${page.results.length ? html`<p class="actions">${file.view()}</p>` : nothing}`;
}

// Returns whether a question has all that its fields ask for. A link may fill in a part of it.
function isWhole(asked, fields) {
  if (!asked) return false;
  const isNamed = (entity, field) => entity?.type && (field === "type" || entity.id || entity.external_id || entity.name);
  return Boolean(asked.action?.name && isNamed(asked.subject, fields.subject) && isNamed(asked.resource, fields.resource));
}
