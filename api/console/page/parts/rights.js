// The rights of a subject or a role on a type of resources, in one word.

import { html } from "../core/html.js";
import { filterOf, withStored } from "../core/asking.js";
import { joined } from "../core/words.js";

const GRANTED = { include_direct: "node" }; // what a DENY leaves of the grants

export const ALL = { word: "all", mark: "✓", mood: "yes" };
export const SOME = { word: "some", mark: "◐", mood: "yes" };
export const NONE = { word: "none", mark: "–", mood: "soft" };
export const DENIED = { word: "denied", mark: "✕", mood: "no" };

// Returns the name of a resource type: requests say it, while the elements of a model say its id.
export const typeName = (type) => type.name ?? type.id;

// Returns the question what a subject may do on a type of resources.
export const questionOf = ({ type, id }, resourceType, action) =>
  withStored({ subject: { type, id }, action: { name: action }, resource: { type: typeName(resourceType) } });

// Asks on which resources of a type a subject may do an action. Returns the word for it, with the names of what it depends on
// besides, such as `context.mfa`.
export async function rightOn(env, subject, type, action, signal) {
  const question = questionOf(subject, type, action);
  const found = await filterOf(env, question, signal);
  const isGranted = isNever(found) && (found.context.access_paths ?? []).includes("direct");
  const { filter, context } = isGranted ? await filterOf(env, question, signal, GRANTED) : found;
  const cell = filter.type !== "const" ? SOME : filter.value ? ALL : NONE;
  return { ...cell, open: context.left_open ?? [] };
}

const isNever = ({ filter }) => filter.type === "const" && !filter.value;

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
