// The page for an address that no other page has.

import { html } from "../core/html.js";
import { placeLink } from "../core/place.js";

export function page(place) {
  return {
    title: "No such page",
    view: () => html`<h1>No such page</h1>
      <p>The console has no page <code>${place.page}</code>. Go to the <a href=${placeLink(place.env, "overview")}>overview</a>.</p>`,
  };
}
