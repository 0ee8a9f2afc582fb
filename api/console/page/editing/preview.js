// The preview of a change: who gains and who loses, the change in the language, the findings of the compiler, and which policy tests
// and recent decisions would turn out otherwise.

import { html, nothing } from "../core/html.js";
import { call, path } from "../core/api.js";
import { atThisServer, counted, number } from "../core/words.js";
import { Awaited } from "../parts/awaited.js";
import { changedText } from "./changed_text.js";
import { finding } from "../parts/findings.js";
import { failure } from "../parts/notice.js";
import { goesRound } from "../parts/round_approvals.js";
import { effectOnPeople } from "./people.js";

const SHOWN = 20; // tests and groups of decisions
export const TOO_MANY = "too-many-affected"; // no error: the change itself may well succeed
const ALLOWED = "ALLOWED"; // the one reason code of an answer that allows (D3)
const SHOWN_REFUSALS = [400, 404, 409]; // what the change itself would meet too

export class Preview {
  // `change()` returns the change, as the API takes it. `refused(problem)` is told what the change itself would meet.
  /**
   * @param {string} env
   * @param {() => any} change
   * @param {(problem: any) => void} [refused]
   */
  constructor(env, change, refused = () => {}) {
    this.env = env;
    this.change = change;
    this.refused = refused;
    this.found = new Awaited("what the change does", (signal) => this.ask(env, signal));
  }

  async ask(env, signal) {
    try {
      return (await call("POST", path`/v1/environments/${env}/changes:preview`, { body: { changes: [this.change()] }, signal })).data;
    } catch (problem) {
      if (!SHOWN_REFUSALS.includes(problem.status)) throw problem;
      this.refused(problem);
      return { problem };
    }
  }

  // Asks again, with what the change is now.
  again() {
    return this.found.again();
  }

  // Returns whether the change is told in the language.
  get isTold() {
    return Boolean(this.found.value?.elements?.length);
  }

  view() {
    return html`${goesRound(this.env)}${this.found.view((found) => effect(this.env, found))}`;
  }
}

// Returns the drawing of a preview that the service has answered.
export function effect(env, found) {
  if (found.problem) return failure(found.problem);
  const [first, ...others] = found.diagnostics;
  if (first?.code === TOO_MANY && !others.length) return html`<p class="soft">This change can't be tried before it is saved, since it affects too much.</p>`;
  return html`${effectOnPeople(env, found.people, { isApart: true })}
    ${found.elements.length ? html`<h3>In the language</h3>${inTheLanguage(found)}` : nothing}
    ${found.diagnostics.length ? html`<h3>What the compiler says</h3>${found.diagnostics.map(finding)}` : nothing}
    ${found.tests ? html`<h3>Policy tests</h3>${tests(found.tests)}${found.decisions ? html`<h3>Recent decisions${atThisServer(found.decisions)}</h3>${decisions(found.decisions)}` : nothing}` : nothing}`;
}

function inTheLanguage(found) {
  return html`${found.elements.slice(0, SHOWN).map((one) => changedText(one.text))}
    ${found.truncated || found.elements.length > SHOWN ? html`<p class="soft">and more</p>` : nothing}`;
}

function tests(found) {
  const all = found.passed + found.failed + found.not_run;
  if (!all) return html`<p class="soft">This environment has no policy tests.</p>`;
  return html`<p>${mark(!found.failed && !found.changed.length)}${counted(found.passed, "test")} would pass and ${number(found.failed)} would
      fail${found.not_run ? `; ${number(found.not_run)} can't be run` : ""}${found.changed.length ? "." : ", as now."}</p>
    <ul class="plain">${found.changed.slice(0, SHOWN).map((one) => html`<li><span class="mark gone" aria-hidden="true">!</span>
      <span class="name">${one.test.name}</span> <code>${one.test.id}</code>: ${said(one.before)} now, ${said(one.after)} then</li>`)}</ul>
    ${found.truncated || found.changed.length > SHOWN ? html`<p class="soft">and more</p>` : nothing}`;
}

// The service puts answers that flip before those of which only the reason, or the policy that decides, is another one.
function decisions(found) {
  if (!found.replayed) return html`<p class="soft">The decision log has no requests that can be asked again.</p>`;
  const { now_allowed, now_denied } = found.effects;
  const flips = now_allowed + now_denied;
  const others = found.changed - flips;
  return html`<p>${mark(!found.changed)}${number(flips)} of the last ${counted(found.replayed, "decision")} would be another one${
      flips ? html` (${number(now_allowed)} then allowed, ${number(now_denied)} then denied)` : nothing}${
      others ? html`, and ${number(others)} would have another reason` : nothing}.${
      found.by_console ? html` <span class="soft">${counted(found.by_console, "question")} of this console ${found.by_console > 1 ? "are" : "is"} left out.</span>` : nothing}</p>
    <ul class="plain">${found.groups.slice(0, SHOWN).map((one) => html`<li>${isFlip(one) ? flipTag(one) : nothing}${counted(one.count, "decision")}:
      <code>${one.before}</code>${by(one.grant_before ?? one.policy_before)} now, <code>${one.after}</code>${by(decidesThen(one))} then</li>`)}</ul>
    ${found.groups.length > SHOWN ? html`<p class="soft">and more</p>` : nothing}`;
}

// If nothing decides then, `policy_id` is the one that decides now. It is left out if that is a grant, which never denies.
const decidesThen = (one) => one.grant ?? (one.grant_before && one.policy_id === one.policy_before ? null : one.policy_id);
const isFlip = (one) => (one.before === ALLOWED) !== (one.after === ALLOWED);
const flipTag = (one) => (one.after === ALLOWED ? html`<span class="tag allow">✓ then allowed</span>` : html`<span class="tag deny">✕ then denied</span>`);
const by = (id) => (id ? html` by <code>${id}</code>` : nothing);
const said = (outcome) => (outcome.passed ? "passes" : outcome.problems.length ? "can't be run" : "fails");
const mark = (isGood) => html`<span class="mark ${isGood ? "yes" : "gone"}" aria-hidden="true">${isGood ? "✓" : "!"}</span>`;
