// Resource types: which kinds of things there are, what can be done with them, and which attributes they have.

import { html, nothing } from "../vendor/lit-html.js";
import { counted } from "../core/words.js";
import { effectTag } from "../editing/effect.js";
import { elementPages } from "../editing/element_page.js";
import { RESOURCE_TYPE } from "../editing/kinds.js";
import { actions, entity, link } from "../editing/phrases.js";
import { related } from "../editing/related.js";

const CLOSED = [["true", "closed"], ["false", "open"]];

export function page(place) {
  const { env } = place;
  return elementPages(place, RESOURCE_TYPE, {
    list: {
      about: "The kinds of things that policies are about, with their actions.",
      columns: [
        { title: "Id", cell: (one) => html`<code>${one.id}</code>` },
        { title: "Name in requests", cell: (one) => html`<code>${one.name ?? one.id}</code>` },
        { title: "Actions", cell: (one) => actions(one.actions) },
        { title: "Attributes", cell: (one) => attributes(one) },
        { title: "", cell: (one) => (one.closed ? html`<span class="badge">closed</span>` : nothing) },
      ],
      filters: [{ name: "name", label: "Name" }, { name: "closed", label: "Closed", options: CLOSED }],
      empty: "There are no resource types yet. A type names a kind of thing and the actions on it: begin here.",
    },
    beside: (type) =>
      related(env, [
        {
          ...{ title: "Policies that cover it", segment: "policies", query: { resource_type: type.id } },
          row: (one) => html`${effectTag(one)}${link(env, "policies", one.id, one.name ?? one.id)}`,
          empty: "No policy names this type.",
        },
        {
          ...{ title: "Its resources", segment: "resources", query: { type: type.id } },
          row: (one) => entity(env, "resources", one),
          empty: "No resource of this type is registered.",
        },
        {
          ...{ title: "Its routes", segment: "routes", query: { resource_type: type.id } },
          row: (one) => html`${link(env, "routes", one.id)} <code>${one.path}</code>`,
          empty: "No route leads to this type.",
        },
      ]),
  });
}

function attributes({ attributes: declared }) {
  if (!declared) return html`<span class="soft">none declared</span>`;
  return html`<span title=${Object.entries(declared).map(([name, type]) => `${name}: ${type}`).join("\n")}>${counted(Object.keys(declared).length, "attribute")}</span>`;
}
