// The keys of the console: `/` searches, `g` and a letter goes to a page, `?` lists them.

import { PAGES } from "./pages.js";

const PAUSE = 1_500; // milliseconds between `g` and its letter

let wentAt = -Infinity;

// Listens to the keyboard. `open(page)` goes to a page, `help()` shows the list.
export function listenToKeys({ open, help }) {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const page = event.timeStamp - wentAt < PAUSE && PAGES.find((one) => one.key === event.key);
    wentAt = event.key === "g" ? event.timeStamp : -Infinity;
    const done = page ? (open(page), true) : event.key === "?" ? (help(), true) : event.key === "/" && focusSearch();
    if (done) event.preventDefault();
  });
}

function focusSearch() {
  const field = document.querySelector("main [data-search]");
  if (field instanceof HTMLElement) field.focus();
  return Boolean(field);
}

function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, select, textarea"));
}
