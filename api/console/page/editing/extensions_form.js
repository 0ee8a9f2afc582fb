// The form of a model's extensions: a check box for each, with the conditions that it allows.

import { html } from "../core/html.js";
import { faultsAt, flagField } from "./fields.js";

/** @type {[string, string, string][]} */
const EXTENSIONS = [
  ["arrays", "Arrays", "Conditions may look for elements of an array: contains, contains any of, contains none of."],
  ["now", "Now", "Conditions may compare an instant of a resource or a subject with the time of the request."],
  ["references", "References", "Conditions may compare with another value of the request, such as the id of the subject."],
];

// Returns the drawing of the form.
/** @type {(draft: Draft, faults: Fault[]) => Drawing} */
export function extensionsForm(draft, faults) {
  const names = /** @type {string[]} */ (/** @type {unknown} */ (draft.body));
  const turn = (name, isOn) => draft.replace([...names.filter((one) => one !== name), ...(isOn ? [name] : [])].toSorted());
  return html`${EXTENSIONS.map(([name, label, hint]) => flagField({ label, value: names.includes(name), hint, set: (isOn) => turn(name, isOn) }))}
    ${faultsAt(faults, "$")}`;
}
