// Exports a list that pages: it reads page after page up to a named count, shows how far it is, and can be cancelled.

import { html, nothing } from "../vendor/lit-html.js";
import { update } from "../core/update.js";
import { counted, number } from "../core/words.js";
import { failure, notice } from "./notice.js";

const PAGE = 1_000;
export const MOST_EXPORTED = 100_000;
const FORMULA = /^[=+\-@\t\r]/; // a spreadsheet would run a cell that begins so

// An export that the user starts. `read({limit, cursor, signal})` returns {items, next_cursor}. `columns` are
// [title, text(item)] of the CSV. `name` is the file's, without its ending.
export class Export {
  constructor({ name, columns, read }) {
    Object.assign(this, { name, columns, read, given: null, count: 0, problem: null, told: null });
  }

  // Returns the drawing: the buttons, or how far the export is.
  view() {
    if (this.given) {
      return html`<p class="actions" role="status">Exporting: ${counted(this.count, "entry", "entries")} so far…
        <button class="quiet" type="button" @click=${() => this.given.abort()}>Cancel</button></p>`;
    }
    return html`<p class="actions">
        <button class="quiet" type="button" @click=${() => this.run("csv")}>Export as CSV</button>
        <button class="quiet" type="button" @click=${() => this.run("jsonl")}>Export as JSON lines</button></p>
      ${this.problem ? failure(this.problem) : nothing}
      ${this.told ? notice(this.told.isWhole ? "good" : "warn", html`<p>${this.told.text}</p>`) : nothing}`;
  }

  async run(format) {
    [this.given, this.count, this.problem, this.told] = [new AbortController(), 0, null, null];
    update();
    try {
      const { items, isWhole } = await this.all(this.given.signal);
      offer(`${this.name}.${format}`, format === "csv" ? csv(this.columns, items) : lines(items), format);
      this.told = { isWhole, text: told(items.length, isWhole) };
    } catch (found) {
      this.problem = found;
    }
    this.given = null;
    update();
  }

  async all(signal) {
    const items = [];
    for (let cursor; ; ) {
      const found = await this.read({ limit: PAGE, cursor, signal });
      items.push(...found.items);
      this.count = items.length;
      cursor = found.next_cursor;
      update();
      if (!cursor || items.length >= MOST_EXPORTED) return { items: items.slice(0, MOST_EXPORTED), isWhole: !cursor };
    }
  }
}

function told(count, isWhole) {
  if (isWhole) return `${counted(count, "entry is", "entries are")} in the file.`;
  return `The first ${number(count)} entries are in the file, and there are more. Choose a shorter time to get the rest.`;
}

const lines = (items) => items.map((one) => `${JSON.stringify(one)}\n`).join("");

// Returns rows as CSV (RFC 4180). A cell that a spreadsheet would take for a formula gets an apostrophe.
export function csv(columns, items) {
  const rows = [columns.map(([title]) => title), ...items.map((one) => columns.map(([, text]) => text(one) ?? ""))];
  return rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");
}

function cell(text) {
  const safe = FORMULA.test(text) ? `'${text}` : String(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const TYPES = { csv: "text/csv;charset=utf-8", jsonl: "application/x-ndjson" };

// Lets the browser save a text as a file.
export function offer(name, text, format) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: TYPES[format] }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
