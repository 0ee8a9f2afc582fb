// Roles: what policies give rights to, and who holds each of them.

import { html } from "../vendor/lit-html.js";
import { placeLink } from "../core/place.js";
import { elementPages } from "../editing/element_page.js";
import { effectTag } from "../editing/effect.js";
import { ROLE } from "../editing/kinds.js";
import { holder, link, term } from "../editing/phrases.js";
import { related } from "../editing/related.js";

export function page(place) {
  const { env } = place;
  return elementPages(place, ROLE, {
    list: {
      about: "Policies give rights to roles, and assignments give roles to subjects and groups.",
      columns: [
        { title: "Name", cell: (one) => html`<span class="name">${one.name ?? one.id}</span>` },
        { title: "Id", cell: (one) => html`<code>${one.id}</code>` },
      ],
      filters: [{ name: "name", label: "Name" }],
      empty: "There are no roles yet. A role is what policies give rights to.",
    },
    beside: (role) => {
      const lists = related(env, [
        {
          title: "Policies that name it",
          segment: "policies",
          query: { role: role.id },
          row: (one) => html`${effectTag(one)}${link(env, "policies", one.id, one.name ?? one.id)}`,
          empty: "No policy names this role, so it gives nothing.",
        },
        {
          title: "Who holds it",
          segment: "assignments",
          query: { role: role.id },
          row: (one) => html`${holder(env, one)} <span class="soft">by ${link(env, "assignments", one.id, "assignment")}</span> ${term(one)}`,
          empty: "Nobody holds this role.",
        },
      ]);
      return () => html`${lists()}<section><h2>What it gives</h2><p><a href=${placeLink(env, "review", ["role", role.id])}>Open its access review</a></p></section>`;
    },
  });
}
