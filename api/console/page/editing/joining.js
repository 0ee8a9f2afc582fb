// The field on a subject's page that adds the subject to a group, after a preview of what the subject gains.

import { html, nothing } from "../core/html.js";
import { SUBJECT } from "../core/kinds.js";
import { may } from "../core/session.js";
import { update } from "../core/update.js";
import { Act } from "../parts/act.js";
import { forgetDone, tellDoneAt } from "../parts/done.js";
import { elementLink } from "./draft.js";
import { membershipIn } from "./membership.js";
import { idField } from "./references.js";
import { review } from "./review.js";

// Returns a function that draws the field. `joined()` is called when the subject is a member.
/** @type {(env: string, subject: ModelElement, suggestions: any, joined: () => void) => () => Drawing} */
export function joining(env, { type, id }, suggestions, joined) {
  const act = new Act();
  const state = { group: "", isThere: false };
  const done = () => {
    Object.assign(state, { group: "" });
    tellDoneAt(elementLink(env, SUBJECT, [type, id]));
    joined();
  };
  const ask = async (event) => {
    event.preventDefault();
    forgetDone();
    const draft = await act.run(() => membershipIn(env, state.group, { type, id }));
    if (draft) state.isThere = draft.isThere;
    if (!draft || draft.isThere) return update();
    review(draft, done, null, { title: `Add ${id} to ${state.group}?`, button: "Add to the group", back: "Cancel" });
  };
  const set = (group) => (Object.assign(state, { group: group.trim(), isThere: false }), (act.problem = null), update());
  return () => !may("write") ? nothing : html`<form @submit=${ask} novalidate>
    ${idField({ label: "Group to join", at: "group-to-join", value: state.group, suggestions, segment: "groups", set })}
    ${state.isThere ? html`<p class="soft">The subject is a member already.</p>` : nothing}${act.trouble()}
    <p><button class="quiet" type="submit" ?disabled=${!state.group || act.isBusy}>Add to the group…</button></p></form>`;
}
