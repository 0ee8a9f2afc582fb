// The dialog that shows a secret. The service shows it once, so closing asks whether it was stored.

import { html, nothing } from "../core/html.js";
import { update } from "../core/update.js";
import { copyable } from "./copy.js";
import { openDialog } from "./dialog.js";
import { notice } from "./notice.js";

let shown = []; // the dialogs with a secret

// Returns whether a secret is on the screen: a page that is left then loses it.
export const isSecretShown = () => shown.some((one) => !one.isClosed);

// Shows a secret. `about` says in a sentence what it is for. `more` are other values, [[name, text]].
/** @param {{title: string, about: string, name: string, secret: string, more?: [string, string][]}} given */
export function showSecret({ title, about, name, secret, more = [] }) {
  let isAsking = false;
  let isStored = false;
  const mayClose = () => {
    isAsking = !isStored;
    update();
    return isStored;
  };
  const dialog = openDialog({
    title,
    mayClose,
    isKept: true,
    view: (close) => html`<p>${about}</p>
      ${[...more, [name, secret]].map(([label, text], at) => html`<p class="label">${label}</p>${copyable(`secret-${at}`, text)}`)}
      ${notice("warn", html`<p>Store it now, where only your program can read it. Writ keeps a hash of it and can't show it again.</p>`)}
      ${isAsking ? question(close, () => (isStored = true), () => (isAsking = false)) : nothing}
      ${isAsking ? nothing : html`<p class="actions"><button type="button" @click=${close}>Close</button></p>`}`,
  });
  shown = [...shown.filter((one) => !one.isClosed), dialog];
}

const question = (close, store, back) => html`<p class="actions" role="alert"><b>Did you store it?</b></p>
  <p class="actions">
    <button type="button" @click=${() => (store(), close())}>Yes, it is stored</button>
    <button class="quiet" type="button" @click=${() => (back(), update())}>No, go back</button>
  </p>`;
