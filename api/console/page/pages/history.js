// The history of the environment: its revisions, what one of them changed, and the way back to it.

import { html, nothing } from "../core/html.js";
import { get, path, post } from "../core/api.js";
import { environmentOf } from "../core/environments.js";
import { goTo, placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { number } from "../core/words.js";
import { actor } from "../parts/actor.js";
import { Awaited } from "../parts/awaited.js";
import { doneNotice, noteDone } from "../parts/done.js";
import { countsOf, ElementChanges } from "../editing/element_changes.js";
import { heading } from "../parts/heading.js";
import { pager } from "../parts/list.js";
import { pageOfLists } from "../parts/list_page.js";
import { nothingYet } from "../parts/notice.js";
import { Takeover } from "../editing/takeover.js";
import { when } from "../parts/when.js";

const ENTRIES = 50;

export function page(place) {
  const [revision, deed] = place.given;
  if (revision === undefined) return revisions(place);
  return deed === "restore" ? restoration(place, revision) : oneRevision(place, revision);
}

const historyLink = (place, ...given) => placeLink(place.env, "history", given);
const trailOf = (place) => ({ link: historyLink(place), name: "History" });

function revisions(place) {
  return pageOfLists(place, { title: "History", about: "Every change of the model is a revision. The newest is the first." }, {
    what: "the history", where: path`/v1/environments/${place.env}/revisions`, limit: 50, label: "Revisions",
    empty: "Nothing has changed yet. The first change makes revision 1.",
    link: (one) => historyLink(place, one.revision),
    columns: [
      { title: "Revision", cell: (one) => number(one.revision) },
      { title: "When", cell: (one) => when(one.time) },
      { title: "Who", cell: (one) => actor(one.by) },
      { title: "Changes", cell: (one) => html`${countsOf(one.changes)} ${origin(one.promotion)}` },
    ],
  });
}

// Returns where the policy model of a revision came from, if a promotion or a restoration made it.
function origin(from) {
  if (!from) return nothing;
  if (from.restored) return html`<span class="badge">restored from revision ${number(from.from_revision)}</span>`;
  return html`<span class="badge">promoted from ${from.from}</span>`;
}

function oneRevision(place, revision) {
  const query = { limit: ENTRIES, cursor: place.query.get("cursor") };
  const where = path`/v1/environments/${place.env}/revisions/${revision}`;
  const found = new Awaited("the revision", async (signal) => {
    const data = await get(where, { query, signal });
    return { ...data, rows: new ElementChanges(place.env, data.entries) };
  });
  return {
    title: `Revision ${revision}`,
    view: () => html`${heading(`Revision ${revision}`, html`What it changed in <span class="name">${place.env}</span>.`, trailOf(place))}
      ${doneNotice(place, () => found.again())}
      ${found.view((one) => html`<section><h2>The change</h2>${facts(place, one)}</section>
        <section><h2>Its elements</h2>
          ${one.entries.length ? one.rows.view() : nothingYet(noEntries(one))}
          ${pager(place, one.next_cursor)}</section>
        ${neighbours(place, one)}`)}`,
  };
}

// The gateway settings are no element, and the order of routes has no bodies to compare.
function noEntries(one) {
  if (one.changes.gateway) return "It changed the gateway settings. The audit log has them before and after.";
  return one.changes.routes?.moved ? "It put routes into another order." : "No element differs.";
}

function facts(place, one) {
  return html`<dl>
    <dt>When</dt><dd>${when(one.time)}</dd>
    <dt>Who</dt><dd>${actor(one.by)}</dd>
    <dt>Changes</dt><dd>${countsOf(one.changes)}</dd>
    ${one.promotion ? html`<dt>Comes from</dt><dd>${origin(one.promotion)}
      ${may("admin") ? html`<a href=${placeLink(place.env, "promotion", [one.promotion.id])}>${one.promotion.restored ? "the restoration" : "the promotion"}</a>` : nothing}
      ${one.promotion.note ? html`<p class="text">${one.promotion.note}</p>` : nothing}</dd>` : nothing}
  </dl>`;
}

function neighbours(place, one) {
  const newest = environmentOf(place.env)?.revision;
  return html`<p class="pager">
    ${one.revision > 1 ? html`<a href=${historyLink(place, one.revision - 1)}>Revision ${number(one.revision - 1)}</a>` : nothing}
    ${newest > one.revision ? html`<a href=${historyLink(place, one.revision + 1)}>Revision ${number(one.revision + 1)}</a>` : nothing}
    ${may("write") && newest !== one.revision ? html`<a href=${historyLink(place, one.revision, "restore")}>Go back to this revision…</a>` : nothing}
  </p>`;
}

function restoration(place, revision) {
  const asked = new Takeover({
    env: place.env,
    what: "what the restoration would do",
    where: path`/v1/environments/${place.env}/revisions/${revision}/restore`,
    button: `Restore revision ${revision}`,
    done: (made) => {
      if (made.status === "pending") return goTo(placeLink(place.env, "promotion", [made.id]));
      const link = historyLink(place, made.revision);
      const undo = () => post(path`/v1/environments/${place.env}/revisions/${made.revision - 1}/restore`, {});
      noteDone({ link, text: `The policies of revision ${revision} are in force again`, undo, leadsTo: historyLink(place) });
      return goTo(link);
    },
  });
  return {
    title: `Restore revision ${revision}`,
    isUnsaved: () => false,
    view: () => html`${heading(`Go back to revision ${revision}`, `Its resource types, roles, policies and routes come into force again, as a new revision. Groups, subjects, resources, assignments and grants stay.`, trailOf(place))}
      ${asked.view()}`,
  };
}
