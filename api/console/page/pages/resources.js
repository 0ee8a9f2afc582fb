// Resources: the things that are registered, for searches and for closed types.

import { html, nothing } from "../vendor/lit-html.js";
import { placeLink } from "../core/place.js";
import { elementPages } from "../editing/element_page.js";
import { RESOURCE } from "../editing/kinds.js";
import { openForm } from "../editing/open_form.js";
import { actions, entity, link, term } from "../editing/phrases.js";
import { related } from "../editing/related.js";

export function page(place) {
  const { env } = place;
  return elementPages(place, RESOURCE, {
    list: {
      about: "Registered things. Searches find these; a decision needs none, unless its type is closed.",
      above: () => openForm(place, "resource"),
      columns: [
        { title: "Id", cell: (one) => html`<code>${one.id}</code>` },
        { title: "Type", cell: (one) => link(env, "resource-types", one.type) },
        { title: "Name", cell: (one) => (one.name ? html`<span class="name">${one.name}</span>` : nothing) },
        { title: "External id", cell: (one) => (one.external_id ? html`<code>${one.external_id}</code>` : nothing) },
      ],
      filters: [{ name: "type", label: "Type" }, { name: "name", label: "Name" }, { name: "external_id", label: "External id" }],
      empty: "No resources are registered. Searches list registered resources.",
    },
    absent: "This resource has no entry of its own. Searches find it only once it has one.",
    beside: (one, suggestions) => {
      const grants = related(env, [
        {
          ...{ title: "Direct grants on it", segment: "grants", query: { "resource.type": one.type, "resource.id": one.id } },
          row: (grant) => html`${entity(env, "subjects", grant.subject)}: ${actions(grant.actions)} <span class="soft">by ${link(env, "grants", grant.id, "grant")}</span> ${term(grant)}`,
          empty: "Nobody has a direct grant on this resource.",
        },
      ]);
      return () => html`${grants()}${whoCan(env, one, suggestions.of("resource-types").find((type) => type.id === one.type))}`;
    },
  });
}

// Asks for each action who can do it, with the attributes that are registered.
function whoCan(env, one, type) {
  if (!type) return nothing;
  const resource = { type: type.name ?? type.id, id: one.id, ...(one.attributes ? { properties: one.attributes } : {}) };
  const question = (name) => JSON.stringify({ subject: { type: "user", id: "" }, action: { name }, resource });
  return html`<section><h2>Who can…</h2><ul class="chips">${type.actions.map(
    (name) => html`<li><a href=${placeLink(env, "who-can", [], { q: question(name) })}><code>${name}</code></a></li>`)}</ul></section>`;
}
