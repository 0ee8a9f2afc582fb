// The declared attributes of subjects, of the context and of actions: what conditions may compare, and of which type it is.

import { html, nothing } from "../vendor/lit-html.js";
import { call, get, path } from "../core/api.js";
import { DECLARATION } from "../core/kinds.js";
import { placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { update } from "../core/update.js";
import { Awaited } from "../parts/awaited.js";
import { doneNotice } from "../parts/done.js";
import { heading } from "../parts/heading.js";
import { nothingYet } from "../parts/notice.js";
import { deletion } from "../editing/deletion.js";
import { Draft, elementPath } from "../editing/draft.js";
import { form } from "../editing/element_page.js";
import { Suggestions } from "../editing/suggestions.js";

const NOT_FOUND = 404;
const ABOUT = "What conditions may compare, and of which type it is. Conditions on other attributes are then errors. Decisions stay as they are.";

export function page(place) {
  const suggestions = new Suggestions(place.env);
  /** @type {{draft: Draft | null, ending: ReturnType<typeof deletion> | null, isBegun: boolean}} */
  const state = { draft: null, ending: null, isBegun: false };
  const one = new Awaited("the declared attributes", async (signal) => {
    const draft = await readDraft(place.env, signal);
    state.draft = draft;
    state.ending = draft.isNew ? null : deletion(draft, () => one.again());
    state.isBegun = false;
    return draft;
  });
  const types = html`Attributes of resources are declared by their <a href=${placeLink(place.env, "resource-types")}>type</a>.`;
  return {
    title: "Attributes",
    isUnsaved: () => state.draft?.isChanged ?? false,
    view: () => html`${heading("Attributes", ABOUT)}
      ${doneNotice({ ...place, given: [] }, () => one.again())}
      <section>${one.view((draft) => (draft.isNew && !state.isBegun ? empty(state) : form(draft, suggestions, () => one.again(), state.ending)))}
        <p class="hint">${types}</p></section>`,
  };
}

// If no attributes are declared yet, the form begins with an empty declaration.
async function readDraft(env, signal) {
  try {
    const found = await call("GET", elementPath(env, DECLARATION, []), { signal });
    return new Draft(env, DECLARATION, { stored: found.data, etag: found.etag });
  } catch (problem) {
    if (problem.status !== NOT_FOUND) throw problem;
    await get(path`/v1/environments/${env}`, { signal }); // an environment that is not there is another matter
    return new Draft(env, DECLARATION, { blank: DECLARATION.blank });
  }
}

function empty(state) {
  const begin = () => ((state.isBegun = true), update());
  return nothingYet("No attributes are declared, so a condition may name any attribute, and a misspelled one is never found.",
    may("write") ? html`<button type="button" @click=${begin}>Declare attributes</button>` : nothing);
}
