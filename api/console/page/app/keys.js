// The keys of the console: `/` finds, `g` and a letter goes to a page, `?` lists them.

import { PAGES } from "./pages.js";

const PAUSE = 1_500; // milliseconds between `g` and its letter

let wentAt = -Infinity;

// Listens to the keyboard. `open(page)` goes to a page, `help()` shows the list, and `find()` opens the palette.
export function listenToKeys({ open, help, find }) {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    if (document.querySelector("dialog[open]")) return;
    const page = event.timeStamp - wentAt < PAUSE && PAGES.find((one) => one.key === event.key);
    wentAt = event.key === "g" ? event.timeStamp : -Infinity;
    const done = page ? () => open(page) : { "?": help, "/": find }[event.key];
    if (!done) return;
    done();
    event.preventDefault();
  });
}

function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || target.matches("input, select, textarea"));
}
