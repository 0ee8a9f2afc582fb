// A field for several values: each is typed with suggestions, and each can be taken away again.

import { html, nothing } from "../core/html.js";

// Returns the drawing of the field. `values` are those that are chosen, `typed` is the text in the field, and
// `suggestions` are at most 100 others. `change(values, typed)` is told the new ones.
export function several({ id, label, values, typed, suggestions, change, fault = nothing }) {
  const add = () => change(withTyped(values, typed), "");
  return html`<label for=${id}>${label}</label>
    ${values.length ? html`<ul class="several">${values.map((one) => chosen(one, values, typed, change))}</ul>` : nothing}
    <div class="with-button">
      <input id=${id} class="mono" list="${id}-known" autocomplete="off" spellcheck="false" aria-describedby="${id}-fault"
        .value=${typed} @input=${(event) => change(values, event.target.value)}
        @keydown=${(event) => event.key === "Enter" && typed.trim() && (event.preventDefault(), add())}>
      <button class="quiet" type="button" ?disabled=${!typed.trim()} @click=${add}>Add</button>
    </div>
    <datalist id="${id}-known">${suggestions.map((one) => html`<option value=${one}></option>`)}</datalist>
    <div id="${id}-fault">${fault}</div>`;
}

// Returns the values with the one that is typed and not added: people who typed it mean it.
export function withTyped(values, typed) {
  const text = typed.trim();
  return text && !values.includes(text) ? [...values, text] : values;
}

const chosen = (one, values, typed, change) => html`<li><code>${one}</code>
  <button class="quiet" type="button" aria-label="Remove ${one}"
    @click=${() => change(values.filter((other) => other !== one), typed)}>Remove</button></li>`;
