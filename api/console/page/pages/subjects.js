// Subjects: who asks. Each has a page with everything that it holds, and why.

import { html, nothing } from "../vendor/lit-html.js";
import { get } from "../core/api.js";
import { elementPath, isAbsent } from "../editing/draft.js";
import { elementPages } from "../editing/element_page.js";
import { holdings } from "../editing/holdings.js";
import { SUBJECT } from "../editing/kinds.js";
import { openForm } from "../editing/open_form.js";
import { Awaited } from "../parts/awaited.js";

const NAMELESS = "Nothing in the model names this subject, so it holds nothing but what everyone has.";

// Returns what a subject holds, or null if the model does not name it.
async function held(env, { type, id }, signal) {
  try {
    return await get(`${elementPath(env, SUBJECT, [type, id])}/holdings`, { signal });
  } catch (problem) {
    if (isAbsent(problem, SUBJECT)) return null;
    throw problem;
  }
}

export function page(place) {
  const { env } = place;
  return elementPages(place, SUBJECT, {
    list: {
      about: "Who asks: people, services and devices that are registered.",
      above: () => openForm(place, "subject"),
      columns: [
        { title: "Id", cell: (one) => html`<code>${one.id}</code>` },
        { title: "Type", cell: (one) => html`<span class="name">${one.type}</span>` },
        { title: "External id", cell: (one) => (one.external_id ? html`<code>${one.external_id}</code>` : nothing) },
      ],
      filters: [{ name: "type", label: "Type" }, { name: "external_id", label: "External id" }],
      empty: "No subjects have an entry. One that an assignment, a group or a grant names needs none.",
    },
    absent: "This subject has no entry of its own, and needs none to hold something. An entry has its external id and its attributes.",
    before: (one) => {
      const found = new Awaited("what the subject holds", (signal) => held(env, one, signal));
      return () => found.view((all) => (all ? holdings(env, one, all) : html`<section><h2>Roles, and why</h2><p class="soft">${NAMELESS}</p></section>`));
    },
  });
}
