// The page “What can they see”: the registered resources on which a subject may do an action.

import { html } from "../core/html.js";
import { placeLink } from "../core/place.js";
import { alsoIf } from "../parts/also_if.js";
import { searchPage } from "../parts/search_page.js";
import { throughWords } from "../parts/through.js";

/** @type {Column[]} */
const COLUMNS = [
  { title: "Resource", cell: (row) => html`<code>${row.id}</code>`, csv: (row) => row.id },
  { title: "Name", cell: (row) => html`<span class="name">${row.name ?? ""}</span>`, csv: (row) => row.name },
  { title: "Its actions now", cell: (row) => (row.actions ?? []).join(", "), csv: (row) => (row.actions ?? []).join(" ") },
  { title: "Through", cell: (row) => throughWords(row.access_path), csv: (row) => row.access_path },
];

export function page(place) {
  return searchPage(place, {
    title: "What can they see",
    about: "The registered resources of a type on which a subject may do an action.",
    kind: "resource",
    fields: { resource: "type" },
    read: ({ subject, action, resource, context }) => ({
      subject,
      action,
      resource: { type: resource.type },
      ...(context ? { context } : {}),
    }),
    conditional: (body, link) => alsoIf(place.env, body, { columns: COLUMNS.slice(0, 2), link }),
    columns: COLUMNS,
    link: (row, form) => placeLink(place.env, "resources", [form.typeIdOf(row.type), row.id]),
    empty: "They may do this on no registered resource of this type.",
    emptyIf: "As the question stands, they may do this on no registered resource of this type. It may be another answer if the request says more.",
  });
}
