// Extensions, which allow more conditions, and strict requests: both are what the model opts into.

import { html, nothing } from "../core/html.js";
import { EXTENSIONS, REQUESTS } from "../core/kinds.js";
import { placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { Awaited } from "../parts/awaited.js";
import { doneNotice, forgetDone } from "../parts/done.js";
import { heading } from "../parts/heading.js";
import { deletion } from "../editing/deletion.js";
import { readOnly } from "../editing/draft.js";
import { form } from "../editing/element_page.js";
import { review } from "../editing/review.js";
import { Suggestions } from "../editing/suggestions.js";

const ABOUT = "What the model opts into: more conditions, and requests that are checked.";

/** @type {(place: Place) => Page} */
export function page(place) {
  const suggestions = new Suggestions(place.env);
  const all = new Awaited("what the model opts into", (signal) => Promise.all([EXTENSIONS, REQUESTS].map(async (kind) => {
    const draft = await readOnly(place.env, kind, signal);
    return { draft, ending: draft.isNew ? null : deletion(draft, again) };
  })));
  const again = () => all.again();
  return {
    title: "Extensions",
    isUnsaved: () => all.value?.[0].draft.isChanged ?? false,
    view: () => html`${heading("Extensions and strict requests", ABOUT)}
      ${doneNotice(place, again)}
      ${all.view(([extensions, requests]) => html`<div class="stack">
        <section><h2>Extensions</h2>${form(extensions.draft, suggestions, again, extensions.ending)}</section>
        <section><h2>Strict requests</h2>${strictness(requests, again)}
          <p class="hint">The <a href=${placeLink(place.env, "attributes")}>declared attributes</a>, types and actions say what fits.</p></section>
      </div>`)}`,
  };
}

function strictness({ draft, ending }, again) {
  const begin = () => (forgetDone(), (draft.act.problem = null), review(draft, again));
  const button = ending ? ending.button() : html`<button class="plain" type="button" @click=${begin}>Make requests strict</button>`;
  return html`<p>${ending
      ? "Requests are strict: one that does not fit what the model declares is refused with 400, and not decided."
      : "Requests are not strict: one that does not fit what the model declares is decided all the same. A strict model refuses it with 400."}</p>
    ${draft.act.trouble()}
    ${may("write") ? html`<p class="actions">${button}</p>` : nothing}`;
}
