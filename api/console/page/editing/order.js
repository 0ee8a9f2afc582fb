// The order of routes, which has a meaning: undoing a change of a route puts it back to its place.

import { get, path } from "../core/api.js";

const LIMIT = 1000;

// Returns the id of the route that follows another one, or null if that is the last one.
export async function successorOf(env, kind, id) {
  let isNext = false;
  for (let cursor = null; ; ) {
    const page = await get(path`/v1/environments/${env}/${kind.segment}`, { query: { limit: LIMIT, cursor } });
    for (const one of page.items) {
      if (isNext) return one.id;
      isNext = one.id === id;
    }
    cursor = page.next_cursor;
    if (!cursor) return null;
  }
}
