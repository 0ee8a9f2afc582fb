// The page “Who can”: the registered subjects that may do an action on a resource.

import { html } from "../vendor/lit-html.js";
import { placeLink } from "../core/place.js";
import { searchPage } from "../parts/search_page.js";
import { throughWords } from "../parts/through.js";

export function page(place) {
  return searchPage(place, {
    title: "Who can…",
    about: "The registered subjects that may do an action on a resource.",
    kind: "subject",
    fields: { subject: "type" },
    read: ({ subject, action, resource, context }) => ({
      subject: { type: subject.type },
      action,
      resource,
      ...(context ? { context } : {}),
    }),
    columns: [
      { title: "Subject", cell: (row) => html`<code>${row.id}</code>`, csv: (row) => row.id },
      { title: "Type", cell: (row) => html`<code>${row.type}</code>`, csv: (row) => row.type },
      { title: "External id", cell: (row) => html`<code>${row.external_id ?? ""}</code>`, csv: (row) => row.external_id },
      { title: "Through", cell: (row) => throughWords(row.access_path), csv: (row) => row.access_path },
    ],
    link: (row) => placeLink(place.env, "subjects", [row.type, row.id]),
    empty: "No registered subject may do this.",
  });
}
