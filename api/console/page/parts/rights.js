// The rights of a subject or a role on a type of resources, in one word.

import { html } from "../vendor/lit-html.js";
import { path, post } from "../core/api.js";

export const ALL = { word: "all", mark: "✓", mood: "yes" };
export const SOME = { word: "some", mark: "◐", mood: "yes" };
export const NONE = { word: "none", mark: "–", mood: "soft" };
export const DENIED = { word: "denied", mark: "✕", mood: "no" };

// Returns the name of a resource type: requests say it, while the elements of a model say its id.
export const typeName = (type) => type.name ?? type.id;

// Returns the question what a stored subject may do on a type of resources. Its stored attributes are sent.
export function questionOf(subject, type, action) {
  return {
    subject: { type: subject.type, id: subject.id, properties: subject.attributes ?? {} },
    action: { name: action },
    resource: { type: typeName(type) },
  };
}

// Asks on which resources of a type a subject may do an action, and returns the word for it.
export async function rightOn(env, subject, type, action, signal) {
  const body = { ...questionOf(subject, type, action), options: { return: "filter" } };
  return cellOf(await post(path`/environments/${env}/access/v1/search/resource`, body, { signal }));
}

// Returns the drawing of a word with its mark.
export const marked = (cell) => html`<span class="mark ${cell.mood}" aria-hidden="true">${cell.mark}</span>${cell.word}`;

// Direct grants are not in a filter.
function cellOf({ filter, context }) {
  if (filter.type === "const" && filter.value) return ALL;
  const isGranted = (context.access_paths ?? []).includes("direct");
  return filter.type === "const" && !isGranted ? NONE : SOME;
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
