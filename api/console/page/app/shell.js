// The frame of every page: the environment and its revision, the navigation, and who is signed in.

import { html, nothing } from "../core/html.js";
import { announcement } from "../core/announcement.js";
import { countOf, environmentIds, environmentOf, keepFresh } from "../core/environments.js";
import { goTo, placeLink } from "../core/place.js";
import { may, signedIn } from "../core/session.js";
import { number } from "../core/words.js";
import { openDialog } from "../parts/dialog.js";
import { GROUPS, PAGES } from "./pages.js";
import { openPalette } from "./palette.js";
import { leave } from "./person.js";

// Returns the drawing of the whole page around `content`.
export function shell(place, content) {
  keepFresh(place.env);
  const here = environmentOf(place.env);
  return html`<a class="skip" href="#content" @click=${skip}>Skip to the content</a>
    <header class=${here?.protected ? "protected" : ""}>
      <b>Writ</b>
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
      <button class="quiet" type="button" @click=${() => openPalette(place.env)}>Find</button>
      <button class="quiet wide" type="button" @click=${keysDialog}>Keyboard</button>
      <button class="quiet" type="button" @click=${leave}>Sign out</button>
    </header>
    <nav aria-label="Console">${GROUPS.map((group) => navigation(group, place))}</nav>
    <main id="content" tabindex="-1">${content}</main>
    <div class="hidden" role="status" aria-live="polite">${announcement()}</div>`;
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

function navigation(group, place) {
  const pages = group.pages.filter((one) => may(one.scope ?? "read"));
  if (!pages.length) return nothing;
  return html`<h2>${group.name}</h2>${pages.map(
    (one) => html`<a href=${placeLink(place.env, one.id)} aria-current=${one.id === place.page ? "page" : "false"}>
      ${one.name}${counted(one.kind)}</a>`,
  )}`;
}

function counted(list) {
  const count = countOf(list);
  return count === undefined ? nothing : html`<span>${number(count)}</span>`;
}

function who() {
  const caller = signedIn();
  const name = caller.kind === "admin_key" ? "the administrator's key" : caller.name || caller.id;
  return html`Signed in as <span class="name">${name}</span>, ${caller.scopes.at(-1) ?? "no scope"}`;
}

function skip(event) {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
