// Elements of the model in one line each, with links to the elements that they name.

import { html, nothing } from "../core/html.js";
import { now } from "../core/clock.js";
import { placeLink } from "../core/place.js";
import { distance, instant } from "../core/words.js";
import { elementName } from "./element_names.js";

const SOON = 7 * 86_400_000; // milliseconds before an end that is worth a mark

// Returns a link to the page of an element: its given `name`, or its id with the name that it is known by.
/** @type {(env: string, segment: string, key: any, name?: string | null) => Drawing} */
export const link = (env, segment, key, name = null) =>
  html`<a href=${placeLink(env, segment, [key].flat())}>${name ? html`<span class="name">${name}</span>` : called(env, segment, key)}</a>`;

function called(env, segment, key) {
  const id = [key].flat().at(-1);
  const name = elementName(env, segment, key);
  return name && name !== id ? html`<span class="name">${name}</span> <code class="soft">${id}</code>` : html`<code>${id}</code>`;
}

// Returns a subject or a resource, {type, id}.
export const entity = (env, segment, one) => html`<span class="name">${one.type}</span> ${link(env, segment, [one.type, one.id])}`;

// Returns who holds an assignment or a grant.
export const holder = (env, one) => (one.group === undefined ? entity(env, "subjects", one.subject) : html`group ${link(env, "groups", one.group)}`);

// Returns the actions of a grant or a policy.
export const actions = (names) => names.map((one, at) => html`${at ? ", " : ""}${one === "*" ? "anything" : html`<code>${one}</code>`}`);

// Returns when an assignment or a grant counts; nothing if it always does.
export function term({ starts_at: start, expires_at: end }) {
  const isLater = start && Date.parse(start) > now();
  const left = end ? Date.parse(end) - now() : Infinity;
  if (!isLater && left === Infinity) return nothing;
  return html`<span class="term">
    ${isLater ? html`<span class="tag warn">! not yet</span>starts ${distance(start)}` : nothing}
    ${left <= 0 ? html`<span class="tag warn">! ended</span>` : left < SOON ? html`<span class="tag warn">! ends soon</span>` : nothing}
    ${end ? html`<span title=${instant(end)}>${left <= 0 ? "" : "ends "}${distance(end)}</span>` : nothing}</span>`;
}

// Returns the drawing of whom a policy is for: everyone or the holders of roles, without those of its exceptions.
export const holders = (env, policy) => html`${policy.roles === undefined ? "everyone" : roleLinks(env, policy.roles)}${
  policy.except_roles === undefined ? nothing : html` except ${roleLinks(env, policy.except_roles)}`}`;

const roleLinks = (env, ids) => ids.map((id, at) => html`${at ? ", " : ""}${link(env, "roles", id)}`);
