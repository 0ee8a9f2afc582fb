// The navigation: beside the page, or in a narrow window a menu, which a button opens.

import { html, nothing } from "../core/html.js";
import { countOf } from "../core/environments.js";
import { placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { update } from "../core/update.js";
import { number } from "../core/words.js";
import { GROUPS } from "./pages.js";

let isOpen = false;

// Returns the drawing of the button that opens and closes the menu. Wide windows show none.
export const menuButton = () => html`<button class="quiet menu" id="menu" type="button" aria-expanded=${isOpen ? "true" : "false"}
  aria-controls="navigation" @click=${press} @keydown=${onKey}>Menu</button>`;

// Returns the drawing of the navigation. `account` says who is signed in, for the menu.
export const navigation = (place, account) => html`<nav id="navigation" class=${isOpen ? "open" : ""} aria-label="Console" @keydown=${onKey}
  @focusout=${left} @click=${follow}>${GROUPS.map((group) => links(group, place))}<div class="account">${account}</div></nav>`;

// Closes the menu, because its page is reached.
export const closeMenu = () => turn(false);

function turn(next) {
  if (isOpen === next) return;
  isOpen = next;
  update();
}

// The links of an open menu come first, before the rest of the head.
function press() {
  turn(!isOpen);
  if (isOpen) requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector("#navigation a"))?.focus());
}

function onKey(event) {
  if (event.key !== "Escape" || !isOpen) return;
  turn(false);
  document.getElementById("menu")?.focus();
}

// A link to the page that is open changes no address, so no page is reached.
function follow(event) {
  if (event.target instanceof Element && event.target.closest("a")) turn(false);
}

// The focus never goes below the open menu, where nothing of it is seen.
function left({ relatedTarget: next, currentTarget: menu }) {
  if (next instanceof Element && !menu.contains(next) && next.id !== "menu") turn(false);
}

function links(group, place) {
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
