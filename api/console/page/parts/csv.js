// A list as a file: reads it page by page, shows how far it is, can be cancelled, and ends at a named number of rows.

import { html, nothing } from "../vendor/lit-html.js";
import { update } from "../core/update.js";
import { counted, number } from "../core/words.js";
import { failure } from "./notice.js";

export const MOST_ROWS = 100_000;

const NEEDS_QUOTES = /[",\n\r]/;
const FORMULA = /^[=+\-@\t\r]/; // a spreadsheet would calculate it

// Returns a table as CSV (RFC 4180). A text that a spreadsheet takes for a formula gets an apostrophe before it.
export function csv(names, rows) {
  return [names, ...rows].map((row) => row.map(csvField).join(",")).join("\r\n") + "\r\n";
}

function csvField(field) {
  const text = field === null || field === undefined ? "" : String(field);
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// Hands a text to the user as a file.
export function saveFile(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// An export of a list. `ask(next, signal)` returns {rows, next} of a page; `next` is undefined first and null at last.
export class Export {
  constructor({ name, type, ask, write, button }) {
    Object.assign(this, { name, type, ask, write, button, rows: null, problem: null, isCut: false });
  }

  async run() {
    const given = new AbortController();
    Object.assign(this, { given, rows: [], problem: null, isCut: false });
    update();
    try {
      let next;
      do {
        const found = await this.ask(next, given.signal);
        this.rows.push(...found.rows);
        next = found.next;
        update();
      } while (next && this.rows.length < MOST_ROWS);
      this.isCut = Boolean(next);
      saveFile(this.name, this.write(this.rows), this.type);
    } catch (problem) {
      this.problem = problem;
    }
    this.given = null;
    update();
  }

  // Returns the drawing of its button, or of its progress.
  view() {
    if (this.given) {
      return html`<span role="status">Read ${counted(this.rows.length, "row")}…</span>
        <button class="quiet" type="button" @click=${() => this.given.abort()}>Cancel</button>`;
    }
    return html`<button class="quiet" type="button" @click=${() => this.run()}>${this.button}</button>
      ${this.isCut ? html`<span class="soft">The file has the first ${number(MOST_ROWS)} rows.</span>` : nothing}
      ${this.problem ? failure(this.problem) : nothing}`;
  }
}
