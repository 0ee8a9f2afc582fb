// A list of ids: each can be removed, and another one is typed below them, with suggestions.

import { html, nothing } from "../core/html.js";
import { whenSessionEnds } from "../core/session.js";
import { update } from "../core/update.js";
import { faultsAt } from "./fields.js";

const typing = new Map(); // what is typed and not added yet, by the path of its list

whenSessionEnds(() => typing.clear());

// Returns the drawing of a list of texts. `noun` names one of them: "a role". `link(id)` is the address of its page.
/** @param {FieldGiven & {values: string[], noun: string, link?: (id: string) => string}} field */
export function idList({ label, at, values, set, faults = [], list, noun, link, hint }) {
  const typed = typing.get(at) ?? "";
  const add = () => {
    const found = typed.trim();
    if (found && !values.includes(found)) set([...values, found]);
    typing.delete(at);
    update();
  };
  return html`<div class="field" role="group" aria-label=${label}>
    <label for=${at}>${label}</label>
    ${values.length ? html`<ul class="chips">${values.map((one, index) => chip(one, index, { at, values, set, faults, link }))}</ul>` : nothing}
    <div class="adding">
      <input id=${at} class="mono" autocomplete="off" spellcheck="false" list=${list ?? nothing} .value=${typed} placeholder=${`Add ${noun}`}
        @input=${(event) => (typing.set(at, event.target.value), update())} @change=${add}
        @keydown=${(event) => event.key === "Enter" && (event.preventDefault(), add())}>
      <button class="quiet" type="button" ?disabled=${!typed.trim()} @click=${add}>Add</button>
    </div>
    ${hint ? html`<p class="hint">${hint}</p>` : nothing}${faultsAt(faults, at)}
  </div>`;
}

function chip(one, index, { at, values, set, faults, link }) {
  const isFaulty = faults.some((fault) => fault.path === `${at}[${index}]`);
  return html`<li class=${isFaulty ? "faulty" : ""}>${link ? html`<a href=${link(one)}><code>${one}</code></a>` : html`<code>${one}</code>`}
    <button class="link" type="button" aria-label=${`Remove ${one}`} @click=${() => set(values.filter((other) => other !== one))}>✕</button></li>`;
}
