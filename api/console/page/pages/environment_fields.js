// The fields of an environment: its id, its description, and what protects it.

import { html } from "../core/html.js";
import { update } from "../core/update.js";
import { faultOf } from "../parts/fault.js";

const SETTINGS = ["description", "protected", "promotion_only", "tests_must_pass", "approvals"];
const LONGEST_ID = 64;
const LONGEST_DESCRIPTION = 4096;

// The members of the body whose findings stand at a field.
export const PATHS = ["id", ...SETTINGS].map((name) => `$.${name}`);

// Returns what the fields of a new environment begin with.
export const newSettings = () => ({ description: "", protected: false, promotion_only: false, tests_must_pass: false, approvals: 0 });

// Returns the settings of an environment, for the fields.
export const settingsOf = (one) => Object.fromEntries(SETTINGS.map((name) => [name, one[name]]));

// Returns the settings of `after` that differ from those of `before`: what somebody else changed meanwhile stays.
export function changedSettings(before, after) {
  return Object.fromEntries(SETTINGS.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]));
}

// Returns the drawing of the field of the id.
export const idField = (draft, problem) => html`<label for="id">Id</label>
  <input id="id" class="mono" maxlength=${LONGEST_ID} required autocomplete="off" spellcheck="false" .value=${draft.id}
    @input=${(event) => ((draft.id = event.target.value), update())}>
  <p class="hint">It stands in the paths of the API and can't be changed: letters, digits, <code>.</code>, <code>_</code> and <code>-</code>.</p>
  ${faultOf(problem, "$.id")}`;

// Returns the drawing of the fields of the settings.
export function settingsFields(draft, problem) {
  const flag = (name, text, about, isOn, value) => html`<label>
    <input type="checkbox" .checked=${isOn} @change=${(event) => ((draft[name] = value(event.target.checked)), update())}> ${text}</label>
    <p class="hint">${about}</p>${faultOf(problem, `$.${name}`)}`;
  const itself = (isOn) => isOn;
  return html`<label for="description">Description</label>
    <textarea id="description" class="prose" maxlength=${LONGEST_DESCRIPTION} .value=${draft.description}
      @input=${(event) => ((draft.description = event.target.value), update())}></textarea>
    ${faultOf(problem, "$.description")}
    <fieldset class="settings"><legend>Protection</legend>
      ${flag("protected", "Protected", "It can't be deleted before this is taken away.", draft.protected, itself)}
      ${flag("promotion_only", "Promotion only", "Its policy model changes by promotion alone.", draft.promotion_only, itself)}
      ${flag("tests_must_pass", "Tests must pass", "Promotions and their approvals are refused if a stored test fails on what they bring. Restorations need no test.", draft.tests_must_pass, itself)}
      ${flag("approvals", "Approvals", "Each promotion and restoration, and each change of the gateway settings, waits until another credential approves it.", draft.approvals > 0, Number)}
      <details><summary>What approvals do not cover</summary><ul>
        <li>Subjects with their attributes, groups, resources, assignments and grants.</li>
        <li>Edits of policies in place, without Promotion only.</li>
        <li>The settings that the service is started with, and who may write to its data directory.</li>
        <li>What was in the environment before approvals were switched on.</li></ul></details>
    </fieldset>`;
}
