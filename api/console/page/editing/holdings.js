// Everything that a subject holds, and why: its groups with the way there, its roles, and its direct grants.

import { html, nothing } from "../core/html.js";
import { questionLink, withStored } from "../core/asking.js";
import { placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { notice } from "../parts/notice.js";
import { actions, entity, link, term } from "./phrases.js";

// Returns the drawing of the answer of `…/holdings`. `join()` draws what adds the subject to a group.
export function holdings(env, subject, held, join = () => /** @type {Drawing} */ (nothing)) {
  const whose = { "subject.type": subject.type, "subject.id": subject.id };
  return html`
    ${held.truncated ? notice("warn", html`<p>The subject holds more than is shown here.</p>`) : nothing}
    <section><h2>Roles, and why</h2>
      ${held.roles.length ? html`<ul class="plain">${held.roles.map((one) => role(env, one, held.groups))}</ul>` : html`<p class="soft">It holds no role.</p>`}
      ${may("write") ? html`<p><a href=${placeLink(env, "assignments", [], { new: "yes", ...whose })}>Assign a role</a></p>` : nothing}</section>
    <section><h2>Groups</h2>
      ${held.groups.length ? html`<ul class="plain">${held.groups.map((one) => html`<li>${way(env, one)}</li>`)}</ul>` : html`<p class="soft">It is in no group.</p>`}${join()}</section>
    <section><h2>Direct grants</h2>
      ${held.grants.length
        ? html`<ul class="plain">${held.grants.map((one) => html`<li>${actions(one.actions)} on ${entity(env, "resources", one.resource)}
            ${one.group === undefined ? nothing : html`<span class="soft">through group ${way(env, held.groups.find((group) => group.id === one.group) ?? { id: one.group, through: [] })},</span>`}
            <span class="soft">by ${link(env, "grants", one.id, "grant")}</span> ${term(one)}</li>`)}</ul>
            <p><a href=${placeLink(env, "grants", [], whose)}>Show all</a></p>`
        : html`<p class="soft">It has no direct grants.</p>`}
      ${may("write") ? html`<p><a href=${placeLink(env, "grants", [], { new: "yes", ...whose })}>Grant something</a></p>` : nothing}</section>
    <section><h2>What it may do</h2><p><a href=${placeLink(env, "review", ["subject", subject.type, subject.id])}>Open its access review</a>,
      or ask <a href=${questionLink(env, "what-can", withStored({ subject: { type: subject.type, id: subject.id } }))}>what it can see</a>.</p></section>`;
}

function role(env, one, groups) {
  return html`<li>${link(env, "roles", one.role)}<ul class="why">${one.assignments.map((by) => html`<li class="soft">
    ${by.group === null ? "assigned to it" : html`through group ${way(env, groups.find((group) => group.id === by.group) ?? { id: by.group, through: [] })}`},
    by ${link(env, "assignments", by.assignment, "assignment")} ${term(by)}</li>`)}</ul></li>`;
}

// A group with the groups through which the subject is in it, the direct one first.
function way(env, { id, through }) {
  const steps = through.filter((one) => one !== id);
  return html`${steps.map((one) => html`${link(env, "groups", one)} → `)}${link(env, "groups", id)}`;
}
