// The list of revisions: day by day, each with the elements that it changed, filtered by kind, element, person and time.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { now } from "../core/clock.js";
import { KINDS, kindOf } from "../core/kinds.js";
import { goTo, placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { counted, instant, number } from "../core/words.js";
import { actor } from "../parts/actor.js";
import { Awaited } from "../parts/awaited.js";
import { doneNotice } from "../parts/done.js";
import { heading } from "../parts/heading.js";
import { pager } from "../parts/list.js";
import { instantOf, localInput } from "../parts/local_time.js";
import { nothingYet } from "../parts/notice.js";
import { wentRound } from "../parts/round_approvals.js";
import { Typeahead } from "../parts/typeahead.js";
import { table } from "../parts/table.js";
import { when } from "../parts/when.js";
import { changedText } from "../editing/changed_text.js";
import { countsOf, namedChange } from "../editing/element_changes.js";
import { elementLink } from "../editing/draft.js";
import { undoDialog } from "../editing/undo.js";

const ROWS = 50;
const NAMED = 4; // elements of each revision that the list names
const FILTERS = ["kind", "type", "id", "by", "since", "until"];
const SPANS = [[24, "Last day"], [168, "Last week"]];
const HOUR = 3_600_000;

/** @type {(place: Place) => Page} */
export function revisions(place) {
  /** @type {any} */
  const filter = Object.fromEntries(FILTERS.map((name) => [name, place.query.get(name) ?? ""]));
  const query = { ...filter, limit: ROWS, cursor: place.query.get("cursor"), elements: filter.id ? undefined : NAMED };
  const found = new Awaited("the history", (signal) => get(path`/v1/environments/${place.env}/revisions`, { query, signal }));
  const typeahead = new Typeahead(place.env);
  return {
    title: filter.kind && filter.id ? `History of ${filter.id}` : "History",
    view: () => html`${top(place, filter)}
      ${doneNotice(place, () => found.again())}
      ${filterForm(place, filter, typeahead)}
      <section aria-label="Revisions">${found.view((one) => listing(place, one, filter, () => found.again()))}</section>`,
  };
}

// The past of one element has its name above.
function top(place, { kind, type, id }) {
  const of = kind && id ? kindOf(kind) : undefined;
  if (!of) return heading("History", "Every change of the model is a revision. The newest is the first.");
  const key = of.key.length > 1 ? [type, id] : [id];
  const open = elementLink(place.env, of, of.isOne ? [] : key);
  return heading(html`History of ${of.noun} <code>${key.join(" ")}</code>`, html`<a href=${open}>Open it as it is now</a>`, { link: placeLink(place.env, place.page), name: "History" });
}

function listing(place, found, filter, again) {
  if (!found.items.length) return nobody(place, found, filter);
  if (filter.kind && filter.id) return html`${timeline(place, found.items, again)}${pager(place, found.next_cursor)}`;
  const days = [...new Set(found.items.map((one) => dayOf(one.time)))];
  return html`${days.map((day) => table({
    caption: day,
    rows: found.items.filter((one) => dayOf(one.time) === day),
    link: (one) => placeLink(place.env, place.page, [one.revision]),
    columns: [
      { title: "Revision", cell: (one) => number(one.revision) },
      { title: "When", cell: (one) => when(one.time) },
      { title: "Who", cell: (one) => html`${actor(one.by)} ${wentRound(place.env, one)}` },
      { title: "Changes", cell: (one) => (one.entry ? changedText(one.entry.text) : changes(place, one)) },
    ],
  }))}${pager(place, found.next_cursor)}`;
}

// In the past of an element, each change of it can be undone.
function undoing(place, { revision, entry }, again) {
  if (!entry) return nothing;
  const { kind, id, type } = entry;
  const undo = () => undoDialog(place, revision, [{ kind, id, ...(type ? { type } : {}) }], { title: "Undo this change?", done: again });
  return html`<button class="link" type="button" aria-label=${`Undo the change of revision ${revision}`} @click=${undo}>Undo…</button>`;
}

// The past of one element is a line with a point for each change. Readers hear a list.
const timeline = (place, items, again) => html`<ol class="timeline" aria-label="Changes, the newest first">${items.map((one) => html`<li>
  <p><a href=${placeLink(place.env, place.page, [one.revision])}>Revision ${number(one.revision)}</a> ${when(one.time)} by ${actor(one.by)} ${wentRound(place.env, one)} ${may("write") ? undoing(place, one, again) : nothing}</p>
  ${one.entry ? changedText(one.entry.text) : changes(place, one)}</li>`)}</ol>`;

const dayOf = (time) => instant(time).slice(0, 10);

function nobody(place, found, filter) {
  if (found.next_cursor) return html`<p class="soft">Nothing was found in this part of the history. It goes on behind it.</p>${pager(place, found.next_cursor)}`;
  if (!Object.values(filter).some(Boolean)) return nothingYet("Nothing has changed yet. The first change makes revision 1.");
  return nothingYet("No revision fits the filter.", html`<p><a href=${placeLink(place.env, place.page)}>Show the whole history</a></p>`);
}

function changes(place, one) {
  const more = total(one.changes) - (one.elements?.length ?? 0);
  return html`${countsOf(one.changes)} ${origin(one.promotion)}
    ${one.elements?.length ? html`<ul class="plain">${one.elements.map((each) => html`<li>${namedChange(place.env, each)}</li>`)}
      ${more > 0 ? html`<li class="soft">and ${counted(more, "more", "more")}</li>` : nothing}</ul>` : nothing}`;
}

const total = (counts) => Object.entries(counts).reduce((sum, [list, one]) => (list === "gateway" ? sum : sum + one.added + one.changed + one.removed), 0);

// Returns where the policy model of a revision came from, if a promotion or a restoration made it.
export function origin(from) {
  if (!from) return nothing;
  if (from.restored) return html`<span class="badge">restored from revision ${number(from.from_revision)}</span>`;
  return html`<span class="badge">promoted from ${from.from}</span>`;
}

// Suggests elements of the kind and the type that are chosen beside it.
function named(typeahead) {
  const [kind, type] = ["kind", "type"].map((id) => /** @type {HTMLInputElement | null} */ (document.getElementById(id))?.value ?? "");
  const of = kindOf(kind);
  return of && !of.isOne ? typeahead.list("id", of.segment, { filter: of.key.length > 1 ? { type } : {} }) : nothing;
}

function filterForm(place, filter, typeahead) {
  const submit = (event) => {
    event.preventDefault();
    const given = Object.fromEntries(new FormData(event.target));
    const typed = kindOf(given.kind)?.key.length === 2 ? given.type : "";
    goTo(placeLink(place.env, place.page, [], { ...given, type: typed, since: instantOf(given.since), until: instantOf(given.until) }));
  };
  const field = (name, label, more = "") => html`<div><label for=${name}>${label}</label>
    <input id=${name} name=${name} class="mono" autocomplete="off" spellcheck="false" placeholder=${more} list=${name === "id" ? "id-list" : nothing} .value=${filter[name]}>${name === "id" ? named(typeahead) : nothing}</div>`;
  const time = (name, label) => html`<div><label for=${name}>${label}</label><input id=${name} name=${name} type="datetime-local" .value=${localInput(filter[name])}></div>`;
  const span = (hours) => placeLink(place.env, place.page, [], { ...filter, since: new Date(now() - hours * HOUR).toISOString(), until: "" });
  return html`<form class="card long" @submit=${submit} aria-label="Filter">
    <div class="bar">
      <div><label for="kind">Kind</label><select id="kind" name="kind">
        <option value="" .selected=${!filter.kind}>every kind</option>
        ${KINDS.map((one) => html`<option value=${one.name} .selected=${one.name === filter.kind}>${one.plural}</option>`)}
        <option value="gateway" .selected=${filter.kind === "gateway"}>Gateway settings</option></select></div>
      ${field("type", "Type", "of a subject or resource")}${field("id", "Id", "of an element")}${field("by", "Who")}
      ${time("since", "From")}${time("until", "Before")}
      <button type="submit">Show</button>
    </div>
    <p class="pager">${SPANS.map(([hours, text]) => html`<a href=${span(hours)}>${text}</a>`)}
      <a href=${placeLink(place.env, place.page)}>The whole history</a></p>
  </form>`;
}
