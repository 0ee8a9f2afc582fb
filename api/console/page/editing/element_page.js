// The page of one element: its form, what refers to it, and the ways to save and to delete it.

import { html, nothing } from "../core/html.js";
import { isObject } from "../core/exact.js";
import { nameOf } from "../core/kinds.js";
import { goTo, placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { Awaited } from "../parts/awaited.js";
import { doneNotice, forgetDone } from "../parts/done.js";
import { heading } from "../parts/heading.js";
import { deletion } from "./deletion.js";
import { Draft, draftOf, elementLink, keyOf } from "./draft.js";
import { pastLink } from "./element_changes.js";
import { FORMS } from "./element_forms.js";
import { elementList } from "./element_list.js";
import { review } from "./review.js";
import { goToFault, isSound } from "./soundness.js";
import { Suggestions } from "./suggestions.js";

// Returns the page that a place of a kind asks for: its list, a new element, or one element. A row has the shape of the
// list (see element_list.js), and of the element's page: `beside(env, body, suggestions)` returns a function that draws what
// stands beside the form, or `before` it. `absent` says what it means that an element which others may name has no entry.
/** @type {(place: Place, row: ListRow) => Page} */
export function elementPages(place, row) {
  if (place.given.length) return onePage(place, row);
  return place.query.get("new") ? newPage(place, row.kind) : elementList(place, row);
}

function newPage(place, kind) {
  const suggestions = new Suggestions(place.env);
  const draft = new Draft(place.env, kind, { blank: filledIn(kind.blank, place.query) });
  return {
    title: `New ${kind.noun}`,
    isUnsaved: () => draft.isChanged,
    view: () => html`${heading(`New ${kind.noun}`, "", trail(place, kind))}
      <div class="columns wide-first"><section>${form(draft, suggestions, (answer) => goTo(elementLink(place.env, kind, keyOf(kind, answer.data))))}</section></div>`,
  };
}

/** @type {(place: Place, row: ListRow) => Page} */
function onePage(place, { kind, before, beside = before, absent }) {
  const suggestions = new Suggestions(place.env);
  const one = new Awaited(`the ${kind.noun}`, async (signal) => {
    const draft = await draftOf(place.env, kind, place.given, Boolean(absent), signal);
    return { draft, ending: draft.isNew ? null : deletion(draft), drawBeside: beside?.(place.env, draft.body, suggestions) };
  });
  return {
    get title() {
      return `${nameIn(one.value?.draft.stored, place, kind)} · ${capital(kind.noun)}`;
    },
    isUnsaved: () => one.value?.draft.isChanged ?? false,
    view: () => html`${heading(nameIn(one.value?.draft.stored, place, kind), html`${kind.noun} <code>${place.given.join(" ")}</code>`, trail(place, kind))}
      ${doneNotice(place, () => one.again())}
      ${one.view(({ draft, ending, drawBeside }) => {
        const edited = html`<section><h2>${draft.isNew ? "Create an entry" : "Edit"}</h2>
          ${draft.isNew ? html`<p class="soft">${absent}</p>` : nothing}${form(draft, suggestions, () => one.again(), ending)}
          ${pastOf(place, kind)}</section>`;
        const told = drawBeside ? drawBeside() : nothing;
        return html`<div class="columns wide-first">
          <div class="stack">${before ? told : edited}</div>
          <div class="stack">${before ? edited : told}${ending ? ending.references(place) : nothing}</div>
        </div>`;
      })}`,
  };
}

// A new element may have members in its address: `role=editor&subject.id=alice`, and `actions=read` for a list.
function filledIn(blank, query) {
  let body = { ...blank };
  for (const [name, value] of query) {
    const [outer, inner] = name.split(".");
    if (inner && isObject(blank[outer])) body = { ...body, [outer]: { ...body[outer], [inner]: value } };
    else if (!inner && Array.isArray(blank[outer])) body = { ...body, [outer]: [...body[outer], value] };
    else if (!inner && typeof blank[outer] === "string") body = { ...body, [outer]: value };
  }
  return body;
}

// The tests are no part of the model, and have no history.
function pastOf({ env, given }, kind) {
  if (kind.isOutside) return nothing;
  return html`<p><a href=${pastLink(env, { kind: kind.name, type: given.length > 1 ? given[0] : undefined, id: given.at(-1) })}>History of this ${kind.noun}</a></p>`;
}

const nameIn = (stored, place, kind) => (stored ? nameOf(kind, stored)[0] : (place.given.at(-1) ?? ""));
const capital = (text) => text[0].toUpperCase() + text.slice(1);
const trail = (place, kind) => ({ link: placeLink(place.env, kind.segment), name: kind.plural });

// Returns the drawing of a draft's form with the ways to save and, with `ending`, to delete its element.
/** @type {(draft: Draft, suggestions: Suggestions, saved: (answer: any) => void, ending?: ReturnType<typeof deletion> | null) => Drawing} */
export function form(draft, suggestions, saved, ending = null) {
  const mayWrite = may("write");
  const submit = async (event) => {
    event.preventDefault();
    if (!draft.local.size) forgetDone();
    draft.act.problem = null;
    if (await isSound(draft)) review(draft, saved);
    else goToFault();
  };
  return html`<form @submit=${submit} novalidate>
    <fieldset class="all" ?disabled=${!mayWrite}>${FORMS[draft.kind.name](draft, draft.faults(), suggestions)}</fieldset>
    ${draft.act.trouble()}
    ${mayWrite
      ? html`<p class="actions">
          <button type="submit" ?disabled=${!(draft.isChanged || draft.isNew) || draft.local.size || draft.act.isBusy}>Review and save</button>
          ${ending ? ending.button() : nothing}</p>`
      : html`<p class="soft">This credential may only read, so it can't change the ${draft.kind.noun}.</p>`}
  </form>`;
}
