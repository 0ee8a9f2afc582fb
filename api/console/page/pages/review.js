// The access review: one page for a subject or a role that a manager can read, print and sign.

import { html, nothing } from "../core/html.js";
import { get, path, post } from "../core/api.js";
import { resourceTypes } from "../core/asking.js";
import { now } from "../core/clock.js";
import { environmentOf } from "../core/environments.js";
import { goTo, placeLink } from "../core/place.js";
import { signedIn } from "../core/session.js";
import { instant } from "../core/words.js";
import { actions, term } from "../editing/phrases.js";
import { sourceList } from "../editing/right_sources.js";
import { Awaited } from "../parts/awaited.js";
import { heading } from "../parts/heading.js";
import { listPage } from "../parts/list.js";
import { nothingYet } from "../parts/notice.js";
import { tag } from "../parts/proof.js";
import { prose } from "../parts/prose.js";
import { isNone, marked, rightsOn } from "../parts/rights.js";
import { table } from "../parts/table.js";
import { Typeahead } from "../parts/typeahead.js";

const MOST_POLICIES = 1_000;

export function page(place) {
  const [kind, ...key] = place.given;
  if (kind === "subject" && key.length === 2 && key.every(Boolean)) return subjectReview(place, { type: key[0], id: key[1] });
  if (kind === "role" && key.length === 1 && key[0]) return roleReview(place, key[0]);
  const typeahead = new Typeahead(place.env);
  return { title: "Access review", view: () => choice(place, typeahead) };
}

function choice(place, typeahead) {
  const open = (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const [type, id] = ["type", "id"].map((name) => String(given.get(name)));
    const key = given.has("type") ? ["subject", type, id] : ["role", id];
    goTo(placeLink(place.env, "review", key));
  };
  return html`${heading("Access review", "One page for a subject or a role, to read, print and sign.")}
    <div class="halves">
      <section><h2>Of a subject</h2><form @submit=${open}>
        <label for="subject-id">Subject: type and id</label>
        <div class="pair"><input name="type" class="mono" aria-label="Subject type" value="user" required>
          <input id="subject-id" name="id" class="mono" list="subject-id-list" required autocomplete="off">${typeahead.list("subject-id", "subjects")}</div>
        <p class="actions"><button type="submit">Open the review</button></p></form></section>
      <section><h2>Of a role</h2><form @submit=${open}>
        <label for="role-id">Role</label><input id="role-id" name="id" class="mono" list="role-id-list" required autocomplete="off">${typeahead.list("role-id", "roles")}
        <p class="actions"><button class="plain" type="submit">Open the review</button></p></form></section>
    </div>`;
}

function subjectReview(place, subject) {
  const { env } = place;
  const where = path`/v1/environments/${env}/subjects/${subject.type}/${subject.id}`;
  const held = new Awaited("what the subject holds", (signal) => get(`${where}/holdings`, { signal }));
  const rights = new Awaited("the rights", (signal) => rightsOf(env, subject, signal));
  return {
    title: `${subject.id} · Access review`,
    view: () => html`${top(place, subject.id, "What this subject holds, what it may do, and where each right comes from.")}
      ${held.view((found) => html`<section><h2>Attributes</h2>${attributes(found.subject)}</section>
        <section><h2>Roles and groups</h2>${roles(env, found)}</section>
        <section><h2>Direct grants</h2>${grants(env, found.grants)}</section>
        ${found.truncated ? html`<p class="notice warn">This subject holds more than one page can list.</p>` : nothing}`)}
      <section><h2>Rights</h2>${rights.view((found) => rightsTable(found))}</section>
      ${signature()}`,
  };
}

// Asks for all types and actions; the rows stay in the order of the model. The service says where each right comes from.
async function rightsOf(env, subject, signal) {
  const types = await resourceTypes(env, signal);
  const [cells] = await rightsOn(env, [subject], types, signal, true);
  return cells.filter((cell) => !isNone(cell)).map(({ type, action, ...cell }) => ({ env, type: type.id, action, cell }));
}

function rightsTable(rows) {
  if (!rows.length) return nothingYet("No policy and no grant gives this subject a right.");
  return table({
    caption: "All: on every resource. Some: on those that conditions or grants select. If: it depends on what a request says besides, or on the time.",
    columns: [
      { title: "Resource type", cell: (row) => html`<code>${row.type}</code>` },
      { title: "Action", cell: (row) => html`<code>${row.action}</code>` },
      { title: "On", cell: (row) => marked(row.cell) },
      { title: "Comes from", cell: sources },
    ],
    rows,
  });
}

function sources({ env, cell }) {
  return html`${sourceList(env, cell.sources)}${cell.cut ? html`<p class="soft">and more</p>` : nothing}`;
}

function attributes(subject) {
  const rows = Object.entries(subject.attributes ?? {});
  if (!rows.length) return nothingYet("No attributes are stored. A subject that only a group, an assignment or a grant names has no entry.");
  return html`<dl>${rows.map(([name, one]) => html`<dt><code>${name}</code></dt><dd><code>${JSON.stringify(one)}</code></dd>`)}</dl>`;
}

function roles(env, held) {
  if (!held.roles.length) return nothingYet("This subject holds no role.");
  const rows = held.roles.flatMap((role) => role.assignments.map((one) => ({ role: role.role, ...one })));
  const through = new Map(held.groups.map((one) => [one.id, one.through ?? []]));
  return table({
    columns: [
      { title: "Role", cell: (row) => html`<a href=${placeLink(env, "roles", [row.role])}><code>${row.role}</code></a>` },
      { title: "From", cell: (row) => (row.group ? groupPath(env, row.group, through.get(row.group)) : "assigned to the subject itself") },
      { title: "Starts", cell: (row) => (row.starts_at ? instant(row.starts_at) : "") },
      { title: "Expires", cell: (row) => (row.expires_at ? instant(row.expires_at) : "never") },
      { title: "Term", cell: term },
    ],
    rows,
  });
}

function groupPath(env, group, through = []) {
  const steps = [...through.filter((one) => one !== group), group];
  return html`group ${steps.map((one, at) => html`${at ? " in " : ""}<a href=${placeLink(env, "groups", [one])}><code>${one}</code></a>`)}`;
}

function grants(env, found) {
  if (!found.length) return nothingYet("This subject has no direct grant.");
  return table({
    columns: [
      { title: "Grant", cell: (row) => html`<a href=${placeLink(env, "grants", [row.id])}><code>${row.id}</code></a>` },
      { title: "To", cell: (row) => (row.group ? html`group <code>${row.group}</code>` : "the subject itself") },
      { title: "Resource", cell: (row) => html`<code>${row.resource.type}</code> <code>${row.resource.id}</code>` },
      { title: "Actions", cell: (row) => actions(row.actions) },
      { title: "Starts", cell: (row) => (row.starts_at ? instant(row.starts_at) : "") },
      { title: "Expires", cell: (row) => (row.expires_at ? instant(row.expires_at) : "never") },
      { title: "Term", cell: term },
    ],
    rows: found,
  });
}

function roleReview(place, role) {
  const { env } = place;
  const query = { role, limit: 100, cursor: place.query.get("cursor") };
  const holders = new Awaited("the holders", (signal) => get(path`/v1/environments/${env}/assignments`, { query, signal }));
  const policies = new Awaited("the policies", (signal) => policiesOf(env, role, signal));
  return {
    title: `${role} · Access review`,
    view: () => html`${top(place, role, "Who holds this role, and what its policies say.")}
      <section><h2>Holders</h2>${holders.view((found) => holdersTable(place, found))}</section>
      <section><h2>Policies</h2>${policies.view((found) => found.length ? found.map((one) => policyText(env, one)) : nothingYet("No policy names this role."))}</section>
      ${signature()}`,
  };
}

async function policiesOf(env, role, signal) {
  const found = await get(path`/v1/environments/${env}/policies`, { query: { role, limit: MOST_POLICIES }, signal });
  const read = (policy) => post(path`/v1/environments/${env}/policies:convert`, { policy }, { signal });
  return Promise.all(found.items.map(async (policy) => ({ policy, ...(await read(policy)) })));
}

function holdersTable(place, found) {
  const { env } = place;
  return listPage(place, found, {
    empty: "This role has no holder.",
    columns: [
      { title: "Holder", cell: (row) => row.group ? html`group <a href=${placeLink(env, "groups", [row.group])}><code>${row.group}</code></a>` : html`<a href=${placeLink(env, "subjects", [row.subject.type, row.subject.id])}><code>${row.subject.id}</code></a>` },
      { title: "Starts", cell: (row) => (row.starts_at ? instant(row.starts_at) : "") },
      { title: "Expires", cell: (row) => (row.expires_at ? instant(row.expires_at) : "never") },
      { title: "Term", cell: term },
    ],
  });
}

const policyText = (env, one) => html`<div class="policy"><p>${tag(one.policy.effect)}<a class="name" href=${placeLink(env, "policies", [one.policy.id])}>${one.policy.name ?? one.policy.id}</a></p>
  <p class="name">${prose(one.sentence)}</p></div>`;

function top(place, name, about) {
  const revision = environmentOf(place.env)?.revision;
  return html`${heading(name, about, { link: placeLink(place.env, "review"), name: "Access review" })}
    <p class="soft">Environment <code>${place.env}</code>, revision ${revision}, read on ${instant(now())} by
      <span class="name">${signedIn()?.name ?? "the administrator"}</span>. <button class="quiet" type="button" @click=${() => window.print()}>Print</button></p>`;
}

const signature = () => html`<section class="signature"><h2>Reviewed</h2>
  <dl><dt>Name</dt><dd class="line"></dd><dt>Date</dt><dd class="line"></dd><dt>Signature</dt><dd class="line"></dd></dl></section>`;
