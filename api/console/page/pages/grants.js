// Direct grants: what one subject may do with one resource, and for how long.

import { html, nothing } from "../vendor/lit-html.js";
import { elementPages } from "../editing/element_page.js";
import { expiringSoon } from "../editing/expiring.js";
import { GRANT } from "../editing/kinds.js";
import { actions, entity, term } from "../editing/phrases.js";

export function page(place) {
  const { env } = place;
  const told = (one) => html`${entity(env, "subjects", one.subject)} may do ${actions(one.actions)} on ${entity(env, "resources", one.resource)}`;
  const soon = place.given.length || place.query.get("new") ? null : expiringSoon(place, "grants", told);
  return elementPages(place, GRANT, {
    list: {
      about: "What one subject may do with one resource, beside the policies. A policy that denies wins.",
      above: () => soon(),
      columns: [
        { title: "Id", cell: (one) => html`<code>${one.id}</code>` },
        { title: "Subject", cell: (one) => entity(env, "subjects", one.subject) },
        { title: "Actions", cell: (one) => actions(one.actions) },
        { title: "Resource", cell: (one) => entity(env, "resources", one.resource) },
        { title: "Term", cell: (one) => term(one) },
      ],
      filters: ["subject", "resource"].flatMap((one) => [
        { name: `${one}.type`, label: one === "subject" ? "Subject type" : "Resource type" },
        { name: `${one}.id`, label: one === "subject" ? "Subject id" : "Resource id" },
      ]),
      empty: "There are no direct grants. A grant gives one subject something on one resource.",
    },
    beside: (one) => () => html`<section><h2>What it gives</h2><p>${told(one)}.</p>${one.expires_at || one.starts_at ? html`<p>${term(one)}</p>` : nothing}</section>`,
  });
}
