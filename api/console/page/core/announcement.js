// The last thing that happened, said to people who can't see it.

import { whenSessionEnds } from "./session.js";
import { update } from "./update.js";

/** @type {string | null} */
let last = null;

whenSessionEnds(() => (last = null));

// Says that something happened.
export function announce(text) {
  last = text;
  update();
}

// Returns what was said last, or null.
export const announcement = () => last;
