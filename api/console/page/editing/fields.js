// Fields of forms: each has a label, perhaps a hint, and the faults of its value below it.

import { html, nothing } from "../core/html.js";
import { sentence } from "../parts/notice.js";
import { unseenIn } from "../parts/unseen.js";

// Returns the faults below a field. `at` is the path of its member, like `$.conditions.rate_limit.limit`.
/** @type {(faults: Fault[], at: string, isExact?: boolean) => Drawing} */
export function faultsAt(faults, at, isExact = false) {
  const found = faults.filter((one) => one.path === at || (!isExact && isWithin(one.path, at)));
  return found.map((one) => html`<p class="fault" id=${`${at}-fault`}>
    <span aria-hidden="true">${one.severity === "warning" ? "! " : "✕ "}</span>${sentence(one.message)}
    ${one.help ? html`<span class="soft">${sentence(one.help)}</span>` : nothing}</p>`);
}

/** @type {(path: string | undefined, at: string) => boolean} */
const isWithin = (path, at) => path !== undefined && path.startsWith(at) && ".[".includes(path[at.length]);

// Returns whether there is an error at a field.
export const isFaulty = (faults, at) => faults.some((one) => one.path === at || isWithin(one.path, at));

// Returns a field for a line of text. `list` is the id of its suggestions. `set(text)` takes what was typed.
/** @param {FieldGiven} field */
export function textField({ label, at, value, set, faults = [], hint, list, isName = false, isHidden = false, placeholder = "" }) {
  return html`<div class="field">
    <label for=${at} class=${isHidden ? "hidden" : ""}>${label}</label>
    <input id=${at} class=${isName ? "" : "mono"} autocomplete="off" spellcheck="false" .value=${value ?? ""} placeholder=${placeholder}
      list=${list ?? nothing} aria-invalid=${isFaulty(faults, at) ? "true" : "false"}
      @input=${(event) => set(event.target.value)}>
    ${hint ? html`<p class="hint">${hint}</p>` : nothing}${unseenIn(value)}${faultsAt(faults, at)}
  </div>`;
}

// Returns a field for several lines of text.
/** @param {FieldGiven & {rows?: number}} field */
export function areaField({ label, at, value, set, faults = [], hint, isHidden = false, rows = 3, isName = false, placeholder = "" }) {
  return html`<div class="field">
    <label for=${at} class=${isHidden ? "hidden" : ""}>${label}</label>
    <textarea id=${at} class=${isName ? "words" : ""} rows=${rows} placeholder=${placeholder} spellcheck="false" .value=${value ?? ""}
      aria-invalid=${isFaulty(faults, at) ? "true" : "false"} @input=${(event) => set(event.target.value)}></textarea>
    ${hint ? html`<p class="hint">${hint}</p>` : nothing}${unseenIn(value)}${faultsAt(faults, at)}
  </div>`;
}

// Returns a choice of few values: `options` are [value, name].
/** @param {FieldGiven & {options: Choice[]}} field */
export function choiceField({ label, at, value, set, options, faults = [], isHidden = false }) {
  return html`<div class="field">
    <label for=${at} class=${isHidden ? "hidden" : ""}>${label}</label>
    <select id=${at} aria-invalid=${isFaulty(faults, at) ? "true" : "false"} @change=${(event) => set(event.target.value)}>
      ${options.map(([one, name]) => html`<option value=${one} .selected=${one === value}>${name}</option>`)}
    </select>${faultsAt(faults, at)}
  </div>`;
}

// Returns a check box.
/** @param {{label: string, value: boolean, set(isOn: boolean): void, hint?: Drawing}} field */
export function flagField({ label, value, set, hint }) {
  return html`<div class="field"><label><input type="checkbox" .checked=${value} @change=${(event) => set(event.target.checked)}> ${label}</label>
    ${hint ? html`<p class="hint">${hint}</p>` : nothing}</div>`;
}
