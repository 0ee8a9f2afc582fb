// Saves a question as a stored policy test: its answer of today is what the test expects from then on.

import { html } from "../core/html.js";
import { path, post } from "../core/api.js";
import { placeLink } from "../core/place.js";
import { update } from "../core/update.js";
import { Act } from "./act.js";
import { openDialog } from "./dialog.js";

// Opens the dialog that saves `request` as a test of an environment, which expects `decision`.
export function saveAsTest(env, request, decision) {
  const given = { id: "", expected: decision ?? false, isSaved: false };
  const act = new Act();
  openDialog({
    title: "Save as a policy test",
    view: (close) => (given.isSaved ? saved(env, given.id, close) : form(env, request, given, act, close)),
  });
}

function form(env, request, given, act, close) {
  return html`<form @submit=${(event) => (event.preventDefault(), save(env, request, given, act))}>
    <label for="test-id">Id of the test</label>
    <input id="test-id" class="mono" required autocomplete="off" .value=${given.id} @input=${(event) => (given.id = event.target.value)}>
    <fieldset><legend>The answer must be</legend>
      ${[true, false].map((one) => html`<label><input type="radio" name="expected" .checked=${given.expected === one}
        @change=${() => ((given.expected = one), update())}> ${one ? "Allowed" : "Denied"}</label>`)}</fieldset>
    ${act.trouble()}
    <p class="actions"><button type="submit" ?disabled=${act.isBusy}>Save the test</button>
      <button class="quiet" type="button" @click=${close}>Cancel</button></p>
  </form>`;
}

async function save(env, request, given, act) {
  const test = { name: given.id, request, expect: { decision: given.expected } };
  const found = await act.run(() => post(path`/v1/environments/${env}/tests`, { id: given.id, tests: [test] }));
  if (found !== undefined) given.isSaved = true;
  update();
}

const saved = (env, id, close) => html`<p>The test is saved.</p>
  <p class="actions"><a class="button" href=${placeLink(env, "tests", [id])} @click=${close}>Open the test</a>
    <button class="quiet" type="button" @click=${close}>Close</button></p>`;
