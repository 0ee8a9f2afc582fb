// The notice of a change just made, with the link that undoes it. It stands on the page where it leads to, until that page is left.

import { html, nothing } from "../core/html.js";
import { announce } from "../core/announcement.js";
import { refreshEnvironments } from "../core/environments.js";
import { goTo, placeLink } from "../core/place.js";
import { whenSessionEnds } from "../core/session.js";
import { update } from "../core/update.js";
import { Act } from "./act.js";
import { notice } from "./notice.js";

/** @type {any} */
let last = null; // {link, text, undo, act, isUndone}

whenSessionEnds(forgetDone);

// Notes what was done and is told at the address `link`. `undo()` returns a promise, and may be left out. `leadsTo` is
// the address to go to after it, if that is another one.
/** @param {{link: string, text: string, undo?: (() => Promise<unknown>) | null, leadsTo?: string | null}} deed */
export function noteDone({ link, text, undo = null, leadsTo = null }) {
  last = { link, text, undo, leadsTo, act: new Act(), isUndone: false };
  announce(text);
  refreshEnvironments();
}

// Returns the drawing of what was done at this place. `again()` reads the page's content again after it was undone.
/** @type {(place: Place, again?: () => unknown) => Drawing} */
export function doneNotice(place, again) {
  if (last === null || last.link !== placeLink(place.env, place.page, place.given)) return nothing;
  const done = last;
  if (done.isUndone) return notice("good", html`<p>${done.text}: undone.</p>`);
  return html`${notice("good", html`<p>${done.text}. ${
    done.undo
      ? html`<button class="link" type="button" ?disabled=${done.act.isBusy} @click=${() => takeBack(done, again)}>Undo</button>`
      : nothing
  }</p>`)}${done.act.trouble()}`;
}

async function takeBack(done, again) {
  const isUndone = await done.act.run(async () => (await done.undo(), true));
  if (!isUndone) return;
  done.isUndone = true;
  announce(`${done.text}: undone`);
  refreshEnvironments();
  if (done.leadsTo) {
    done.link = done.leadsTo;
    goTo(done.leadsTo);
  } else again();
  update();
}

// Tells what was just done at another address, where the user stays.
export function tellDoneAt(link) {
  if (last) Object.assign(last, { link, leadsTo: null });
}

// Forgets what was done: another change has begun.
export function forgetDone() {
  last = null;
}
