// The questions of all pages. Each kind has one function, so the same question has the same answer wherever it is asked.
//
// A question is a request as the API takes it. Its attributes are completed by the registered ones (E9), unless its address
// has `only=sent`, as for a request of the past. Without a context, an empty one counts: a search then says yes exactly where
// a decision does. What a question leaves open is asked for apart, with open gates (S6).

import { get, path, post } from "./api.js";
import { isObject } from "./exact.js";
import { placeLink } from "./place.js";

const REGISTERED = "registered";
const SENT = "sent";
const NO_ATTRIBUTES = {};
const RESULTS = { return: "results" };
const TIME = "context.time";
export const RATE_LIMIT = "rate_limit"; // among what a right leaves open
const MOST_TYPES = 100; // of a page of the API

// Returns whether the stored attributes count for a question.
export const countsStored = (question) => question.options?.attributes === REGISTERED;

// Returns a question for which the stored attributes count.
export const withStored = (question) => ({ ...question, options: { ...(isObject(question.options) ? question.options : {}), attributes: REGISTERED } });

// Returns the question of an address, or null if it has none: anybody can write an address.
/** @type {(place: Place) => any} */
export function questionAt({ query }) {
  try {
    const found = JSON.parse(query.get("q") ?? "");
    if (!isObject(found)) return null;
    return query.get("only") === SENT ? found : withStored(found);
  } catch {
    return null;
  }
}

// Returns the address of a page with a question.
export function questionLink(env, page, question, more = {}) {
  const { options, ...asked } = question;
  const { attributes, ...others } = isObject(options) ? options : {};
  const text = JSON.stringify(Object.keys(others).length ? { ...asked, options: others } : asked);
  return placeLink(env, page, [], { q: text, only: countsStored(question) ? undefined : SENT, ...more });
}

// Asks for a decision with its proof.
export const explained = (env, question, signal) => post(path`/v1/environments/${env}/explain`, question, { signal });

// Asks what is wrong with changes, and for a decision with them: {diagnostics, answer}. Nothing is written. The answer is null
// without a question, and if the changes have errors.
export const tried = (env, changes, question, signal) =>
  post(path`/v1/environments/${env}/changes:try`, { changes, ...(question ? { request: question } : {}) }, { signal });

// Asks which subjects, or which resources, a question is true of. `kind` names them. `page` is that of the API.
export function search(env, kind, question, page, signal) {
  const options = kind === "resource" ? RESULTS : {};
  return searched(env, kind, { context: NO_ATTRIBUTES, ...question, page }, options, signal);
}

// Asks the same with open gates: which ones may be, whatever a request says of its context.
export const searchOpen = (env, kind, { context, ...question }, page, signal) =>
  searched(env, kind, { ...question, page }, kind === "resource" ? RESULTS : {}, signal);

// Asks for the filter of a subject, {filter, context}. What the question leaves open is in `context.left_open`.
export const filterOf = (env, question, signal, more = {}) => searched(env, "resource", question, { return: "filter", ...more }, signal);

// Asks on which resources subjects, or holders of roles, may do actions: a right, {on, left_open}, for each and each action in turn.
// `holders` are all {type, id}, or all {role}, and `resources` {type, actions} with the names of types.
export async function rightsOf(env, holders, resources, signal, sources = false) {
  const isRole = holders.some(({ role }) => role !== undefined);
  const who = isRole ? { roles: holders.map(({ role }) => role) } : { subjects: holders.map(({ type, id }) => ({ type, id })) };
  const asked = { ...who, resources, ...(sources ? { sources } : {}) };
  return (await post(path`/v1/environments/${env}/rights`, asked, { signal })).rights;
}

// Returns the names of what a question leaves open. `answer` is a page of its search, with the names in its context. That read the
// clock, so it names no time: a search with open gates does.
export async function leftOpenBy(env, kind, question, { context, results = [] }, signal) {
  const named = await attributesOpenIn(env, kind, question, context.left_open ?? [], signal);
  const subjects = kind === "resource" ? [question.subject] : results;
  return (await hasRateLimit(env, subjects, question, signal)) ? [...named, RATE_LIMIT] : named;
}

// Asks whether a right hangs on a rate limit, which no search counts. Stored attributes count for it, whatever the question sends.
async function hasRateLimit(env, subjects, { action, resource, options }, signal) {
  const holders = [...subjects, ...[options?.actor ?? []].flat()].filter(({ id }) => id !== undefined);
  if (!holders.length) return false;
  const rights = await rightsOf(env, holders, [{ type: resource.type, actions: [action.name] }], signal);
  return rights.some((one) => one.left_open.includes(RATE_LIMIT));
}

async function attributesOpenIn(env, kind, question, decided, signal) {
  if ((question.context?.time ?? null) !== null) return decided;
  const open = (await searchOpen(env, kind, question, { limit: 1 }, signal)).context.left_open ?? [];
  return open.includes(TIME) ? [...decided, TIME].sort() : decided;
}

// Asks who can, and under which conditions: {regions, unknown, left_open, reason}. An actor can't be asked for.
export const whoCan = (env, { options, ...question }, signal) =>
  post(path`/v1/environments/${env}/who-can`, { ...question, ...(countsStored({ options }) ? { options: { attributes: REGISTERED } } : {}) }, { signal });

// Asks what the model does not declare of a question, with what may be meant: a sentence, or null. It costs no search: the service
// answers at once where a type or an action is undeclared.
export async function slipIn(env, { subject, action, resource }, signal) {
  const types = await resourceTypes(env, signal);
  if (types.some((one) => (one.name ?? one.id) === resource.type && one.actions.includes(action.name))) return null;
  const asked = { subject: { type: subject.type }, action: { name: action.name }, resource: { type: resource.type }, options: {} };
  return (await whoCan(env, asked, signal)).reason;
}

const searched = (env, kind, question, options, signal) =>
  post(path`/v1/environments/${env}/search/` + kind, { ...question, options: { ...question.options, ...options } }, { signal });

// Reads all types of resources.
export async function resourceTypes(env, signal) {
  /** @type {any[]} */
  const all = [];
  for (let cursor; cursor !== null; ) {
    const page = await get(path`/v1/environments/${env}/resource-types`, { query: { limit: MOST_TYPES, cursor }, signal });
    all.push(...page.items);
    cursor = page.next_cursor ?? null;
  }
  return all;
}
