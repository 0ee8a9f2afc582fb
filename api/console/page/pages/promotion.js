// Promotion: what was edited in place, the policy models of other environments to take over, and those taken over before.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { environmentOf } from "../core/environments.js";
import { goTo, placeLink } from "../core/place.js";
import { number } from "../core/words.js";
import { actor } from "../parts/actor.js";
import { Awaited } from "../parts/awaited.js";
import { ElementChanges, countsOf } from "../editing/element_changes.js";
import { heading } from "../parts/heading.js";
import { listPage } from "../parts/list.js";
import { fileButtons, listFiles } from "../parts/list_files.js";
import { nothingYet } from "../parts/notice.js";
import { table } from "../parts/table.js";
import { editedBy, Takeover } from "../editing/takeover.js";
import { when } from "../parts/when.js";
import { knownEnvironments } from "./credential_fields.js";
import { onePromotion, sourceOf, statusTag } from "./promotion_record.js";

const ROWS = 20;
const MOST_PENDING = 100; // the service lets no more wait

const MEMBERS = ["id", "kind", "status", "time", "promoted_by", "from", "from_revision", "revision", "changes", "note", "decided_by", "decided_at", "reason"];

export function page(place) {
  const [id] = place.given;
  if (id !== undefined) return onePromotion(place, id);
  const source = place.query.get("from");
  return source ? preview(place, source) : overview(place);
}

function overview(place) {
  const where = path`/v1/environments/${place.env}`;
  const drift = new Awaited("the edits in place", async (signal) => {
    const data = await get(`${where}/drift`, { signal });
    return { ...data, rows: new ElementChanges(place.env, data.changes, { also: editedBy, names: ["promoted", "edited"] }) };
  });
  const list = (query, what) => new Awaited(what, (signal) => get(`${where}/promotions`, { query, signal }));
  const pending = list({ pending: true, limit: MOST_PENDING }, "the promotions that wait");
  const done = list({ limit: ROWS, cursor: place.query.get("cursor") }, "the promotions");
  const files = listFiles(`${place.env}-promotions`, MEMBERS, (query, signal) => get(`${where}/promotions`, { query, signal }));
  const known = knownEnvironments();
  return {
    title: "Promotion",
    view: () => html`${heading("Promotion", html`Take over the policies of another environment into <span class="name">${place.env}</span>.`)}
      ${pending.view((found) => waitingList(place, found))}
      <div class="halves">
        <section><h2>Promote</h2>${sourceForm(place, known.value ?? [])}</section>
        <section><h2>Edits in place</h2>${drift.view((found) => edits(place, found))}</section>
      </div>
      <section><h2>Promotions and restorations</h2>${done.view((found) => promotions(place, found))}${done.value?.items.length ? fileButtons(files) : nothing}</section>`,
  };
}

function waitingList(place, found) {
  if (!found.items.length) return nothing;
  return html`<section><h2>Waiting for an approval</h2>${table({
    rows: found.items,
    link: (one) => placeLink(place.env, place.page, [one.id]),
    columns: [
      { title: "From", cell: sourceOf },
      { title: "Asked for by", cell: (one) => actor(one.promoted_by) },
      { title: "When", cell: (one) => when(one.time) },
      { title: "Changes", cell: (one) => countsOf(one.changes) },
      { title: "Note", cell: (one) => (one.note ? html`<span class="name">${one.note}</span>` : nothing) },
    ],
  })}</section>`;
}

function sourceForm(place, known) {
  const here = environmentOf(place.env);
  const submit = (event) => {
    event.preventDefault();
    goTo(placeLink(place.env, place.page, [], { from: String(new FormData(event.target).get("from")).trim() }));
  };
  return html`<p class="soft">It replaces the opt-ins, resource types, roles, policies, routes, declared attributes and silenced lints.
      Groups, subjects, resources, assignments and grants stay.
      ${here?.approvals ? "Another credential must approve it." : ""}</p>
    <form @submit=${submit}>
      <label for="from">From environment</label>
      <input id="from" name="from" class="mono" list="environments-known" required autocomplete="off" spellcheck="false" data-search>
      <datalist id="environments-known">${known.filter((one) => one !== place.env).map((one) => html`<option value=${one}></option>`)}</datalist>
      <p class="actions"><button type="submit">Show what would change</button></p>
    </form>`;
}

function edits(place, found) {
  if (!found.baseline) return nothingYet(html`Nothing was promoted to <code>${place.env}</code> yet, so no edit is noticed.`);
  const since = html`revision <a href=${placeLink(place.env, "history", [found.baseline.baseline])}>${number(found.baseline.baseline)}</a>`;
  if (!found.drifted) return html`<p><span class="mark yes" aria-hidden="true">✓</span>Nothing was edited since the promotion of ${since}.</p>`;
  return html`<p><span class="mark gone" aria-hidden="true">!</span>These elements were edited since the promotion of ${since}.
      The next promotion is refused until they are taken over, or accepted as lost.</p>
    ${found.rows.view()}${found.truncated ? html`<p class="soft">There are more edits than are shown here.</p>` : nothing}`;
}

function promotions(place, found) {
  return listPage(place, found, {
    empty: "Nothing was promoted or restored here yet.",
    link: (one) => placeLink(place.env, place.page, [one.id]),
    columns: [
      { title: "From", cell: sourceOf },
      { title: "State", cell: statusTag },
      { title: "Revision", isNumber: true, cell: (one) => (one.revision ? number(one.revision) : nothing) },
      { title: "Asked for by", cell: (one) => actor(one.promoted_by) },
      { title: "When", cell: (one) => when(one.time) },
      { title: "Changes", cell: (one) => countsOf(one.changes) },
    ],
  });
}

function preview(place, source) {
  const asked = new Takeover({
    env: place.env,
    what: "what the promotion would do",
    where: path`/v1/environments/${place.env}/promotions`,
    body: { from: source },
    button: `Promote to ${place.env}`,
    mayAccept: true,
    done: (made) => goTo(placeLink(place.env, place.page, [made.id])),
  });
  const trail = { link: placeLink(place.env, place.page), name: "Promotion" };
  const about = html`The policies of <span class="name">${source}</span> for <span class="name">${place.env}</span>. Nothing is changed until you promote.`;
  return { title: `${source} → ${place.env} · Promotion`, view: () => html`${heading(`${source} → ${place.env}`, about, trail)}${asked.view()}` };
}
