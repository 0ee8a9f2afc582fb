// Opens one of a million elements by its type and its id, without reading a list.

import { html } from "../core/html.js";
import { goTo, placeLink } from "../core/place.js";
import { Typeahead } from "../parts/typeahead.js";

// Returns a function that draws the form which goes to the page of a subject or a resource.
export function openForm(place, noun) {
  const typeahead = new Typeahead(place.env);
  const typed = () => /** @type {HTMLInputElement | null} */ (document.getElementById("open-type"))?.value ?? "";
  const open = (event) => {
    event.preventDefault();
    const given = new FormData(event.target);
    const key = ["type", "id"].map((name) => String(given.get(name)).trim());
    goTo(placeLink(place.env, place.page, key));
  };
  return () => html`<form class="bar filters no-print" @submit=${open} aria-label=${`Open a ${noun}`}>
    <div><label for="open-type">Type</label><input id="open-type" name="type" class="mono" required autocomplete="off" spellcheck="false" .value=${noun === "subject" ? "user" : ""}></div>
    <div class="grow"><label for="open-id">Id</label><input id="open-id" name="id" class="mono" list="open-id-list" required autocomplete="off" spellcheck="false">${typeahead.list("open-id", `${noun}s`, { filter: { type: typed() } })}</div>
    <button class="plain" type="submit">Open the ${noun}</button>
  </form>`;
}
