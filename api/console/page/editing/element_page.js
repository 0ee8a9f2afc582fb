// The page of one element: its form, what refers to it, and the ways to save and to delete it.

import { html, nothing } from "../vendor/lit-html.js";
import { call } from "../core/api.js";
import { goTo, placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { Awaited } from "../parts/awaited.js";
import { doneNotice, forgetDone } from "../parts/done.js";
import { heading } from "../parts/heading.js";
import { deletion } from "./deletion.js";
import { Draft, elementLink, elementPath, keyOf } from "./draft.js";
import { elementList } from "./element_list.js";
import { review } from "./review.js";
import { Suggestions } from "./suggestions.js";

// Returns the page that a place of a kind asks for: its list, a new element, or one element. `list` has the list's
// shape; `beside(body)` returns a function that draws what stands beside the form of an element, or `before` it.
export function elementPages(place, kind, { list, beside, before }) {
  if (place.given.length) return onePage(place, kind, before ?? beside, Boolean(before));
  return place.query.get("new") ? newPage(place, kind) : elementList(place, kind, list);
}

function newPage(place, kind) {
  const suggestions = new Suggestions(place.env);
  const given = Object.fromEntries(kind.key.map((name) => [name, place.query.get(name)]).filter(([, value]) => value));
  const draft = new Draft(place.env, kind, { blank: { ...kind.blank, ...given } });
  return {
    title: `New ${kind.noun}`,
    isUnsaved: () => draft.isChanged,
    view: () => html`${heading(`New ${kind.noun}`, "", trail(place, kind))}
      <div class="columns wide-first"><section>${form(draft, suggestions, (answer) => goTo(elementLink(place.env, kind, keyOf(kind, answer.data))))}</section></div>`,
  };
}

function onePage(place, kind, beside, isBefore) {
  const suggestions = new Suggestions(place.env);
  let [draft, drawBeside, ending] = [null, null, null];
  const one = new Awaited(`the ${kind.noun}`, async (signal) => {
    const found = await call("GET", elementPath(place.env, kind, place.given), { signal });
    draft = new Draft(place.env, kind, { stored: found.data, etag: found.etag });
    ending = deletion(draft);
    drawBeside = beside?.(found.data, suggestions) ?? null;
    return found.data;
  });
  return {
    title: place.given.at(-1),
    isUnsaved: () => draft?.isChanged ?? false,
    view: () => html`${heading(nameOf(draft?.stored, place), html`${kind.noun} <code>${place.given.join(" ")}</code>`, trail(place, kind))}
      ${doneNotice(place, () => one.again())}
      ${one.view(() => {
        const edited = html`<section><h2>Edit</h2>${form(draft, suggestions, () => one.again(), ending)}</section>`;
        const told = drawBeside ? drawBeside() : nothing;
        return html`<div class="columns wide-first">
          <div class="stack">${isBefore ? told : edited}</div>
          <div class="stack">${isBefore ? edited : told}${ending.references(place)}</div>
        </div>`;
      })}`,
  };
}

const nameOf = (body, place) => body?.name ?? place.given.at(-1);
const trail = (place, kind) => ({ link: placeLink(place.env, kind.segment), name: kind.plural });

function form(draft, suggestions, saved, ending = null) {
  const mayWrite = may("write");
  const submit = (event) => {
    event.preventDefault();
    if (!draft.local.size) forgetDone();
    draft.act.problem = null;
    review(draft, saved);
  };
  return html`<form @submit=${submit} novalidate>
    <fieldset class="all" ?disabled=${!mayWrite}>${draft.kind.form(draft, draft.faults(), suggestions)}</fieldset>
    ${draft.act.trouble()}
    ${mayWrite
      ? html`<p class="actions">
          <button type="submit" ?disabled=${!draft.isChanged || draft.local.size || draft.act.isBusy}>Review and save</button>
          ${ending ? ending.button() : nothing}</p>`
      : html`<p class="soft">This credential may only read, so it can't change the ${draft.kind.noun}.</p>`}
  </form>`;
}
