// The review before a change is saved: what differs, and what policy tests and recent decisions would change.

import { html, nothing } from "../vendor/lit-html.js";
import { call, path } from "../core/api.js";
import { counted, number } from "../core/words.js";
import { Awaited } from "../parts/awaited.js";
import { openDialog } from "../parts/dialog.js";
import { finding } from "../parts/findings.js";
import { failure, notice } from "../parts/notice.js";
import { difference } from "./difference.js";

const SHOWN = 20; // tests and groups of decisions
const [REFUSED, NOT_FOUND] = [400, 404];

// Opens the review of a draft. `saved(answer)` is called when the user has saved it. `extra()` draws what only one kind has.
export function review(draft, saved, extra = null) {
  const preview = draft.kind.isOutside ? null : new Awaited("what the change does", (signal) => asked(draft, signal));
  openDialog({
    title: draft.isNew ? `Create this ${draft.kind.noun}?` : "Save this change?",
    view: (close) => html`<div class="wide">
      ${extra ? extra() : nothing}
      <h3>What differs</h3>${difference(draft.stored, draft.body)}
      ${preview ? preview.view(effect) : nothing}
      ${draft.theirs ? overtaken(draft, close) : draft.act.trouble()}
      <p class="actions">
        <button type="button" ?disabled=${draft.act.isBusy || draft.theirs} @click=${() => save(draft, close, saved)}>
          ${draft.act.isBusy ? "Saving…" : draft.isNew ? `Create the ${draft.kind.noun}` : `Save the ${draft.kind.noun}`}</button>
        <button class="quiet" type="button" @click=${close}>Go on editing</button>
      </p></div>`,
  });
}

async function save(draft, close, saved) {
  const answer = await draft.save();
  if (answer === undefined) return;
  close();
  saved(answer);
}

// Returns what the service says that the change would do.
async function asked(draft, signal) {
  const body = { changes: [{ kind: draft.kind.name, ...keyMembers(draft), element: draft.body }] };
  try {
    return (await call("POST", path`/v1/environments/${draft.env}/changes:preview`, { body, signal })).data;
  } catch (problem) {
    if (problem.status === NOT_FOUND || problem.status === REFUSED) return { problem };
    throw problem;
  }
}

const keyMembers = ({ isNew, kind, stored }) => (isNew ? {} : Object.fromEntries(kind.key.map((name) => [name, stored[name]])));

function effect(found) {
  if (found.problem) return failure(found.problem);
  return html`${found.diagnostics.length ? html`<h3>What the compiler says</h3>${found.diagnostics.map(finding)}` : nothing}
    ${found.tests ? html`<h3>Policy tests</h3>${tests(found.tests)}<h3>Recent decisions</h3>${decisions(found.decisions)}` : nothing}`;
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

function decisions(found) {
  if (!found) return html`<p class="soft">There is no decision log that the service can read back, so nobody can tell.</p>`;
  if (!found.replayed) return html`<p class="soft">The decision log has no requests that can be asked again.</p>`;
  return html`<p>${mark(!found.changed)}${number(found.changed)} of the last ${counted(found.replayed, "decision")} would be another one.</p>
    <ul class="plain">${found.groups.slice(0, SHOWN).map((one) => html`<li>${counted(one.count, "decision")}:
      <code>${one.before}</code>${by(one.policy_before)} now, <code>${one.after}</code>${by(one.policy_id)} then</li>`)}</ul>
    ${found.groups.length > SHOWN ? html`<p class="soft">and more</p>` : nothing}`;
}

const by = (id) => (id ? html` by <code>${id}</code>` : nothing);
const said = (outcome) => (outcome.passed ? "passes" : outcome.problems.length ? "can't be run" : "fails");
const mark = (isGood) => html`<span class="mark ${isGood ? "yes" : "gone"}" aria-hidden="true">${isGood ? "✓" : "!"}</span>`;

// Somebody else has changed the element meanwhile: both versions, and the choice.
function overtaken(draft, close) {
  return html`${notice("warn", html`<p>Somebody else has changed this ${draft.kind.noun} meanwhile. Nothing is saved.</p>`)}
    <h3>What is stored now, and what you want</h3>${difference(draft.theirs.stored, draft.body, ["stored now", "yours"])}
    <p class="actions">
      <button class="quiet" type="button" @click=${() => (draft.takeTheirs(), close())}>Take what is stored, and drop mine</button>
      <button class="quiet" type="button" @click=${() => draft.meetTheirs()}>Keep mine, to save over it</button>
    </p>`;
}
