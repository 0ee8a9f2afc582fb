// The heading of a page: its name, one sentence about it, and the way back to its list.

import { html, nothing } from "../core/html.js";

// Returns the drawing of a heading. `trail` is {link, name} of the list that the page belongs to.
/** @type {(name: Drawing, about?: Drawing, trail?: {link: string, name: string} | null) => Drawing} */
export function heading(name, about = "", trail = null) {
  return html`<div>
    ${trail ? html`<p class="trail"><a href=${trail.link}>${trail.name}</a> /</p>` : nothing}
    <h1><span class="name">${name}</span>${about ? html`<small>${about}</small>` : nothing}</h1>
  </div>`;
}
