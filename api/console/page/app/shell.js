// The frame of every page: the environment and its revision, the navigation, and who is signed in.

import { html, nothing } from "../core/html.js";
import { announcement } from "../core/announcement.js";
import { environmentIds, environmentOf, keepFresh } from "../core/environments.js";
import { goTo, placeLink } from "../core/place.js";
import { signedIn } from "../core/session.js";
import { number } from "../core/words.js";
import { openDialog } from "../parts/dialog.js";
import { menuButton, navigation } from "./menu.js";
import { PAGES } from "./pages.js";
import { openPalette } from "./palette.js";
import { leave } from "./person.js";

// Returns the drawing of the whole page around `content`.
export function shell(place, content) {
  keepFresh(place.env);
  const here = environmentOf(place.env);
  return html`<a class="skip" href="#content" @click=${skip}>Skip to the content</a>
    <header class=${here?.protected ? "protected" : ""}>
      <b>Writ</b>
      ${menuButton()}
      <span class="env">
        <label class="hidden" for="environment">Environment</label>
        <select id="environment" @change=${(event) => goTo(placeLink(event.target.value, place.page))}>
          ${names(place.env).map((id) => html`<option .selected=${id === place.env} value=${id}>${id}</option>`)}
        </select>
        ${here ? html`<span class="soft">revision ${number(here.revision)}</span>` : nothing}
        ${here?.protected ? html`<span class="badge">protected</span>` : nothing}
        ${here?.promotion_only ? html`<span class="badge">promotion only</span>` : nothing}
      </span>
      <span class="push soft">${who()}</span>
      <button class="quiet find" type="button" @click=${() => openPalette(place.env)}>Find</button>
      <button class="quiet wide" type="button" @click=${keysDialog}>Keyboard</button>
      <button class="quiet wide" type="button" @click=${leave}>Sign out</button>
    </header>
    <div class="frame">
      ${navigation(place, html`<p class="soft">${who()}</p><button class="quiet" type="button" @click=${leave}>Sign out</button>`)}
      <main id="content" tabindex="-1">${content}</main>
    </div>
    <div class="hidden" role="status" aria-live="polite">${announcement()}</div>`;
}

/** @type {Element | null} */
let head = null;
const watching = new ResizeObserver(([one]) => document.documentElement.style.setProperty("--head", `${one.target.getBoundingClientRect().height}px`));

// Notes how high the head is, which stays: what is reached below it is not hidden.
export function watchHead() {
  const found = document.querySelector("header");
  if (found === head) return;
  watching.disconnect();
  head = found;
  if (head) watching.observe(head);
}

// Shows the keys of the console.
export function keysDialog() {
  openDialog({
    title: "Keyboard",
    view: (close) => html`<table class="keys"><tbody>
        <tr><td><kbd>/</kbd></td><td>Find something in all lists</td></tr>
        <tr><td><kbd>?</kbd></td><td>Show these keys</td></tr>
        ${PAGES.map((one) => html`<tr><td><kbd>g</kbd> <kbd>${one.key}</kbd></td><td>${one.name}</td></tr>`)}
      </tbody></table>
      <p class="actions"><button type="button" @click=${close}>Close</button></p>`,
  });
}

// A credential that is bound to other environments still sees the name of the one that the address asks for.
const names = (env) => [...new Set([...environmentIds(), env])];

function who() {
  const caller = signedIn();
  const name = caller.kind === "admin_key" ? "the administrator's key" : caller.name || caller.id;
  return html`Signed in as <span class="name">${name}</span>, ${caller.scopes.at(-1) ?? "no scope"}`;
}

function skip(event) {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
