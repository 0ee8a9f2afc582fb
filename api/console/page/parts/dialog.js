// Dialogs: they hold the focus, Escape closes them, and the focus returns to where it was.

import { html, nothing } from "../core/html.js";
import { whenSessionEnds } from "../core/session.js";
import { update } from "../core/update.js";
import { failure } from "./notice.js";

const open = []; // {id, title, view(close), mayClose, isKept, isClosed}; a closed one keeps its place while others are open
let nextId = 1;
const anyTime = () => true;

// Opens a dialog. `view(close)` draws its content. `mayClose()` may keep it open. A dialog ends with the session; one that
// `isKept` ends only when the user signs out, and outlives a credential that expires.
export function openDialog({ title, view, mayClose = anyTime, isKept = false }) {
  const dialog = { id: `dialog-${nextId++}`, title, view, mayClose, isKept, isClosed: false };
  dialog.close = () => dialog.mayClose() && closeNow([dialog]);
  open.push(dialog);
  update();
  requestAnimationFrame(() => {
    const element = elementOf(dialog);
    if (element && !element.open) element.showModal();
  });
  return dialog;
}

// Shows the open dialogs again, after the page was not drawn for a while.
export function showDialogs() {
  requestAnimationFrame(() => {
    for (const dialog of open) {
      const element = elementOf(dialog);
      if (element && !element.open && !dialog.isClosed) element.showModal();
    }
  });
}

/** @returns {HTMLDialogElement | null} */
const elementOf = ({ id }) => document.querySelector(`dialog#${id}`);

whenSessionEnds((isSignOut) => closeNow(open.filter((one) => isSignOut || !one.isKept)));

function closeNow(dialogs) {
  for (const dialog of dialogs) {
    dialog.isClosed = true;
    elementOf(dialog)?.close();
  }
  if (open.every((one) => one.isClosed)) open.length = 0;
  update();
}

// Returns the drawing of the dialogs that are open.
export function drawDialogs() {
  return open.map(
    (dialog) => dialog.isClosed ? nothing : html`<dialog id=${dialog.id} aria-labelledby="${dialog.id}-title"
      @cancel=${(event) => (event.preventDefault(), dialog.close())}>
      <h2 id="${dialog.id}-title">${dialog.title}</h2>
      ${dialog.view(dialog.close)}
    </dialog>`,
  );
}

// Asks before something ends that can't be undone: the user types its name. `act` returns a promise. `text` says what
// ends, or is a function that draws it.
export function confirmEnd({ title, text, name, button, act }) {
  let typed = "";
  let problem = null;
  let isBusy = false;
  const typing = (event) => ((typed = event.target.value), update());
  openDialog({
    title,
    view: (close) => html`<form @submit=${async (event) => {
      event.preventDefault();
      if (typed !== name || isBusy) return;
      isBusy = true;
      update();
      try {
        await act();
        close();
      } catch (found) {
        problem = found;
      }
      isBusy = false;
      update();
    }}>
      ${typeof text === "function" ? text() : html`<p>${text}</p>`}
      <label for="end-name">To confirm, type <code>${name}</code></label>
      <input id="end-name" class="mono" autocomplete="off" spellcheck="false" .value=${typed} @input=${typing}>
      ${problem ? failure(problem) : nothing}
      <p class="actions">
        <button class="danger" type="submit" ?disabled=${typed !== name || isBusy}>${button}</button>
        <button class="quiet" type="button" @click=${close}>Cancel</button>
      </p>
    </form>`,
  });
}
