// The field for `.writ` text: a layer behind it underlines what the diagnostics point to, and a list below names them.

import { html, nothing } from "../core/html.js";
import { finding } from "../parts/findings.js";

const EXAMPLE = "policy editors-read\n    allow editor to read document";

// Returns the drawing of the text and its diagnostics. `set(text)` takes what was typed.
export function writText({ text, diagnostics, set, isDisabled }) {
  const placed = diagnostics.filter((one) => one.line);
  return html`<div class="field">
    <label for="writ-text">The policy as text</label>
    <div class="text-editor">
      <div class="layer" aria-hidden="true">${layer(text, placed)}</div>
      <textarea id="writ-text" spellcheck="false" autocomplete="off" autocapitalize="off" placeholder=${EXAMPLE} .value=${text} ?readonly=${isDisabled}
        aria-invalid=${placed.some((one) => one.severity === "error") ? "true" : "false"} aria-describedby="writ-findings"
        @input=${(event) => set(event.target.value)}></textarea>
    </div>
    <div id="writ-findings">${diagnostics.map((one) => html`${finding(one)}${one.line
      ? html`<p><button class="link" type="button" @click=${() => show(text, one)}>Show line ${one.line}</button></p>` : nothing}`)}</div>
  </div>`;
}

// Lines are split as the service does; columns count characters, of which some are two units of a text here.
function layer(text, diagnostics) {
  const lines = text.split("\n").map((line, index) => marked(line, diagnostics.filter((one) => one.line === index + 1)));
  return html`${lines.map((line) => html`${line}${"\n"}`)}`;
}

function marked(line, diagnostics) {
  const characters = Array.from(line);
  const parts = [];
  let done = 0;
  for (const one of [...diagnostics].sort((first, second) => first.column - second.column)) {
    const from = Math.min(one.column - 1, characters.length);
    if (from < done) continue;
    const to = Math.max(from + 1, Math.min(from + (one.length ?? 1), characters.length));
    const under = characters.slice(from, to).join("") || " ";
    parts.push(characters.slice(done, from).join(""), html`<mark class=${one.severity}>${under}</mark>`);
    done = to;
  }
  return [...parts, characters.slice(done).join("")];
}

// Puts the cursor to the place of a diagnostic.
function show(text, { line, column, length }) {
  const lines = text.split("\n");
  const before = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const characters = Array.from(lines[line - 1] ?? "");
  const units = (count) => characters.slice(0, count).join("").length;
  const field = document.getElementById("writ-text");
  if (!(field instanceof HTMLTextAreaElement)) return;
  field.focus();
  field.setSelectionRange(before + units(column - 1), before + units(column - 1 + (length ?? 1)));
}
