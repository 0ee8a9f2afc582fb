// The rights of a subject or a role on a type of resources, in one word: the service says which.

import { html } from "../core/html.js";
import { RATE_LIMIT, rightsOf, withStored } from "../core/asking.js";
import { joined } from "../core/words.js";

const MOST_RIGHTS = 1_000; // that the API tells at once

export const ALL = { word: "all", mark: "✓", mood: "yes" };
export const SOME = { word: "some", mark: "◐", mood: "yes" };
export const NONE = { word: "none", mark: "–", mood: "soft" };
export const DENIED = { word: "denied", mark: "✕", mood: "no" };
const WORDS = { all: ALL, some: SOME, none: NONE, denied: DENIED };

// Returns the name of a resource type: requests say it, while the elements of a model say its id.
export const typeName = (type) => type.name ?? type.id;

// Returns the question what a subject may do on a type of resources.
export const questionOf = ({ type, id }, resourceType, action) =>
  withStored({ subject: { type, id }, action: { name: action }, resource: { type: typeName(resourceType) } });

// Asks on which resources of some types subjects, {type, id}, or holders of roles, {role}, may do the actions. Returns for each of them
// its cells, {type, action, and a word}, with the names of what it depends on besides, such as `context.mfa`. With `sources`, each cell
// has {sources, others, cut}: what the right comes from, and the policies on the action that do not count.
/** @type {(env: string, holders: any[], types: any[], signal?: AbortSignal, sources?: boolean) => Promise<any[][]>} */
export async function rightsOn(env, holders, types, signal, sources = false) {
  const columns = types.flatMap((type) => type.actions.map((action) => ({ type, action })));
  /** @type {any[][]} */
  const cells = holders.map(() => []);
  const atOnce = Math.max(1, Math.floor(MOST_RIGHTS / Math.max(1, holders.length)));
  for (let at = 0; at < columns.length; at += atOnce) {
    const part = columns.slice(at, at + atOnce);
    const asked = part.map(({ type, action }) => ({ type: typeName(type), actions: [action] }));
    const found = await rightsOf(env, holders, asked, signal, sources);
    cells.forEach((row, number) => row.push(...part.map((one, column) => cell(one, found[number * part.length + column]))));
  }
  return cells;
}

const cell = (column, { on, left_open: open, sources = [], others = [], cut = false }) => ({ ...column, ...WORDS[on], open, sources, others, cut });

// Returns whether a cell says that there is no right, whatever a request sends.
export const isNone = ({ word, open = [] }) => word === NONE.word && !open.length;

// Returns the drawing of a word with its mark. What is left open is an “if”.
export function marked({ word, mark, mood, open = [] }) {
  const sign = (what, how) => html`<span class="mark ${how}" aria-hidden="true">${what}</span>`;
  if (!open.length) return html`${sign(mark, mood)}${word}`;
  return word === NONE.word ? html`${sign("?", "gone")}if ${openNames(open)}` : html`${sign(mark, mood)}${word}, if ${openNames(open)}`;
}

// Returns the drawing of the names of what is left open.
export const openNames = (open) => joined(open.map((one) => (one === RATE_LIMIT ? "the rate limit is not reached" : html`<code>${one}</code>`)));
