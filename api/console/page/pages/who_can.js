// The page “Who can”: the registered subjects that may do an action on a resource. If there are none, those who can under conditions.

import { html, nothing } from "../core/html.js";
import { whoCan } from "../core/asking.js";
import { placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { update } from "../core/update.js";
import { elementName } from "../editing/element_names.js";
import { regionsOf } from "../editing/people.js";
import { giveAnother } from "../editing/repair_dialog.js";
import { Awaited } from "../parts/awaited.js";
import { sentence } from "../parts/notice.js";
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
      { title: "Name", cell: (row) => html`<span class="name">${elementName(place.env, "subjects", [row.type, row.id]) ?? ""}</span>` },
      { title: "Type", cell: (row) => html`<code>${row.type}</code>`, csv: (row) => row.type },
      { title: "External id", cell: (row) => html`<code>${row.external_id ?? ""}</code>`, csv: (row) => row.external_id },
      { title: "Through", cell: (row) => throughWords(row.access_path), csv: (row) => row.access_path },
    ],
    link: (row) => placeLink(place.env, "subjects", [row.type, row.id]),
    empty: "No registered subject may do this.",
    emptyIf: "As the question stands, no registered subject may do this. It may be another answer if the request says more.",
    conditional: (body) => conditional(place.env, body),
    act: (body) => may("write") ? html`<p class="actions"><button class="quiet" type="button" @click=${() => giveAnother(place, body)}>Give it to someone else</button></p>` : nothing,
  });
}

// The service tells who can, under which conditions: what the question leaves open is no “no”. If some subjects can as it stands,
// people ask for the others: the answer takes longer than that of a search.
function conditional(env, body) {
  if (body.options?.actor) return null;
  /** @type {Awaited<any> | null} */
  let found = null;
  const ask = () => ((found ??= new Awaited("who can under conditions", (signal) => whoCan(env, body, signal))), update());
  return (isEmpty, open) => {
    if (!isEmpty && !open.length) return nothing;
    if (isEmpty && !found) ask();
    return found ? found.view((answer) => drawn(env, answer)) : html`<p class="actions"><button class="quiet" type="button" @click=${ask}>Show who can under which conditions</button></p>`;
  };
}

function drawn(env, { regions, unknown, reason }) {
  if (!regions.length && !unknown.length) return html`<p class="soft">${sentence(reason)}</p>`;
  return html`${regions.length ? html`<h3>Who can, if the request says more</h3>${regionsOf(env, regions)}` : nothing}
    ${unknown.map((one) => html`<p><span class="tag warn">! not known</span>There may be others: ${one.reason}</p>`)}`;
}
