// The parts beside the lists and elements of the model: the rights that an element gives, and the elements that belong to it.

import { html, nothing } from "../core/html.js";
import { get } from "../core/api.js";
import { questionLink, withStored } from "../core/asking.js";
import { SUBJECT } from "../core/kinds.js";
import { placeLink } from "../core/place.js";
import { elementPath, isAbsent } from "../editing/draft.js";
import { effectTag } from "../editing/effect.js";
import { expiringSoon } from "../editing/expiring.js";
import { GroupTree } from "../editing/group_tree.js";
import { holdings } from "../editing/holdings.js";
import { joining } from "../editing/joining.js";
import { actions, entity, holder, link, term } from "../editing/phrases.js";
import { related } from "../editing/related.js";
import { Awaited } from "../parts/awaited.js";
import { graph } from "../parts/graph.js";
import { pager } from "../parts/list.js";

const NAMELESS = "Nothing in the model names this subject, so it holds nothing but what everyone has.";

const policy = (env, one) => html`${effectTag(one)}${link(env, "policies", one.id, one.name ?? one.id)}`;
const bySource = (env, segment, noun, one) => html`<span class="soft">by ${link(env, segment, one.id, noun)}</span> ${term(one)}`;

export function ofRole(env, role) {
  const lists = related(env, [
    {
      ...{ title: "Policies that name it", segment: "policies", query: { role: role.id } },
      row: (one) => policy(env, one),
      empty: "No policy names this role, so it gives nothing.",
    },
    {
      ...{ title: "Who holds it", segment: "assignments", query: { role: role.id } },
      row: (one) => html`${holder(env, one)} ${bySource(env, "assignments", "assignment", one)}`,
      empty: "This role has no holder.",
    },
  ]);
  const around = graph(env, { role: role.id });
  return () => html`${lists()}${around()}<section><h2>What it gives</h2><p><a href=${placeLink(env, "review", ["role", role.id])}>Open its access review</a></p></section>`;
}

export function ofGroup(env, group) {
  const lists = related(env, [
    {
      ...{ title: "Roles of the group", segment: "assignments", query: { group: group.id } },
      row: (one) => html`${link(env, "roles", one.role)} ${bySource(env, "assignments", "assignment", one)}`,
      empty: "No role is assigned to this group itself.",
    },
    {
      ...{ title: "Direct grants of the group", segment: "grants", query: { group: group.id } },
      row: (one) => html`${actions(one.actions)} on ${entity(env, "resources", one.resource)} ${bySource(env, "grants", "grant", one)}`,
      empty: "This group itself has no direct grants.",
    },
    {
      ...{ title: "Groups that contain it", segment: "groups", query: { "members.group": group.id } },
      row: (one) => link(env, "groups", one.id, one.name ?? one.id),
      empty: "No group contains it.",
    },
  ]);
  const around = graph(env, { group: group.id });
  return () => html`${lists()}${around()}`;
}

// Draws the list of groups as a tree. What is open stays open until the list is read again.
export function groupTree(place) {
  /** @type {GroupTree | null} */
  let tree = null;
  let drawn = null;
  return (items, found) => {
    if (!tree || drawn !== found) tree = new GroupTree(place.env, items);
    drawn = found;
    return html`${tree.view()}${pager(place, found.next_cursor)}`;
  };
}

export function ofSubject(env, one, suggestions) {
  const found = new Awaited("what the subject holds", (signal) => held(env, one, signal));
  const join = joining(env, one, suggestions, () => found.again());
  const around = graph(env, { "subject.type": one.type, "subject.id": one.id });
  return () => found.view((all) => (all ? html`${holdings(env, one, all, join)}${around()}` : html`<section><h2>Roles, and why</h2><p class="soft">${NAMELESS}</p></section><section><h2>Groups</h2>${join()}</section>`));
}

// Returns what a subject holds, or null if the model does not name it.
async function held(env, { type, id }, signal) {
  try {
    return await get(`${elementPath(env, SUBJECT, [type, id])}/holdings`, { signal });
  } catch (problem) {
    if (isAbsent(problem, SUBJECT)) return null;
    throw problem;
  }
}

export const ofResourceType = (env, type) =>
  related(env, [
    {
      ...{ title: "Policies that cover it", segment: "policies", query: { resource_type: type.id } },
      row: (one) => policy(env, one),
      empty: "No policy names this type.",
    },
    {
      ...{ title: "Its resources", segment: "resources", query: { type: type.id } },
      row: (one) => entity(env, "resources", one),
      empty: "No resource of this type is registered.",
    },
    {
      ...{ title: "Its routes", segment: "routes", query: { resource_type: type.id } },
      row: (one) => html`${link(env, "routes", one.id)} <code>${one.path}</code>`,
      empty: "No route leads to this type.",
    },
  ]);

export function ofResource(env, one, suggestions) {
  const grants = related(env, [
    {
      ...{ title: "Direct grants on it", segment: "grants", query: { "resource.type": one.type, "resource.id": one.id } },
      row: (grant) => html`${holder(env, grant)}: ${actions(grant.actions)} ${bySource(env, "grants", "grant", grant)}`,
      empty: "This resource has no direct grants.",
    },
  ]);
  return () => html`${grants()}${whoCan(env, one, suggestions.of("resource-types").find((type) => type.id === one.type))}`;
}

// Asks for each action who can do it, with the attributes that are registered.
function whoCan(env, one, type) {
  if (!type) return nothing;
  const resource = { type: type.name ?? type.id, id: one.id };
  const question = (name) => withStored({ subject: { type: "user" }, action: { name }, resource });
  return html`<section><h2>Who can…</h2><ul class="chips">${type.actions.map(
    (name) => html`<li><a href=${questionLink(env, "who-can", question(name))}><code>${name}</code></a></li>`)}</ul></section>`;
}

const assignment = (env, one) => html`${holder(env, one)} holds ${link(env, "roles", one.role)}`;
const grant = (env, one) => html`${holder(env, one)} may do ${actions(one.actions)} on ${entity(env, "resources", one.resource)}`;

export const endingAssignments = (place) => expiringSoon(place, "assignments", (one) => assignment(place.env, one));
export const endingGrants = (place) => expiringSoon(place, "grants", (one) => grant(place.env, one));
export const ofAssignment = (env, one) => () => given(assignment(env, one), one);
export const ofGrant = (env, one) => () => given(grant(env, one), one);

const given = (sentence, one) => html`<section><h2>What it gives</h2>
  <p>${sentence}.</p>${one.expires_at || one.starts_at ? html`<p>${term(one)}</p>` : nothing}</section>`;

export const ofRoute = (env, one) => () => html`<section><h2>What it means</h2>
  <p>A request with the method ${one.methods.includes("*") ? "of any name" : one.methods.join(" or ")} to <code>${one.path}</code>
  asks for ${meaningOf(env, one)}, unless an earlier route matches it.</p>
  ${one.anonymous ? html`<p>Without a credential, it asks for the anonymous subject of the gateway settings, if they name one.</p>` : nothing}</section>`;

// Returns the action and the resource that a route names.
export const meaningOf = (env, one) => html`<code>${one.action}</code> on ${link(env, "resource-types", one.resource_type)} ${named(one)}`;

function named(one) {
  if (one.external_id !== undefined) return html`external id <code>${one.external_id}</code>`;
  const id = one.resource_id ?? (one.path.includes("{id}") ? "{id}" : null);
  return id === null ? "" : html`<code>${id}</code>`;
}
