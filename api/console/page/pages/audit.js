// The audit log: who did what, filtered by client, event, actor and time, and exported.

import { html, nothing } from "../core/html.js";
import { get } from "../core/api.js";
import { now } from "../core/clock.js";
import { goTo, placeLink } from "../core/place.js";
import { Awaited } from "../parts/awaited.js";
import { heading } from "../parts/heading.js";
import { pager } from "../parts/list.js";
import { fileButtons, listFiles } from "../parts/list_files.js";
import { nothingYet } from "../parts/notice.js";
import { localInput, instantOf } from "../parts/local_time.js";
import { Typeahead } from "../parts/typeahead.js";
import { auditTable, EVENTS } from "./audit_rows.js";

const ROWS = 50;
const FILTERS = ["client_id", "event", "actor", "since", "until"];
const ACTORS = ["admin-key", "command line", "service", "expiry sweep", "nobody"];
const SPANS = [
  ["1", "Last hour"],
  ["24", "Last day"],
  ["168", "Last week"],
];
const MEMBERS = ["id", "time", "event", "actor", "client_id", "environment", "address", "request_id", "details"];

export function page(place) {
  const filter = Object.fromEntries(FILTERS.map((name) => [name, place.query.get(name) ?? ""]));
  const read = (query, signal) => get("/v1/audit", { query: { ...filter, ...query }, signal });
  const entries = new Awaited("the audit log", (signal) => read({ limit: ROWS, cursor: place.query.get("cursor") }, signal));
  const files = listFiles("audit", MEMBERS, read);
  const typeahead = new Typeahead(place.env);
  const isFiltered = Object.values(filter).some(Boolean);
  return {
    title: "Audit",
    view: () => html`${heading("Audit", "Who did what, the newest first. Every change of a model, a client, a key or an environment is here.")}
      ${filterForm(place, filter, typeahead)}
      <section aria-label="Entries">${entries.view((found) => listing(place, found, isFiltered))}
        ${entries.value?.items.length ? fileButtons(files) : nothing}</section>`,
  };
}

function listing(place, found, isFiltered) {
  if (found.items.length || place.query.get("cursor")) return html`${auditTable(found.items)}${pager(place, found.next_cursor)}`;
  if (!isFiltered) return nothingYet("There are no entries yet.");
  return nothingYet("No entry fits the filter.", html`<p><a href=${placeLink(place.env, place.page)}>Show all entries</a></p>`);
}

function filterForm(place, filter, typeahead) {
  const submit = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    goTo(placeLink(place.env, place.page, [], { ...given, since: instantOf(given.since), until: instantOf(given.until) }));
  };
  const span = (hours) => placeLink(place.env, place.page, [], { ...filter, since: hoursAgo(hours), until: "" });
  return html`<form class="card long" @submit=${submit} aria-label="Filter">
    <div class="bar">
      <div><label for="event">Event</label><select id="event" name="event">
        <option value="">every event</option>
        ${EVENTS.map(([event, words]) => html`<option value=${event} .selected=${event === filter.event}>${words}</option>`)}
      </select></div>
      <div><label for="actor">Who</label>
        <input id="actor" name="actor" class="mono" list="actors" data-search autocomplete="off" spellcheck="false" .value=${filter.actor}>
        <datalist id="actors">${ACTORS.map((one) => html`<option value=${one}></option>`)}</datalist></div>
      <div><label for="client_id">Client id, by it or about it</label>
        <input id="client_id" name="client_id" class="mono" list="client_id-list" autocomplete="off" spellcheck="false" .value=${filter.client_id}>
        ${typeahead.list("client_id", "", { where: "/v1/clients", member: "client_id" })}</div>
      <div><label for="since">From</label>
        <input id="since" name="since" type="datetime-local" .value=${localInput(filter.since)}></div>
      <div><label for="until">Before</label>
        <input id="until" name="until" type="datetime-local" .value=${localInput(filter.until)}></div>
      <button type="submit">Show</button>
    </div>
    <p class="pager">${SPANS.map(([hours, text]) => html`<a href=${span(hours)}>${text}</a>`)}
      <a href=${placeLink(place.env, place.page)}>All entries</a></p>
  </form>`;
}

const hoursAgo = (hours) => new Date(now() - hours * 3_600_000).toISOString();
