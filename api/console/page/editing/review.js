// The review before a change is saved: who gains and who loses, what differs, and what policy tests and decisions would change.

import { html, nothing } from "../core/html.js";
import { openDialog } from "../parts/dialog.js";
import { notice } from "../parts/notice.js";
import { difference } from "./difference.js";
import { Preview } from "./preview.js";

// Opens the review of a draft. `saved(answer)` is called when the user has saved it. `extra()` draws what only one kind has.
// `words` are those of the dialog. Returns the preview, for an `extra` that changes the draft.
/** @type {(draft: Draft, saved: (answer: any) => void, extra?: (() => Drawing) | null, words?: {title?: string, button?: string, back?: string}) => Preview | null} */
export function review(draft, saved, extra = null, words = {}) {
  const preview = draft.kind.isOutside ? null : new Preview(draft.env, () => draft.change());
  const { title, button, back = "Go on editing" } = words;
  openDialog({
    title: title ?? (draft.isNew ? `Create this ${draft.kind.noun}?` : "Save this change?"),
    view: (close) => html`<div class="wide">
      ${extra ? extra() : nothing}
      ${preview ? preview.view() : nothing}
      <details ?open=${!preview?.isTold}><summary>What differs, as JSON</summary>${difference(draft.stored, draft.body)}</details>
      ${draft.theirs ? overtaken(draft, close) : draft.act.trouble()}
      <p class="actions">
        <button type="button" ?disabled=${draft.act.isBusy || draft.theirs || draft.local.size} @click=${() => save(draft, close, saved)}>
          ${draft.act.isBusy ? "Saving…" : (button ?? `${draft.isNew ? "Create" : "Save"} the ${draft.kind.noun}`)}</button>
        <button class="quiet" type="button" @click=${close}>${back}</button>
      </p></div>`,
  });
  return preview;
}

async function save(draft, close, saved) {
  const answer = await draft.save();
  if (answer === undefined) return;
  close();
  saved(answer);
}

// Somebody else has changed the element meanwhile: both versions, and the choice.
function overtaken(draft, close) {
  return html`${notice("warn", html`<p>Somebody else has changed this ${draft.kind.noun} meanwhile. Nothing is saved.</p>`)}
    <h3>What is stored now, and what you want</h3>${difference(draft.theirs.stored, draft.body, ["stored now", "yours"])}
    <p class="actions">
      <button class="quiet" type="button" @click=${() => (draft.takeTheirs(), close())}>Take what is stored, and drop mine</button>
      <button class="quiet" type="button" @click=${() => draft.meetTheirs()}>Keep mine, to save over it</button>
    </p>`;
}
