// An instant: when it was in the reader's zone, how far that is, and the exact one for those who point at it.

import { html } from "../core/html.js";
import { distance, instant } from "../core/words.js";

// Returns the drawing of an instant of the API, or `never` if there is none.
export function when(text, never = "never") {
  if (!text) return never;
  return html`<time datetime=${text} title=${text}>${instant(text)} <span class="soft">${distance(text)}</span></time>`;
}
