// The declared attributes of subjects, of the context and of actions: what conditions may compare, and of which type it is.

import { html, nothing } from "../core/html.js";
import { DECLARATION } from "../core/kinds.js";
import { placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { update } from "../core/update.js";
import { Awaited } from "../parts/awaited.js";
import { doneNotice } from "../parts/done.js";
import { heading } from "../parts/heading.js";
import { nothingYet } from "../parts/notice.js";
import { deletion } from "../editing/deletion.js";
import { readOnly } from "../editing/draft.js";
import { form } from "../editing/element_page.js";
import { Suggestions } from "../editing/suggestions.js";

const ABOUT = "What conditions may compare, and of which type it is. Conditions on other attributes are then errors. Decisions stay as they are.";

export function page(place) {
  const suggestions = new Suggestions(place.env);
  /** @type {{draft: Draft | null, ending: ReturnType<typeof deletion> | null, isBegun: boolean}} */
  const state = { draft: null, ending: null, isBegun: false };
  const one = new Awaited("the declared attributes", async (signal) => {
    const draft = await readOnly(place.env, DECLARATION, signal);
    state.draft = draft;
    state.ending = draft.isNew ? null : deletion(draft, () => one.again());
    state.isBegun = false;
    return draft;
  });
  const types = html`Attributes of resources are declared by their <a href=${placeLink(place.env, "resource-types")}>type</a>.`;
  const strict = html`A model can have <a href=${placeLink(place.env, "extensions")}>requests checked</a> against what is declared.`;
  return {
    title: "Attributes",
    isUnsaved: () => state.draft?.isChanged ?? false,
    view: () => html`${heading("Attributes", ABOUT)}
      ${doneNotice({ ...place, given: [] }, () => one.again())}
      <section>${one.view((draft) => (draft.isNew && !state.isBegun ? empty(state) : form(draft, suggestions, () => one.again(), state.ending)))}
        <p class="hint">${types}</p><p class="hint">${strict}</p></section>`,
  };
}

function empty(state) {
  const begin = () => ((state.isBegun = true), update());
  return nothingYet("No attributes are declared, so a condition may name any attribute, and a misspelled one is never found.",
    may("write") ? html`<button type="button" @click=${begin}>Declare attributes</button>` : nothing);
}
