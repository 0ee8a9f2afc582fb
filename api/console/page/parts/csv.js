// A list as a file: reads it page by page, shows how far it is, can be cancelled, and ends at a named number of rows.

import { html, nothing } from "../core/html.js";
import { session } from "../core/session.js";
import { update } from "../core/update.js";
import { visible } from "../core/visible.js";
import { counted, number } from "../core/words.js";
import { failure } from "./notice.js";

export const MOST_ROWS = 100_000;

const NEEDS_QUOTES = /[",;\t\n\r]/;

// A spreadsheet calculates what begins with a sign, also one in full width, and behind white and invisible characters. One
// that separates at semicolons or tabs begins a cell behind them, and behind a quote or a line's end.
const GAP = "[;\\s\\p{C}\\p{Z}\\p{Default_Ignorable_Code_Point}\\u2800\"]";
const SIGN = "[=+\\-@\\uff1d\\uff0b\\uff0d\\uff20\\ufe66\\ufe62\\ufe63\\ufe6b]";
const BEGINNINGS = new RegExp(`(${GAP}+|^)(${SIGN}?)`, "gu");
const SEPARATOR = /[;\t\r\n]/;
const CONTROL = /^[\t\r]/; // spreadsheets drop it

// Returns a table as CSV (RFC 4180). A formula gets an apostrophe before its sign, which makes it a text. What is not seen
// shows its number.
export function csv(names, rows) {
  return [names, ...rows].map((row) => `${row.map(csvField).join(",")}\r\n`).join("");
}

function csvField(field) {
  const text = field === null || field === undefined ? "" : visible(String(field));
  const safe = text.replace(BEGINNINGS, asText).replace(CONTROL, "'$&");
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function asText(all, gap, sign, at) {
  return sign && (at === 0 || SEPARATOR.test(gap)) ? `${gap}'${sign}` : all;
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
  /** @param {{name: string, type: string, ask(next: any, signal: AbortSignal): Promise<{rows: any[], next: any}>, write(rows: any[]): string, button: string}} given */
  constructor({ name, type, ask, write, button }) {
    this.session = session();
    this.name = name;
    this.type = type;
    this.ask = ask;
    this.write = write;
    this.button = button;
    this.begin(null);
  }

  /** @param {AbortController | null} given */
  begin(given) {
    this.given = given;
    /** @type {any[]} */
    this.rows = [];
    /** @type {any} */
    this.problem = null;
    this.isCut = false; // whether the list has more rows than the file
  }

  async run() {
    const given = new AbortController();
    this.begin(given);
    update();
    const signal = this.session.until(given.signal);
    try {
      let next;
      do {
        const found = await this.ask(next, signal);
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
        <button class="quiet" type="button" @click=${() => this.given?.abort()}>Cancel</button>`;
    }
    return html`<button class="quiet" type="button" @click=${() => this.run()}>${this.button}</button>
      ${this.isCut ? html`<span class="soft">The file has the first ${number(MOST_ROWS)} rows.</span>` : nothing}
      ${this.problem ? failure(this.problem, () => this.run()) : nothing}`;
  }
}
