// One promotion or restoration, or a change of gateway settings that waited: where it came from, what became of it, and the approval of one that waits.

import { html, nothing } from "../core/html.js";
import { announce } from "../core/announcement.js";
import { get, path, post } from "../core/api.js";
import { refreshEnvironments } from "../core/environments.js";
import { placeLink } from "../core/place.js";
import { update } from "../core/update.js";
import { number } from "../core/words.js";
import { Act } from "../parts/act.js";
import { actor, ownName } from "../parts/actor.js";
import { Awaited } from "../parts/awaited.js";
import { countsOf, ElementChanges } from "../editing/element_changes.js";
import { difference } from "../editing/difference.js";
import { gateTests } from "../editing/gate_tests.js";
import { effectOnPeople } from "../editing/people.js";
import { heading } from "../parts/heading.js";
import { notice } from "../parts/notice.js";
import { editedBy } from "../editing/takeover.js";
import { when } from "../parts/when.js";

const STATES = {
  pending: ["warn", "! waits"],
  done: ["allow", "✓ done"],
  rejected: ["deny", "✕ rejected"],
};

const NOUNS = { promotion: "promotion", restoration: "restoration", gateway: "change of the gateway settings" };

// Returns where a policy model came from, or that it is none.
export function sourceOf(one) {
  if (one.kind === "gateway") return "gateway settings";
  const from = html`revision ${number(one.from_revision)}`;
  return one.kind === "restoration" ? html`back to ${from}` : html`<code>${one.from}</code> ${from}`;
}

// Returns the state of a promotion. A later one may have replaced what this one brought.
export function statusTag(one) {
  const [mood, text] = STATES[one.status];
  return html`<span class="tag ${mood}">${text}</span>`;
}

// The page of one promotion.
export function onePromotion(place, id) {
  const where = path`/v1/environments/${place.env}/promotions/${id}`;
  const found = new Awaited("the promotion", async (signal) => {
    const data = await get(where, { signal });
    const lost = new ElementChanges(place.env, data.accepted_drift ?? [], { also: editedBy, names: ["promoted", "edited"] });
    return { ...data, rows: new ElementChanges(null, data.elements ?? []), lost };
  });
  const state = { act: new Act(), reason: "" };
  const decide = (deed, body, text) => async () => {
    const decided = await state.act.run(() => post(`${where}/${deed}`, body()));
    if (!decided) return;
    announce(text);
    refreshEnvironments();
    found.again();
  };
  const deeds = {
    approve: (one) => decide("approve", () => ({ digest: one.digest }), "It is approved and in force."),
    reject: decide("reject", () => ({ reason: state.reason || null }), "It is rejected."),
  };
  return {
    get title() {
      return `${found.value ? nameOf(place, found.value) : "…"} · Promotion`;
    },
    isUnsaved: () => state.reason !== "" && found.value?.status === "pending",
    view: () => found.view((one) => html`${title(place, one)}
      ${one.status === "pending" ? waiting(one, state, deeds) : nothing}
      ${one.people ? html`<section>${effectOnPeople(place.env, one.people)}</section>` : nothing}
      ${gateTests(one.tests)}
      <section><h2>The ${NOUNS[one.kind]}</h2>${facts(place, one)}</section>
      ${one.status === "pending" ? html`<section><h2>What would change</h2>
        ${one.gateway ? settings(one.gateway) : one.elements?.length ? one.rows.view() : html`<p>Nothing: both policy models are the same.</p>`}
        ${one.truncated ? html`<p class="soft">There are more changes than are shown here.</p>` : nothing}</section>` : nothing}
      ${one.accepted_drift ? html`<section><h2>Edits in place that it overwrites</h2>${one.lost.view()}</section>` : nothing}`),
  };
}

function nameOf(place, one) {
  const names = { restoration: `Back to revision ${one.from_revision}`, gateway: `Gateway settings of ${place.env}` };
  return names[one.kind] ?? `${one.from} → ${place.env}`;
}

function title(place, one) {
  return heading(nameOf(place, one), statusTag(one), { link: placeLink(place.env, "promotion"), name: "Promotion" });
}

// The credential that asked for it can only take it back: the service wants another credential for the approval.
function waiting(one, state, deeds) {
  const isOwn = one.promoted_by === ownName();
  return html`<section><h2>Waiting for an approval</h2>
    ${notice("warn", isOwn
      ? html`<p>You asked for this with the credential that you are signed in with. Another credential must approve it.</p>`
      : html`<p>If you approve, exactly the changes below come into force at once.</p>`)}
    <label for="reason">Reason for a rejection</label>
    <input id="reason" maxlength="2000" autocomplete="off" .value=${state.reason}
      @input=${(event) => ((state.reason = event.target.value), update())}>
    ${state.act.trouble()}
    <p class="actions">
      ${isOwn ? nothing : html`<button type="button" ?disabled=${state.act.isBusy} @click=${deeds.approve(one)}>Approve</button>`}
      <button class="danger" type="button" ?disabled=${state.act.isBusy} @click=${deeds.reject}>${isOwn ? "Take it back" : "Reject"}</button></p>
  </section>`;
}

// They say which input from gateways counts, so who gains by them depends on the requests, and not on the model.
const settings = ({ before, after }) => html`${before ? nothing : html`<p>There are no gateway settings yet.</p>`}${after ? nothing : html`<p>There would be no gateway settings any more.</p>`}
  ${difference(before, after)}
  <p class="soft">They say which input from gateways Writ believes. No role, group, grant or policy changes.</p>
  <details><summary>Both as JSON</summary><dl>
    <dt>Before</dt><dd>${written(before)}</dd>
    <dt>After</dt><dd>${written(after)}</dd></dl></details>`;

const written = (one) => (one ? html`<pre tabindex="0">${JSON.stringify(one, null, 2)}</pre>` : "no gateway settings");

function facts(place, one) {
  const link = (revision) => html`<a href=${placeLink(place.env, "history", [revision])}>revision ${number(revision)}</a>`;
  return html`<dl>
    <dt>From</dt><dd>${sourceOf(one)}</dd>
    ${one.revision ? html`<dt>Made</dt><dd>${link(one.revision)}</dd>` : nothing}
    <dt>Changes</dt><dd>${countsOf(one.changes)}</dd>
    <dt>Asked for by</dt><dd>${actor(one.promoted_by)}, ${when(one.time)}</dd>
    ${one.decided_by ? html`<dt>${one.status === "rejected" ? "Rejected" : "Approved"} by</dt><dd>${actor(one.decided_by)}, ${when(one.decided_at)}</dd>` : nothing}
    ${one.renames?.length ? html`<dt>Renames</dt><dd>${one.renames.map(({ from, to }) => html`<p>role <code>${from}</code> becomes <code>${to}</code>; its assignments are carried over</p>`)}</dd>` : nothing}
    ${one.note ? html`<dt>Note</dt><dd class="text">${one.note}</dd>` : nothing}
    ${one.reason ? html`<dt>Reason</dt><dd class="text">${one.reason}</dd>` : nothing}
    <dt>Digest</dt><dd><code>${one.digest}</code></dd>
  </dl>`;
}
