// What an action tells on the page that opens after it, such as that an element is deleted.

import { announce } from "./shell.js";

let waiting = null;

// Keeps a drawing for the page that opens next, and says `text` to people who can't see it.
export function tellNext(text, drawing = text) {
  waiting = drawing;
  announce(text);
}

// Returns what was kept for this page, once.
export function toldBefore() {
  const found = waiting;
  waiting = null;
  return found;
}
