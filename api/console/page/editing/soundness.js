// The check of a draft before its review: errors stand at the fields, and no dialog opens for what can't be saved.

import { Refused } from "../core/api.js";
import { tried } from "../core/asking.js";
import { update } from "../core/update.js";
import { TOO_MANY } from "./preview.js";

// Returns whether the service finds no error in a draft. Notes what it finds, or why it could not be asked.
/** @type {(draft: Draft) => Promise<boolean>} */
export async function isSound(draft) {
  if (draft.kind.isOutside) return true;
  const found = await draft.act.run(() => tried(draft.env, [draft.change()], null));
  if (!found) return false;
  const errors = found.diagnostics.filter((one) => one.severity === "error" && one.code !== TOO_MANY);
  if (errors.length) draft.act.problem = new Refused("nothing is changed yet", 0, errors, null);
  update();
  return !errors.length;
}

// Puts the focus on the first field with an error, once it is drawn.
export function goToFault() {
  requestAnimationFrame(() => /** @type {HTMLElement | null} */ (document.querySelector('form [aria-invalid="true"]'))?.focus());
}
