// The grants or assignments that end in the next days, soonest first.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { placeLink } from "../core/place.js";
import { distance } from "../core/words.js";
import { Awaited } from "../parts/awaited.js";

const WITHIN = "30d";
const LIMIT = 20;

// Returns a function that draws what ends within 30 days. `told(element)` says what it is.
export function expiringSoon(place, kind, told) {
  const found = new Awaited("what ends soon", (signal) =>
    get(path`/v1/environments/${place.env}/expiring`, { query: { within: WITHIN, limit: LIMIT }, signal }),
  );
  return () => found.view(({ items, next_cursor: more }) => {
    const own = items.filter((one) => one.kind === kind);
    if (!own.length) return nothing;
    return html`<section><h2>Ends within 30 days</h2>
      <ul class="plain">${own.map((one) => html`<li><span class="tag warn">! ends ${distance(one.expires_at)}</span>${told(one.element)}
        <span class="soft">by <a href=${placeLink(place.env, kind, [one.id])}><code>${one.id}</code></a></span></li>`)}</ul>
      ${more ? html`<p class="soft">These are the first ones.</p>` : nothing}</section>`;
  });
}
