// The rights of a subject or a role on a type of resources, in one word.

import { html } from "../core/html.js";
import { rightsOf, withStored } from "../core/asking.js";
import { isInForce } from "../core/clock.js";
import { joined } from "../core/words.js";

const MOST_RIGHTS = 1_000; // that the API tells at once

export const ALL = { word: "all", mark: "✓", mood: "yes" };
export const SOME = { word: "some", mark: "◐", mood: "yes" };
export const NONE = { word: "none", mark: "–", mood: "soft" };
export const DENIED = { word: "denied", mark: "✕", mood: "no" };
const WORDS = { all: ALL, some: SOME, none: NONE };

// Returns the name of a resource type: requests say it, while the elements of a model say its id.
export const typeName = (type) => type.name ?? type.id;

// Returns the question what a subject may do on a type of resources.
export const questionOf = ({ type, id }, resourceType, action) =>
  withStored({ subject: { type, id }, action: { name: action }, resource: { type: typeName(resourceType) } });

// Asks on which resources of some types subjects may do the actions. Returns for each subject its cells, {type, action, and a
// word}, with the names of what it depends on besides, such as `context.mfa`.
export async function rightsOn(env, subjects, types, signal) {
  const columns = types.flatMap((type) => type.actions.map((action) => ({ type, action })));
  const cells = subjects.map(() => []);
  const atOnce = Math.max(1, Math.floor(MOST_RIGHTS / Math.max(1, subjects.length)));
  for (let at = 0; at < columns.length; at += atOnce) {
    const part = columns.slice(at, at + atOnce);
    const found = await rightsOf(env, subjects, part.map(({ type, action }) => ({ type: typeName(type), actions: [action] })), signal);
    cells.forEach((row, number) => row.push(...part.map((one, column) => cell(one, found[number * part.length + column]))));
  }
  return cells;
}

const cell = (column, { on, left_open: open }) => ({ ...column, ...WORDS[on], open });

// Returns whether a cell says that there is no right, whatever a request sends.
export const isNone = ({ word, open = [] }) => word === NONE.word && !open.length;

// Returns the drawing of a word with its mark. What is left open is an “if”.
export function marked({ word, mark, mood, open = [] }) {
  const sign = (what, how) => html`<span class="mark ${how}" aria-hidden="true">${what}</span>`;
  if (!open.length) return html`${sign(mark, mood)}${word}`;
  const names = joined(open.map((one) => html`<code>${one}</code>`));
  return word === NONE.word ? html`${sign("?", "gone")}if ${names}` : html`${sign(mark, mood)}${word}, if ${names}`;
}

// Returns the word for what policies say of a role: an ALLOW or a DENY with conditions counts for some.
export function roleRights(policies, role, type, action) {
  const about = policies.filter((one) => gives(one, [role], type, action));
  if (about.some((one) => one.effect === "DENY" && !hasConditions(one))) return DENIED;
  const allows = about.filter((one) => one.effect === "ALLOW");
  if (!allows.length) return NONE;
  const isCut = about.some((one) => one.effect === "DENY") || allows.every(hasConditions);
  return isCut ? SOME : ALL;
}

// Returns the roles that a subject holds now, by its holdings.
export const rolesOf = (held) => held.roles.filter((one) => one.assignments.some(isInForce)).map((one) => one.role);

// Returns the grants of a subject's holdings that give an action on resources of a type now. `type` is the id.
export const grantsOf = (held, type, action) =>
  held.grants.filter((one) => one.resource.type === type && [action, "*"].some((name) => one.actions.includes(name)) && isInForce(one));

// Returns whether a policy is about an action on a type, for the holders of one of these roles. Its conditions are left
// open.
export function gives(policy, roles, type, action) {
  if (policy.enabled === false) return false;
  if (policy.roles?.length && !policy.roles.some((one) => roles.includes(one))) return false;
  if (policy.except_roles?.some((one) => roles.includes(one))) return false;
  const has = (given, one) => given === "*" || given === one || (Array.isArray(given) && (given.includes(one) || given.includes("*")));
  return policy.resource_types.some((one) => has(one.resource_type_id, type) && has(one.actions, action));
}

const hasConditions = (policy) => Object.values(policy.conditions ?? {}).some((one) => (Array.isArray(one) ? one.length : one));
