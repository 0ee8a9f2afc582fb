// A page that searches: its question and its page of answers stand in the address, and the whole answer can be saved.

import { html, nothing } from "../core/html.js";
import { leftOpenBy, questionAt, questionLink, search, slipIn } from "../core/asking.js";
import { announce } from "../core/announcement.js";
import { goTo, placeLink } from "../core/place.js";
import { bringIntoView } from "../core/view.js";
import { Awaited } from "./awaited.js";
import { csv, Export } from "./csv.js";
import { heading } from "./heading.js";
import { leftOpen, notice, nothingYet, sentence } from "./notice.js";
import { RequestFields } from "./request_form.js";
import { table } from "./table.js";

const PAGE_ROWS = 100;
const EXPORT_ROWS = 1_000;

// Returns a page of the console that searches. `kind` is the search; `read(request)` makes its question from the fields; `columns`
// are those of a table with `csv(row)` beside `cell(row)`; `empty` says that there is nothing, and `emptyIf` that it depends on what the
// question leaves open. `conditional(body, link)` asks and draws who else can, under which conditions. `act(body)` draws what can be
// done about the answer.
/** @type {(place: Place, shape: any) => Page} */
export function searchPage(place, { title, about, kind, fields, read, columns, link, empty, emptyIf, conditional = null, act = null }) {
  const asked = questionAt(place);
  const form = new RequestFields(place.env, asked);
  const body = isWhole(asked, fields) ? { ...read(asked), options: asked.options } : null;
  const token = place.query.get("token") ?? undefined;
  const found = body && new Awaited("the answer", async (signal) => {
    const slip = await slipIn(place.env, body, signal);
    if (slip) return { slip };
    const page = await search(place.env, kind, body, { limit: PAGE_ROWS, token }, signal);
    announce(page.context.reason);
    bringIntoView("answer");
    return page;
  });
  const open = body && new Awaited("what the question leaves open", async (signal) =>
    leftOpenBy(place.env, kind, body, (await found?.answer()) ?? { context: {} }, signal));
  const others = body && !token && conditional?.(body, (row) => link(row, form));
  const behind = (isEmpty) => open?.view((names) => html`${isEmpty ? nothingYet(names.length ? emptyIf : empty) : nothing}${leftOpen(names)}
    ${others ? others(isEmpty, names) : nothing}${act ? act(body) : nothing}`);
  const written = columns.filter((one) => one.csv);
  const file = body && new Export({
    name: `${place.page}.csv`,
    type: "text/csv",
    button: "Save as CSV",
    ask: async (next, signal) => {
      const page = await search(place.env, kind, body, { limit: EXPORT_ROWS, ...(next ? { token: next } : {}) }, signal);
      return { rows: page.results, next: page.page.next_token || null };
    },
    write: (rows) => csv(written.map((one) => one.title), rows.map((row) => written.map((one) => one.csv(row)))),
  });
  const submit = (event) => {
    event.preventDefault();
    const request = form.request();
    if (request) goTo(questionLink(place.env, place.page, request));
  };
  return {
    title,
    view: () => html`${heading(title, about)}
      <div class="columns">
        <section><h2>Question</h2>
          <form @submit=${submit}>${form.view({ ...fields, hasOptions: true })}<p class="actions"><button type="submit">Search</button></p></form>
        </section>
        <section id="answer"><h2>Answer</h2>
          ${found ? found.view((page) => page.slip ? notice("warn", html`<p>${sentence(page.slip)}</p>`) : results(place, page, { columns, link: (row) => link(row, form), behind, file })) : nothingYet("Ask a question. The answer appears here, a page at a time.")}
        </section>
      </div>`,
  };
}

function results(place, page, { columns, link, behind, file }) {
  const next = page.page?.next_token;
  const at = (token) => placeLink(place.env, place.page, [], { ...Object.fromEntries(place.query), token });
  return html`<p class="soft">${sentence(page.context.reason)}</p>
    ${page.results.length
      ? html`${table({ columns, rows: page.results, link })}${behind(false)}`
      : next
        ? nothingYet("Nothing among the candidates of this page. There are more.")
        : behind(true)}
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
