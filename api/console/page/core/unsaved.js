// Keeps text that is not saved: leaving it asks first.

/** @type {() => boolean} */
let isUnsaved = () => false;

// Tells how to find out whether the open page has text that is not saved.
/** @param {(() => boolean) | null} [asking] */
export function watchUnsaved(asking) {
  isUnsaved = asking ?? (() => false);
}

// Returns whether the open page has text that is not saved.
export const hasUnsaved = () => isUnsaved();

// Returns whether the open page may be left: it has nothing unsaved, or the user says so.
export function mayLeave() {
  return !isUnsaved() || window.confirm("What you wrote here is not saved. Leave it?");
}

globalThis.window?.addEventListener("beforeunload", (event) => {
  if (isUnsaved()) event.preventDefault();
});
