// The page “Who can”: the registered subjects that may do an action on a resource. If there are none, those who can under conditions.

import { html, nothing } from "../vendor/lit-html.js";
import { path, post } from "../core/api.js";
import { placeLink } from "../core/place.js";
import { regionsOf } from "../editing/people.js";
import { leftOpen, nothingYet, sentence } from "../parts/notice.js";
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
    instead: { ask: (body, signal) => whoCan(place.env, body, signal), draw: (found) => conditional(place.env, found) },
  });
}

// The service tells who can, under which conditions: what the question leaves open is no “no”.
function whoCan(env, { subject, action, resource, context, options }, signal) {
  const registered = options?.attributes === "registered" ? { options: { attributes: "registered" } } : {};
  return post(path`/v1/environments/${env}/who-can`, { subject, action, resource, ...(context ? { context } : {}), ...registered }, { signal });
}

function conditional(env, { regions, unknown, left_open: open, reason }) {
  if (!regions.length && !unknown.length) return nothingYet(sentence(reason));
  return html`${regions.length ? html`<h3>Who can, if the request says more</h3>${regionsOf(env, regions)}` : nothing}
    ${leftOpen(open)}
    ${unknown.map((one) => html`<p><span class="tag warn">! not known</span>There may be others: ${one.reason}</p>`)}`;
}
