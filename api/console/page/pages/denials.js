// The newest denials of the decision log: who was denied what and why, filtered, each with the way to try it again.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { questionLink } from "../core/asking.js";
import { goTo, placeLink } from "../core/place.js";
import { REASONS, reasonWords } from "../core/reasons.js";
import { may } from "../core/session.js";
import { atThisServer } from "../core/words.js";
import { openRepair } from "../editing/repair_dialog.js";
import { Awaited } from "../parts/awaited.js";
import { heading } from "../parts/heading.js";
import { listPage } from "../parts/list.js";
import { nothingYet, sentence } from "../parts/notice.js";
import { when } from "../parts/when.js";

const ROWS = 50;
const NOT_READABLE = 409; // the log is off, or goes to where the service can't read it back

const FILTERS = ["within", "subject", "action", "resource", "reason"];
const SPANS = [
  ["1h", "Last hour"],
  ["1d", "Last day"],
  ["7d", "Last week"],
];

const NOT_RECORDED = html`<span class="soft">not recorded</span>`;
const UNBROKEN = 24; // characters

export function page(place) {
  const filter = Object.fromEntries(FILTERS.map((name) => [name, place.query.get(name) ?? ""]));
  const query = { ...filter, limit: ROWS, cursor: place.query.get("cursor") };
  const found = new Awaited("the recent denials", (signal) => denials(place, query, signal));
  return {
    title: "Recent denials",
    view: () => html`${heading("Recent denials", html`Requests that were denied in <span class="name">${place.env}</span>${atThisServer(found.value)}, from the decision log. The newest is the first.`)}
      ${found.value?.why ? nothing : filterForm(place, filter)}
      <section aria-label="Denials">${found.view((one) => (one.why ? nothingYet(sentence(one.why)) : list(place, one, filter)))}
        ${found.value?.why ? nothing : html`<p class="actions"><button class="quiet" type="button" ?disabled=${found.isBusy}
          @click=${() => found.again()}>Look again</button></p>`}</section>`,
  };
}

// Without a log to read there are no denials to show. That is a setting, and no failure of this page.
async function denials(place, query, signal) {
  try {
    return await get(path`/v1/environments/${place.env}/denials`, { query, signal });
  } catch (problem) {
    if (problem.status !== NOT_READABLE) throw problem;
    return { why: problem.message };
  }
}

function filterForm(place, filter) {
  const submit = (event) => {
    event.preventDefault();
    goTo(placeLink(place.env, place.page, [], { ...Object.fromEntries(new FormData(event.target)), within: filter.within }));
  };
  const field = (name, label) => html`<div><label for=${name}>${label}</label>
    <input id=${name} name=${name} class="mono" autocomplete="off" spellcheck="false" .value=${filter[name]}></div>`;
  return html`<form class="card long" @submit=${submit} aria-label="Filter">
    <div class="bar">${field("subject", "Subject")}${field("action", "Action")}${field("resource", "Resource")}
      <div><label for="reason">Why</label><select id="reason" name="reason"><option value="">for any reason</option>
        ${REASONS.filter(([code]) => code !== "ALLOWED").map(([code, words]) => html`<option value=${code} .selected=${code === filter.reason}>${words}</option>`)}</select></div>
      <button type="submit">Show</button></div>
    <p class="pager">${[...SPANS, ["", "Any time"]].map(([within, text]) => html`<a aria-current=${within === filter.within ? "true" : nothing}
      href=${placeLink(place.env, place.page, [], { ...filter, within })}>${text}</a>`)}</p>
  </form>`;
}

function list(place, found, filter) {
  const isFiltered = Object.values(filter).some(Boolean);
  return listPage(place, found, {
    empty: isFiltered ? "No denial in the decision log fits the filter." : "The decision log has no denial of this environment.",
    firstStep: isFiltered ? html`<p><a href=${placeLink(place.env, place.page)}>Show all denials</a></p>` : nothing,
    columns: [
      { title: "When", cell: (one) => when(one.time) },
      { title: "Subject", cell: (one) => entity(one.request?.subject) },
      { title: "Action", cell: (one) => html`${one.request?.action ? code(one.request.action.name) : NOT_RECORDED}` },
      { title: "Resource", cell: (one) => entity(one.request?.resource) },
      { title: "Why", cell: (one) => why(place, one) },
      { title: "Try it again", cell: (one) => tryLink(place, one) },
    ],
  });
}

const nameIn = (one) => one.id ?? one.external_id ?? one.name;
const entity = (one) => html`${one ? html`<span class="soft">${one.type}</span> ${code(nameIn(one))}` : NOT_RECORDED}`;

// A short id stays on one line, a long one may break anywhere.
const code = (text) => html`<code class=${String(text).length <= UNBROKEN ? "id" : ""}>${text}</code>`;

function why(place, one) {
  const context = one.answer?.context ?? {};
  const denied = context.denied_by ?? null;
  return html`<div class="said">${reasonWords(one.reason_code ?? context.reason_code)}
    ${context.reason ? html`<p>${sentence(context.reason)}</p>` : nothing}
    ${denied ? html`<p>Denied by <a href=${placeLink(place.env, "policies", [denied])}><code>${denied}</code></a></p>` : nothing}
    ${context.error ? html`<p>${sentence(context.error.message ?? String(context.error))}</p>` : nothing}</div>`;
}

// A request that a mask has hidden in part, or a limit has cut, can't be asked again as it was.
function tryLink(place, one) {
  if (!one.request?.subject || !one.request.action || !one.request.resource) return NOT_RECORDED;
  const { subject, action, resource, context, options } = one.request;
  const question = { subject, action, resource, ...(context ? { context } : {}), ...(options ? { options } : {}) };
  const link = questionLink(place.env, "try", question);
  const note = one.masked ? "some values are masked" : one.cut ? "a part is missing" : "";
  const mayRepair = !note && may("write");
  return html`<a href=${link}>Try it</a>${mayRepair ? html` <button class="link" type="button" aria-label=${`Repair the denial of ${nameIn(subject)}`} @click=${() => openRepair(place, question)}>Repair…</button>` : nothing}${note ? html` <span class="tag warn">! ${note}</span>` : nothing}`;
}
