// Subjects: who asks. Each has a page with everything that it holds, and why.

import { html, nothing } from "../vendor/lit-html.js";
import { get } from "../core/api.js";
import { elementPath } from "../editing/draft.js";
import { elementPages } from "../editing/element_page.js";
import { holdings } from "../editing/holdings.js";
import { SUBJECT } from "../editing/kinds.js";
import { openForm } from "../editing/open_form.js";
import { Awaited } from "../parts/awaited.js";

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
    absent: "The model names this subject, or nothing does: it has no entry of its own, and needs none. An entry has its external id and its attributes.",
    before: (one) => {
      const found = new Awaited("what the subject holds", (signal) => get(`${elementPath(env, SUBJECT, [one.type, one.id])}/holdings`, { signal }));
      return () => found.view((held) => holdings(env, one, held));
    },
  });
}
