// Changes of elements as a list: each opens to show what differs. Large lists draw only what is open.

import { html, nothing } from "../core/html.js";
import { kindOf } from "../core/kinds.js";
import { placeLink } from "../core/place.js";
import { update } from "../core/update.js";
import { number } from "../core/words.js";
import { changedText, sentenceOf } from "./changed_text.js";
import { elementLink } from "./draft.js";

const OPEN_AT_FIRST = 5; // a list no longer than this shows its differences at once
const WORDS = { added: ["+", "added"], changed: ["~", "changed"], removed: ["−", "removed"], moved: ["↕", "moved"] };

export class ElementChanges {
  // `elements` are {kind, id, type?, change, text}. `also(one)` may add words behind one of them.
  /**
   * @param {string | null} env
   * @param {any[]} elements
   * @param {{also?: (one: any) => Drawing, names?: string[], undo?: ((one: any) => void) | null}} [words]
   */
  constructor(env, elements, { also = () => nothing, names, undo = null } = {}) {
    this.env = env;
    this.elements = elements;
    this.also = also;
    this.names = names;
    this.undo = undo; // a function that begins the undo of one of them
    this.open = new Set(elements.length <= OPEN_AT_FIRST ? elements.keys() : []);
  }

  // Returns the drawing of the list.
  view() {
    return html`<ul class="changes">${this.elements.map((one, at) => html`<li>${this.row(one, at)}</li>`)}</ul>`;
  }

  row(one, at) {
    const [mark, word] = WORDS[one.change];
    const isOpen = this.open.has(at);
    return html`<details .open=${isOpen} @toggle=${(event) => this.turn(at, event.target.open)}>
      <summary><span class="mark" aria-hidden="true">${mark}</span>
        <span class="soft">${one.kind.replaceAll("_", " ")}</span> ${idOf(one)} <span class="soft">${word}</span> ${this.also(one)}</summary>
      ${isOpen ? html`<div class="opened">${this.content(one)}</div>` : nothing}
    </details>`;
  }

  content(one) {
    const link = one.change !== "removed" && this.env ? linkOf(this.env, one) : null;
    return html`${one.change === "moved" ? html`<p>It comes earlier or later among the routes.</p>` : changedText(one.text, this.names)}
      ${this.env ? html`<p class="pager">${link ? html`<a href=${link}>Open it as it is now</a>` : nothing}
        <a href=${pastLink(this.env, one)}>Its history</a>${this.undo ? html` <button class="link" type="button" @click=${() => this.undo?.(one)}>Undo this change…</button>` : nothing}</p>` : nothing}`;
  }

  turn(at, isOpen) {
    if (this.open.has(at) === isOpen) return;
    if (isOpen) this.open.add(at);
    else this.open.delete(at);
    update();
  }
}

function idOf(one) {
  const sentence = Array.isArray(one.text) ? sentenceOf(one) : null;
  if (sentence) return html`<span class="mono">${sentence}</span>`;
  const name = (one.after ?? one.before)?.name;
  return html`${name ? html`<span class="name">${name}</span> ` : nothing}${one.type ? html`<code>${one.type}</code> ` : nothing}<code>${one.id}</code>`;
}

// Returns the drawing of one change in a line: its mark, the name of the element beside its id, and the way to its past.
export function namedChange(env, one) {
  const [mark, word] = WORDS[one.change];
  const name = one.text ? html`<span class="mono">${one.text}</span>` : html`${one.name ? html`<span class="name">${one.name}</span> ` : nothing}${idOf(one)}`;
  const link = one.change === "removed" ? null : linkOf(env, one);
  return html`<span class="mark" aria-hidden="true">${mark}</span><span class="hidden">${word}: </span><span class="soft">${one.kind.replaceAll("_", " ")}</span>
    ${link ? html`<a href=${link}>${name}</a>` : name}`;
}

// Returns the address of an element's own past.
export const pastLink = (env, { kind, type, id }) => placeLink(env, "history", [], { kind, type, id });

function linkOf(env, one) {
  const kind = kindOf(one.kind);
  return kind ? elementLink(env, kind, kind.isOne ? [] : one.type ? [one.type, one.id] : [one.id]) : null;
}

// Returns how many elements of each list a change touches, in words: "policies +2 ~1".
export function countsOf(changes) {
  const lists = Object.entries(changes);
  if (!lists.length) return html`<span class="soft">nothing</span>`;
  return lists.map(([list, many], at) => html`${at ? ", " : nothing}<span class="counts">${list.replaceAll("_", " ")}${marks(many)}</span>`);
}

function marks(many) {
  const found = Object.entries(WORDS).filter(([name]) => many[name]);
  return found.map(([name, [mark, word]]) => html` <span title=${word}>${mark}${number(many[name])}<span class="hidden"> ${word}</span></span>`);
}
