// The names of people, by the ids that histories have. Each is asked for once in a session.

import { get, path } from "../core/api.js";
import { session, whenSessionEnds } from "../core/session.js";
import { update } from "../core/update.js";

/** @type {Map<string, string | null>} */
const names = new Map(); // null while a name is read, or if it can't be

whenSessionEnds(() => names.clear());

// Returns the name of a person, or null as long as it is not known.
export function personName(id) {
  if (!names.has(id)) read(id);
  return names.get(id) ?? null;
}

async function read(id) {
  const asking = session();
  names.set(id, null);
  try {
    const { name } = await get(path`/v1/people/${id}`);
    if (session() === asking) names.set(id, name);
  } catch {
    return; // the id stands in its place
  }
  update();
}
