// Try a decision: the answer of the live policies to one request, its reason and its proof.

import { html, nothing } from "../core/html.js";
import { announce } from "../core/announcement.js";
import { explained, questionAt, questionLink } from "../core/asking.js";
import { environmentOf } from "../core/environments.js";
import { goTo, placeLink } from "../core/place.js";
import { reasonWords } from "../core/reasons.js";
import { may } from "../core/session.js";
import { update } from "../core/update.js";
import { bringIntoView } from "../core/view.js";
import { number } from "../core/words.js";
import { Act } from "../parts/act.js";
import { giveAnother, heldBy } from "../editing/repair_dialog.js";
import { repairsOf } from "../editing/repairs.js";
import { openDialog } from "../parts/dialog.js";
import { doneNotice, forgetDone, tellDoneAt } from "../parts/done.js";
import { FilterView } from "../parts/filter_view.js";
import { heading } from "../parts/heading.js";
import { nothingYet, notice } from "../parts/notice.js";
import { proof } from "../parts/proof.js";
import { RequestFields } from "../parts/request_form.js";
import { saveAsTest } from "../parts/policy_test_saving.js";

// The question stands in the fragment of the address: a person who gets the link sees the same, and no server logs it.
export function page(place) {
  const asked = questionAt(place);
  const state = { place, fields: new RequestFields(place.env, asked), act: new Act(), answer: null, asked: null, filter: null, repairs: null };
  if (asked) {
    forgetDone(); // what was repaired was another question
    decide(state, asked);
  }
  return { title: "Try a decision", view: () => view(state) };
}

function view(state) {
  return html`${heading("Try a decision", "Asks the live policies. Nothing is changed.")}
    <div class="columns">
      <section><h2>Request</h2>
        <form @submit=${(event) => (event.preventDefault(), submit(state))}>
          ${state.fields.view({ hasOptions: true })}
          <p class="actions">
            <button type="submit" ?disabled=${state.act.isBusy}>Decide</button>
            ${tool("As JSON", () => asJson(state))} ${tool("As curl", () => asCurl(state))}
            ${may("write") ? tool("Save as test", () => withRequest(state, (one) => saveAsTest(state.place.env, state.fields.spelled(one), state.answer?.decision))) : nothing}
          </p>
        </form>
      </section>
      <section id="answer"><h2 class="hidden">Answer</h2>${state.act.trouble(() => decide(state, state.asked))}${outcome(state)}</section>
    </div>`;
}

function outcome(state) {
  const { answer, place, filter } = state;
  if (!answer) return state.act.problem ? nothing : nothingYet("Fill in a request and decide it. The answer, its reason and its proof appear here.");
  return html`${doneNotice(place, () => decide(state, state.asked))}${proof(place.env, answer, about(state))}
    ${answer.decision && may("write") ? html`<p class="actions">${tool("Give it to someone else", () => giveAnother(place, state.asked, heldBy(answer)))}</p>` : nothing}
    <p class="meta"><span>${reasonWords(answer.context.reason_code)} <code>${answer.context.reason_code}</code></span>
      <span>revision ${number(environmentOf(place.env)?.revision ?? 0)}</span>
      <span>asked in ${number(state.milliseconds)} ms</span>
      <a href=${location.hash}>Link to this question</a></p>
    ${filter ? filter.view() : html`<p class="actions">${tool("Show the filter of this subject", () => withRequest(state, (request) => ((state.filter = new FilterView(place.env, request, (name) => state.fields.typeIdOf(name))), update())))}</p>`}`;
}

// The question of the answer, for its drawings.
const about = ({ asked, fields, repairs }) => ({ request: asked, typeIdOf: (name) => fields.typeIdOf(name), repairs });

const tool = (name, act) => html`<button class="quiet" type="button" @click=${act}>${name}</button>`;

// Goes to the address of the question. A question that is asked again keeps its address, so it is asked here.
function submit(state) {
  withRequest(state, (request) => {
    const link = questionLink(state.place.env, "try", request);
    if (link === location.hash) decide(state, request);
    else goTo(link);
  });
}

async function decide(state, request) {
  const began = performance.now();
  const answer = await state.act.run(() => explained(state.place.env, request));
  state.milliseconds = Math.max(1, Math.round(performance.now() - began));
  [state.answer, state.asked] = [answer ?? null, request];
  state.repairs = answer ? repairsOf(state.place.env, answer, about(state), () => repaired(state)) : null;
  if (answer) announce(`${answer.decision ? "Allowed" : "Denied"}: ${answer.context.reason}`);
  update();
  bringIntoView("answer");
}

// Asks again after a repair, where it is told.
function repaired(state) {
  tellDoneAt(placeLink(state.place.env, state.place.page));
  decide(state, state.asked);
}

function withRequest(state, use) {
  const request = state.fields.request();
  update();
  if (request) use(request);
}

function asJson(state) {
  withRequest(state, (request) => {
    /** @type {{text: string, fault: string | null}} */
    const written = { text: JSON.stringify(request, null, 2), fault: null };
    const take = (close) => {
      try {
        state.fields.take(JSON.parse(written.text));
        close();
      } catch (problem) {
        written.fault = `This is not a request in JSON: ${problem.message}`;
      }
      update();
    };
    openDialog({
      title: "Request as JSON",
      view: (close) => html`<label for="json">Change it here, or paste another one</label>
        <textarea id="json" class="tall" spellcheck="false" .value=${written.text} @input=${(event) => (written.text = event.target.value)}></textarea>
        ${written.fault ? notice("bad", html`<p>${written.fault}</p>`) : nothing}
        <p class="actions"><button type="button" @click=${() => take(close)}>Take it over</button>
          <button class="quiet" type="button" @click=${close}>Cancel</button></p>`,
    });
  });
}

function asCurl(state) {
  withRequest(state, (request) => {
    const url = new URL(`./environments/${encodeURIComponent(state.place.env)}/access/v1/evaluation`, new URL("../", document.baseURI));
    const command = `curl -s ${quoted(url.href)} \\\n  -H "Authorization: Bearer $WRIT_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(request))}`;
    openDialog({
      title: "Request as a command",
      view: (close) => html`<p>Put your key into the variable <code>WRIT_KEY</code> first.</p><pre tabindex="0">${command}</pre>
        <p class="actions"><button type="button" @click=${close}>Close</button></p>`,
    });
  });
}

// Returns a text as one word of a shell. An address may have an apostrophe too.
const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
