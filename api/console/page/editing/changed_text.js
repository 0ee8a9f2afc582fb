// The change of an element in the language: the lines that go, that come and that stay.

import { html, nothing } from "../core/html.js";

const SHOWN = 500; // lines that are drawn
const MOODS = { "+": ["added", "+", "added"], "-": ["removed", "−", "removed"] };
const TOLD_ALONE = ["assignments", "grants"]; // a made id says nothing to people

// Returns the drawing of the lines that an answer has as `text`. `names` are the words for the lines that go and come.
export function changedText(text, names = ["before", "after"]) {
  return html`<div class="difference" role="group" aria-label="Change">
    ${text.slice(0, SHOWN).map((one) => line(one, names))}
    ${text.length > SHOWN ? html`<p class="soft">and ${text.length - SHOWN} more lines</p>` : nothing}
  </div>`;
}

function line(text, names) {
  const [mood, mark, word] = MOODS[text[0]] ?? ["stays", "", ""];
  const name = { removed: names[0], added: names[1] }[word];
  return html`<div class=${mood}><span class="mark" aria-hidden="true">${mark}</span>${name ? html`<span class="hidden">${name}: </span>` : nothing}<span
    class="mono">${text.slice(2)}</span></div>`;
}

// Returns an assignment or a grant as a sentence, or null for another element, whose id names it.
export function sentenceOf({ kind, text }) {
  if (!TOLD_ALONE.includes(kind) || !text?.length) return null;
  const last = text.findLast((one) => !one.startsWith("- ")) ?? text[0];
  return last.slice(2);
}
