// Assignments: which subject or group holds which role, and for how long.

import { html, nothing } from "../vendor/lit-html.js";
import { elementPages } from "../editing/element_page.js";
import { expiringSoon } from "../editing/expiring.js";
import { ASSIGNMENT } from "../editing/kinds.js";
import { holder, link, term } from "../editing/phrases.js";

export function page(place) {
  const { env } = place;
  const soon = place.given.length || place.query.get("new") ? null : expiringSoon(place, "assignments", (one) => html`${holder(env, one)} holds ${link(env, "roles", one.role)}`);
  return elementPages(place, ASSIGNMENT, {
    list: {
      about: "Who holds which role: a subject itself, or everyone in a group.",
      above: () => soon(),
      columns: [
        { title: "Id", cell: (one) => html`<code>${one.id}</code>` },
        { title: "Role", cell: (one) => link(env, "roles", one.role) },
        { title: "Holder", cell: (one) => holder(env, one) },
        { title: "Term", cell: (one) => term(one) },
      ],
      filters: [
        { name: "role", label: "Role" },
        { name: "group", label: "Group" },
        { name: "subject.type", label: "Subject type" },
        { name: "subject.id", label: "Subject id" },
      ],
      empty: "There are no assignments yet, so nobody holds a role.",
    },
    beside: (one) => () => html`<section><h2>What it gives</h2>
      <p>${holder(env, one)} holds ${link(env, "roles", one.role)}.</p>${one.expires_at || one.starts_at ? html`<p>${term(one)}</p>` : nothing}</section>`,
  });
}
