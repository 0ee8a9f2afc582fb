// A value with a button that copies it. Browsers let pages copy only over HTTPS and on this machine itself.

import { html, nothing } from "../core/html.js";
import { whenSessionEnds } from "../core/session.js";
import { update } from "../core/update.js";

/** @type {{id: string, text: string, isCopied: boolean} | null} */
let last = null; // {id, text, isCopied} of the value that was copied last

whenSessionEnds(() => (last = null));

// Returns the drawing of a value that can be copied. `id` is the one of its element on the page.
export function copyable(id, text) {
  const copied = last && last.id === id && last.text === text ? last : null;
  return html`<span class="secret"><code id=${id}>${text}</code>
    <button type="button" @click=${() => copy(id, text)}>Copy</button></span>
    <span class="soft" role="status">${copied ? told(copied.isCopied) : nothing}</span>`;
}

const told = (isCopied) =>
  isCopied ? "Copied." : "This browser does not let the page copy here. The text is selected: press Ctrl+C, or ⌘C on a Mac.";

async function copy(id, text) {
  select(document.getElementById(id));
  let isCopied = false;
  try {
    await navigator.clipboard.writeText(text); // there is no `clipboard` on insecure origins
    isCopied = true;
  } catch {
    // The text stays selected.
  }
  last = { id, text, isCopied };
  update();
}

function select(element) {
  const range = document.createRange();
  range.selectNodeContents(element);
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}
