// The policies and grants that a right comes from, as the service names them.

import { html, nothing } from "../core/html.js";
import { placeLink } from "../core/place.js";
import { joined } from "../core/words.js";
import { openNames } from "../parts/rights.js";
import { elementName } from "./element_names.js";

/** @type {(one: any) => Drawing} */
const NO_MORE = () => nothing;

// Returns the drawing of a list of what a right comes from: policies, each DENY that may take it away, and grants. What the service
// says of each stands beside it. `more(one)` draws what can be done with it.
/** @type {(env: string, sources: any[], more?: (one: any) => Drawing) => Drawing} */
export function sourceList(env, sources, more = NO_MORE) {
  return html`<ul class="plain">${sources.map((one) => html`<li>${source(env, one)}${more(one)}</li>`)}</ul>`;
}

function source(env, { kind, id, effect, on, left_open: open = [], held_by: holder }) {
  if (kind === "grant") return html`grant <a href=${placeLink(env, "grants", [id])}><code>${id}</code></a>${through(holder)}`;
  const some = effect === "DENY" && on === "some" ? " on some" : "";
  return html`${effect === "DENY" ? html`<span class="tag deny">DENY</span>` : nothing}policy ${policyLink(env, id)}${some}${through(holder)}${
    open.length ? html`<span class="soft">, if ${openNames(open)}</span>` : nothing}`;
}

// Returns the link to a policy, by its name if it has one.
export const policyLink = (env, id) => html`<a class="name" href=${placeLink(env, "policies", [id])}>${elementName(env, "policies", [id]) ?? id}</a>`;

function through(holder) {
  if (!holder) return nothing;
  const steps = [...(holder.role ? [html`role <code>${holder.role}</code>`] : []), ...(holder.group ? [html`group <code>${holder.group}</code>`] : [])];
  return html`<span class="soft"> by ${joined(steps, "of")}</span>`;
}
