// The review before a change is saved: what differs, and what policy tests and recent decisions would change.

import { html, nothing } from "../vendor/lit-html.js";
import { call, path } from "../core/api.js";
import { counted, number } from "../core/words.js";
import { Awaited } from "../parts/awaited.js";
import { openDialog } from "../parts/dialog.js";
import { finding } from "../parts/findings.js";
import { failure, notice } from "../parts/notice.js";
import { difference } from "./difference.js";
import { keyOf } from "./draft.js";

const SHOWN = 20; // tests and groups of decisions

// Opens the review of a draft. `saved(answer)` is called when the user has saved it. `extra()` draws what only one kind has.
export function review(draft, saved, extra = null) {
  const preview = new Awaited("what the change does", (signal) => asked(draft, signal));
  openDialog({
    title: draft.isNew ? `Create this ${draft.kind.noun}?` : "Save this change?",
    view: (close) => html`<div class="wide">
      ${extra ? extra() : nothing}
      <h3>What differs</h3>${difference(draft.stored, draft.body)}
      ${preview.view(effect)}
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

// Returns what the service says that the change would do, or null if it can't tell.
async function asked(draft, signal) {
  const key = draft.isNew ? {} : { key: keyOf(draft.kind, draft.stored) };
  const body = { changes: [{ kind: draft.kind.name, ...key, element: draft.body }] };
  try {
    return (await call("POST", path`/v1/environments/${draft.env}/changes:preview`, { body, signal })).data;
  } catch (problem) {
    if (problem.status === 404) return { isUnknown: true };
    if (problem.status === 400) return { problem };
    throw problem;
  }
}

function effect(found) {
  if (found.isUnknown) return nothing;
  if (found.problem) return failure(found.problem);
  return html`${found.diagnostics?.length ? html`<h3>What the compiler says</h3>${found.diagnostics.map(finding)}` : nothing}
    <h3>Policy tests</h3>${tests(found.tests)}
    <h3>Recent decisions</h3>${decisions(found.decisions)}`;
}

function tests(found) {
  if (!found || found.passed + found.failed === 0) return html`<p class="soft">This environment has no policy tests.</p>`;
  const changed = found.changed ?? [];
  return html`<p>${found.failed ? html`<span class="mark no" aria-hidden="true">✕</span>` : html`<span class="mark yes" aria-hidden="true">✓</span>`}
      ${counted(found.passed, "test")} would pass and ${number(found.failed)} would fail${changed.length ? "." : ", as now."}</p>
    ${changed.slice(0, SHOWN).map((one) => html`<p><span class="mark gone" aria-hidden="true">!</span><span class="name">${one.test}</span>:
      <code>${shown(one.before)}</code> → <code>${shown(one.after)}</code></p>`)}
    ${changed.length > SHOWN ? html`<p class="soft">and ${number(changed.length - SHOWN)} more</p>` : nothing}`;
}

function decisions(found) {
  if (!found) return html`<p class="soft">Without a decision log that the service can read, nobody can tell.</p>`;
  const groups = found.groups ?? [];
  return html`<p>${found.changed ? html`<span class="mark gone" aria-hidden="true">!</span>` : html`<span class="mark yes" aria-hidden="true">✓</span>`}
      ${number(found.changed)} of the last ${counted(found.replayed, "decision")} would be another one.</p>
    ${groups.slice(0, SHOWN).map((one) => html`<p><code>${shown(one)}</code></p>`)}`;
}

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));

// Somebody else has changed the element meanwhile: both versions, and the choice.
function overtaken(draft, close) {
  return html`${notice("warn", html`<p>Somebody else has changed this ${draft.kind.noun} meanwhile. Nothing is saved.</p>`)}
    <h3>What is stored now, and what you want</h3>${difference(draft.theirs.stored, draft.body, ["stored now", "yours"])}
    <p class="actions">
      <button class="quiet" type="button" @click=${() => (draft.takeTheirs(), close())}>Take what is stored, and drop mine</button>
      <button class="quiet" type="button" @click=${() => draft.meetTheirs()}>Keep mine, to save over it</button>
    </p>`;
}
