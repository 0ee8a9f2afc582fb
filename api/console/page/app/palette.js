// The palette: a dialog that finds elements of every list, and pages, by a part of an id or a name.
//
// It is a combobox with a list (ARIA Authoring Practices): the focus stays in the field, and the arrows choose.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { kindOf, nameOf } from "../core/kinds.js";
import { goTo, placeLink } from "../core/place.js";
import { may, session } from "../core/session.js";
import { update } from "../core/update.js";
import { counted } from "../core/words.js";
import { elementLink, keyOf } from "../editing/draft.js";
import { openDialog } from "../parts/dialog.js";
import { failure } from "../parts/notice.js";
import { unseenIn } from "../parts/unseen.js";
import { PAGES } from "./pages.js";

const PAUSE = 120; // milliseconds after the last letter, before the service is asked
const EACH = 5; // elements of one list

// Opens the palette for an environment.
export function openPalette(env) {
  const palette = new Palette(env);
  const dialog = openDialog({ title: "Find", view: (close) => palette.view(close) });
  palette.close = dialog.close;
}

class Palette {
  constructor(env) {
    this.env = env;
    this.session = session();
    this.typed = "";
    /** @type {{name: string, more: string | null, rows: {link: string, words: string, id: string, type: string}[]}[]} */
    this.groups = [];
    this.at = 0;
    /** @type {any} */
    this.problem = null;
    /** @type {AbortController | null} */
    this.given = null;
    /** @type {() => void} */
    this.close = () => {};
    this.isAnswered = true;
  }

  get rows() {
    return this.groups.flatMap((one) => one.rows);
  }

  // Takes what was typed, and asks for it a moment later. An earlier question is given up.
  type(text) {
    this.typed = text;
    this.given?.abort();
    this.given = new AbortController();
    this.isAnswered = false;
    const { signal } = this.given;
    setTimeout(() => signal.aborted || this.ask(text, signal), PAUSE);
    update();
  }

  async ask(text, signal) {
    try {
      const where = path`/v1/environments/${this.env}/search`;
      const lists = text.trim() ? (await get(where, { query: { q: text.trim(), limit: EACH }, signal: this.session.until(signal) })).lists : [];
      this.groups = [...pagesWith(this.env, text.trim()), ...lists.map((one) => this.group(one, text.trim()))];
      this.problem = null;
      this.at = 0;
      this.isAnswered = true;
    } catch (problem) {
      if (signal.aborted) return;
      this.problem = problem;
    }
    update();
  }

  group({ kind: name, items, more }, text) {
    const kind = kindOf(name);
    if (!kind) throw new Error(`no pages for ${name}`);
    const rows = items.map((body) => {
      const [words, id] = nameOf(kind, body);
      return { link: elementLink(this.env, kind, keyOf(kind, body)), words, id, type: kind.key.length > 1 ? body.type : "" };
    });
    return { name: kind.plural, rows, more: more ? placeLink(this.env, kind.segment, [], { q: text }) : null };
  }

  key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const count = this.rows.length;
    if (step && count) {
      this.at = (this.at + step + count) % count;
      event.preventDefault();
      update();
      requestAnimationFrame(() => document.getElementById(`found-${this.at}`)?.scrollIntoView({ block: "nearest" }));
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (this.isAnswered && count) this.open(this.rows[this.at].link);
    }
  }

  open(link) {
    this.close();
    goTo(link);
  }

  view(close) {
    const count = this.rows.length;
    return html`<div class="palette">
      <label class="hidden" for="palette">A part of an id or a name</label>
      <input id="palette" type="search" role="combobox" aria-expanded=${count ? "true" : "false"} aria-controls="palette-found"
        aria-autocomplete="list" aria-activedescendant=${count ? `found-${this.at}` : nothing} autocomplete="off" spellcheck="false"
        placeholder="A part of an id or a name" autofocus .value=${this.typed}
        @input=${(event) => this.type(event.target.value)} @keydown=${(event) => this.key(event)}>
      ${unseenIn(this.typed)}
      ${count ? html`<div id="palette-found" role="listbox" aria-label="Found">${this.list()}</div>` : nothing}
      <p class="soft" role="status">${this.told(count)}</p>
      ${this.problem ? failure(this.problem, () => this.type(this.typed)) : nothing}
      ${this.groups.filter((one) => one.more).map((one) => html`<p><a href=${one.more} @click=${close}>All ${one.name.toLowerCase()} with this text</a></p>`)}
      <p class="actions"><button class="quiet" type="button" @click=${close}>Close</button></p>
    </div>`;
  }

  list() {
    let at = -1;
    return this.groups.map((group, number) => html`<div role="group" aria-labelledby=${`found-in-${number}`}>
      <div class="soft" id=${`found-in-${number}`}>${group.name}</div>
      ${group.rows.map((row) => ((at += 1), this.row(row, at)))}</div>`);
  }

  row({ link, words, id, type }, at) {
    return html`<div role="option" id=${`found-${at}`} aria-selected=${at === this.at ? "true" : "false"} @click=${() => this.open(link)}>
      <span class="name">${words}</span>
      ${type ? html`<span class="soft">${type}</span>` : nothing}
      ${id && id !== words ? html`<code>${id}</code>` : nothing}</div>`;
  }

  told(count) {
    if (!this.typed.trim()) return "Type a part of an id or a name. The arrows choose, Enter opens.";
    if (!this.isAnswered || this.problem) return "";
    return count ? `${counted(count, "result")}.` : "Nothing has this text in its id or its name.";
  }
}

function pagesWith(env, text) {
  const sought = text.toLowerCase();
  const found = sought ? PAGES.filter((one) => may(one.scope ?? "read") && one.name.toLowerCase().includes(sought)) : [];
  const rows = found.map((one) => ({ link: placeLink(env, one.id), words: one.name, id: "", type: "" }));
  return rows.length ? [{ name: "Pages", rows, more: null }] : [];
}
