// The names of elements beside their ids. Those that a page shows are asked for together, once it is drawn.

import { path, post } from "../core/api.js";
import { session, whenSessionEnds } from "../core/session.js";
import { update } from "../core/update.js";

const NAMED = ["subjects", "groups", "roles", "resources", "resource-types", "policies"];
const MOST = 1000; // of a request

/** @typedef {{env: string, kind: string, type?: string, id: string, key: string}} Wanted */

/** @type {Map<string, string | null>} */
let names = new Map(); // null for an element without a name, or until it is read
/** @type {Wanted[]} */
let wanted = [];
let shownAt = "";

whenSessionEnds(forget);

// Returns the name of an element, or null if it has none, or as long as it is not known. Each page reads them again.
/** @type {(env: string, segment: string, key: any) => string | null} */
export function elementName(env, segment, key) {
  if (!NAMED.includes(segment)) return null;
  if (shownAt !== location.hash) forget();
  const known = JSON.stringify([env, segment, key]);
  if (!names.has(known)) {
    names.set(known, null);
    const [id, type] = [key].flat().reverse();
    if (wanted.push({ env, kind: segment.replaceAll("-", "_"), type, id, key: known }) === 1) queueMicrotask(read);
  }
  return names.get(known) ?? null;
}

function forget() {
  names = new Map();
  shownAt = location.hash;
}

async function read() {
  const asked = wanted;
  wanted = [];
  for (const env of new Set(asked.map((one) => one.env))) {
    const some = asked.filter((one) => one.env === env);
    for (let at = 0; at < some.length; at += MOST) await readSome(env, some.slice(at, at + MOST));
  }
}

/** @type {(env: string, asked: Wanted[]) => Promise<void>} */
async function readSome(env, asked) {
  const into = names;
  try {
    const elements = asked.map(({ kind, type, id }) => ({ kind, id, ...(type === undefined ? {} : { type }) }));
    const found = await post(path`/v1/environments/${env}/names`, { elements }, { signal: session().until() });
    found.names.forEach((name, at) => into.set(asked[at].key, name));
  } catch {
    return; // the ids stand there
  }
  if (into === names) update();
}
