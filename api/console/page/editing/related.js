// The elements of another list that belong to an element: the first rows, and the way to all of them.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { placeLink } from "../core/place.js";
import { Awaited } from "../parts/awaited.js";

const SHOWN = 10;

// Returns a function that draws lists beside an element. Each is {title, segment, query, row(body), empty}.
export function related(env, lists) {
  const asked = lists.map((one) => ({ ...one, found: new Awaited(one.title.toLowerCase(), (signal) => ask(env, one, signal)) }));
  return () => asked.map((one) => html`<section><h2>${one.title}</h2>${one.found.view((found) => some(env, one, found))}</section>`);
}

const ask = (env, { segment, query }, signal) =>
  get(path`/v1/environments/${env}/${segment}`, { query: { ...query, limit: SHOWN }, signal });

function some(env, { segment, query, row, empty }, found) {
  if (!found.items.length) return html`<p class="soft">${empty}</p>`;
  return html`<ul class="plain">${found.items.map((one) => html`<li>${row(one)}</li>`)}</ul>
    ${found.next_cursor ? html`<p><a href=${placeLink(env, segment, [], query)}>Show all</a></p>` : nothing}`;
}
