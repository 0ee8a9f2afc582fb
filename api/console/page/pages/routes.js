// Routes: which resource and which action a request to a backend is about. The first route that matches counts.

import { html } from "../vendor/lit-html.js";
import { elementPages } from "../editing/element_page.js";
import { ROUTE } from "../editing/kinds.js";
import { link } from "../editing/phrases.js";

export function page(place) {
  const { env } = place;
  return elementPages(place, ROUTE, {
    list: {
      about: "What a request to a backend is about. They stand in their order: the first that matches counts.",
      columns: [
        { title: "Id", cell: (one) => html`<code>${one.id}</code>` },
        { title: "Methods", cell: (one) => (one.methods.includes("*") ? "any" : one.methods.join(", ")) },
        { title: "Path", cell: (one) => html`<code>${one.path}</code>` },
        { title: "Hosts", cell: (one) => one.hosts?.map((host) => html`<div><code>${host}</code></div>`) ?? html`<span class="soft">any</span>` },
        { title: "Means", cell: (one) => html`<code>${one.action}</code> on ${link(env, "resource-types", one.resource_type)} ${named(one)}` },
      ],
      filters: [{ name: "resource_type", label: "Resource type" }, { name: "action", label: "Action" }],
      empty: "There are no routes. They tell gateways what a path is about.",
    },
    beside: (one) => () => html`<section><h2>What it means</h2>
      <p>A request with the method ${one.methods.includes("*") ? "of any name" : one.methods.join(" or ")} to <code>${one.path}</code>
      asks for <code>${one.action}</code> on ${link(env, "resource-types", one.resource_type)} ${named(one)}, unless an earlier route matches it.</p></section>`,
  });
}

function named(one) {
  if (one.external_id !== undefined) return html`external id <code>${one.external_id}</code>`;
  const id = one.resource_id ?? (one.path.includes("{id}") ? "{id}" : null);
  return id === null ? "" : html`<code>${id}</code>`;
}
