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
import { nothingYet } from "../parts/notice.js";
import { wentRound } from "../parts/round_approvals.js";
import { Takeover } from "../editing/takeover.js";
import { difference } from "../editing/difference.js";
import { undoDialog } from "../editing/undo.js";
import { when } from "../parts/when.js";
import { origin, revisions } from "./history_list.js";

const ENTRIES = 50;

export function page(place) {
  const [revision, deed] = place.given;
  if (revision === undefined) return revisions(place);
  return deed === "restore" ? restoration(place, revision) : oneRevision(place, revision);
}

const historyLink = (place, ...given) => placeLink(place.env, "history", given);
const trailOf = (place) => ({ link: historyLink(place), name: "History" });

function oneRevision(place, revision) {
  const query = { limit: ENTRIES, cursor: place.query.get("cursor") };
  const where = path`/v1/environments/${place.env}/revisions/${revision}`;
  const found = new Awaited("the revision", async (signal) => {
    const data = await get(where, { query, signal });
    return { ...data, rows: new ElementChanges(place.env, data.entries, { undo: may("write") ? (one) => undoOne(data, one) : null }) };
  });
  const began = (data, elements, more) => undoDialog(place, data.revision, elements, { ...more, done: () => found.again() });
  const undoOne = (data, { kind, id, type }) => began(data, [{ kind, id, ...(type === undefined ? {} : { type }) }], { title: "Undo this change?" });
  const undoAll = (data) => began(data, null, { title: `Undo revision ${data.revision}?`, all: data.next_cursor || place.query.get("cursor") ? [] : data.entries });
  return {
    title: `Revision ${revision}`,
    view: () => html`${heading(`Revision ${revision}`, html`What it changed in <span class="name">${place.env}</span>.`, trailOf(place))}
      ${doneNotice(place, () => found.again())}
      ${found.view((one) => html`<section><h2>The change</h2>${facts(place, one)}
          ${mayUndo(one) ? html`<p class="actions"><button class="quiet" type="button" @click=${() => undoAll(one)}>Undo this revision…</button></p>` : nothing}</section>
        <section><h2>Its elements</h2>
          ${one.entries.length ? one.rows.view() : one.gateway ? difference(one.gateway.before, one.gateway.after) : nothingYet(noEntries(one))}
          ${pager(place, one.next_cursor)}</section>
        ${neighbours(place, one)}`)}`,
  };
}

const mayUndo = (one) => may(one.changes.gateway ? "admin" : "write");

// The gateway settings are no element, and the order of routes has no bodies to compare.
function noEntries(one) {
  if (one.changes.gateway) return "It changed the gateway settings. An administrator sees them, as long as the audit log has them.";
  return one.changes.routes?.moved ? "It put routes into another order." : "No element differs.";
}

function facts(place, one) {
  return html`<dl>
    <dt>When</dt><dd>${when(one.time)}</dd>
    <dt>Who</dt><dd>${actor(one.by)} ${wentRound(place.env, one)}</dd>
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
