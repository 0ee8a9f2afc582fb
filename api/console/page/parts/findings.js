// The findings of the compiler: what is wrong, where it is, and what to do.

import { html, nothing } from "../core/html.js";
import { sentence } from "./notice.js";

const WORDS = { error: ["✕", "no", "Error"], warning: ["!", "gone", "Warning"] };

// Returns the drawing of a diagnostic {code, severity, message, path, line, column, help}.
export function finding(one) {
  const [mark, mood, word] = WORDS[one.severity] ?? WORDS.warning;
  const place = one.line ? `line ${one.line}, column ${one.column}` : one.path;
  return html`<div class="policy"><p><span class="mark ${mood}" aria-hidden="true">${mark}</span>
      <span class="hidden">${word}: </span>${sentence(one.message)}</p>
    <p class="soft">${place ? html`<code>${place}</code> ` : nothing}<code>${one.code}</code>
      ${one.help ? sentence(one.help) : nothing}</p></div>`;
}
