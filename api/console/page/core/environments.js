// The environments that the session may see, and how much the open one holds. Both are read again when they are old.

import { get, path } from "./api.js";
import { whenSessionEnds } from "./session.js";
import { update } from "./update.js";

const FRESH = 15_000; // milliseconds after which they are read again
/** @type {{for: string | null, at: number}} */
const NEVER = { for: null, at: -Infinity };

/** @type {any[]} */
let environments = [];
/** @type {Record<string, number>} */
let counts = {};
let read = NEVER;

// Another caller may see other environments.
whenSessionEnds(() => {
  [environments, counts, read] = [[], {}, NEVER];
});

// Returns the ids of the environments, as far as they are read.
export const environmentIds = () => environments.map((one) => one.id);

// Returns an environment as the service describes it, or undefined before it is read.
export const environmentOf = (id) => environments.find((one) => one.id === id);

// Returns how many elements a list of the open environment has, or undefined before they are counted.
export const countOf = (list) => counts[list];

// Reads the environments and the counts again after a change.
export function refreshEnvironments() {
  read = NEVER;
  update();
}

// Reads the environments and the counts of the open one, unless they are fresh.
export async function keepFresh(env) {
  if (read.for === env && performance.now() - read.at < FRESH) return;
  const reading = { for: env, at: performance.now() };
  read = reading;
  const asked = [get("/v1/environments", { query: { limit: 1000 } }), askCounts(env)];
  const [list, counted] = (await Promise.allSettled(asked)).map((one) => (one.status === "fulfilled" ? one.value : null));
  if (read !== reading) return; // somebody else has signed in, or a change has made it old
  environments = list?.items ?? environments;
  counts = counted?.counts ?? {};
  update();
}

// Rejects for an environment whose name can't be sent, as for one that is not there.
const askCounts = async (env) => get(path`/v1/environments/${env}/counts`);
