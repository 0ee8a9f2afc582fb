// A field for an instant, as people write it. What was understood stands below it at once, as a date with its time zone.

import { html, nothing } from "../core/html.js";
import { now } from "../core/clock.js";
import { update } from "../core/update.js";
import { distance } from "../core/words.js";
import { absolute, readInstant } from "../parts/instant_words.js";
import { unseenIn } from "../parts/unseen.js";
import { faultsAt, isFaulty } from "./fields.js";

const STARTS = ["tomorrow", "Monday 09:00"];
const ENDS = ["Friday 18:00", "in 2 weeks", "in 30 days", "end of month"];

// The words in the fields of a form without a draft, and the faults of those that can't be read, by the field.
export class Written {
  constructor() {
    /** @type {Map<string, {text: string, value: any}>} */
    this.words = new Map();
    /** @type {Map<string, string>} */
    this.local = new Map();
  }

  // Notes that a field's text can't be read, or that it can be now (null).
  /** @type {(at: string, message: string | null) => void} */
  fault(at, message) {
    if (message === null) this.local.delete(at);
    else this.local.set(at, message);
  }

  /** @returns {Fault[]} */
  faults() {
    return Array.from(this.local, ([path, message]) => ({ path, message }));
  }
}

// Returns the field. `written` is a draft, or a Written. `without` says what it means to leave the instant out; a field
// without it needs one. `isEnd` is true where something ends then. `set` takes RFC 3339, or undefined.
/** @param {FieldGiven & {written: any, without?: string, isEnd?: boolean}} field */
export function instantField({ label, at, value, set, written, without, isEnd = false, faults = [] }) {
  const kept = written.words.get(at);
  const text = kept && (kept.value === value || written.local.has(at)) ? kept.text : (value ?? "");
  const write = (words) => {
    const { instant, fault = null } = words.trim() ? readInstant(words, { isEnd }) : { instant: undefined };
    written.words.set(at, { text: words, value: fault ? value : instant });
    written.fault(at, fault);
    if (fault) update();
    else set(instant);
  };
  return html`<div class="field">
    <label for=${at}>${label}</label>
    <div class="with-button"><input id=${at} autocomplete="off" spellcheck="false" .value=${text} placeholder="Friday 18:00, or 2026-12-01"
        aria-invalid=${isFaulty(faults, at) ? "true" : "false"} aria-describedby="${at}-understood" @input=${(event) => write(event.target.value)}>
      ${calendar(label, value, write)}</div>
    <p class="hint" id="${at}-understood" aria-live="polite">${understood(value, written.local.has(at), without)}</p>
    ${unseenIn(text)}${faultsAt(faults, at)}
    <p class="quick">${(isEnd ? ENDS : STARTS).map((words) => html`<button class="link" type="button" aria-label=${`${label}: ${words}`} @click=${() => write(words)}>${words}</button>`)}
      ${value && without ? html`<button class="link" type="button" aria-label=${`${label}: ${without}`} @click=${() => write("")}>${without}</button>` : nothing}</p></div>`;
}

function understood(value, isUnclear, without) {
  if (isUnclear) return nothing;
  if (!value) return without ? html`Empty means: ${without}.` : nothing;
  if (Number.isNaN(Date.parse(value))) return nothing;
  const isPast = Date.parse(value) <= now();
  return html`<time datetime=${value} title=${value}>${absolute(value)}</time>, ${distance(value)}${isPast ? html` <span class="tag warn">! past</span>` : nothing}`;
}

// The browser's own calendar. It is for those who point, so the field with the words stays the one that keys reach.
function calendar(label, value, write) {
  const open = (event) => {
    const picker = event.currentTarget.nextElementSibling;
    picker.value = value ? localText(value) : "";
    picker.showPicker();
  };
  return html`<button class="quiet" type="button" aria-label=${`${label}: calendar`} @click=${open}>Calendar</button>
    <input class="picker" type="datetime-local" tabindex="-1" aria-hidden="true" @change=${(event) => event.target.value && write(event.target.value.replace("T", " "))}>`;
}

function localText(value) {
  const at = new Date(value);
  return Number.isNaN(at.getTime()) ? "" : new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
