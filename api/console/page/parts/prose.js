// Sentences of the API, in which backticks mark names: names are drawn as code, and stay apart from the words around them.
// A name that has a backtick itself is in quotation marks, like a value.

import { html } from "../core/html.js";

// Returns the drawing of a sentence.
export function prose(text) {
  if (!text || !text.includes("`")) return text;
  const parts = text.split(/("(?:\\.|[^"\\])*"|`[^`]*`)/);
  return html`${parts.map((part) => (/^`[^`]*`$/.test(part) ? html`<code>${part.slice(1, -1)}</code>` : part))}`;
}
