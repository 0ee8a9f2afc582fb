// Clients and API keys: both lists, and the way to each of them.

import { html } from "../core/html.js";
import { placeLink } from "../core/place.js";
import { pageOfLists } from "../parts/list_page.js";
import { when } from "../parts/when.js";
import { apiKeyPage, newApiKeyPage } from "./api_key.js";
import { clientPage, newClientPage } from "./client.js";
import { environmentsOf, expiry, highest } from "./credential_fields.js";

const ROWS = 25;
const PAGES = { client: clientPage, key: apiKeyPage, "new-client": newClientPage, "new-key": newApiKeyPage };

// Ids are on the page of each: people know a credential by its name.
/** @type {Column[]} */
const COLUMNS = [
  { title: "Name", cell: (one) => html`<span class="name">${one.name}</span>` },
  { title: "Scope", cell: (one) => highest(one.scopes) },
  { title: "Environments", cell: environmentsOf },
  { title: "Last used", cell: (one) => when(one.last_used_at) },
];

export function page(place) {
  const [name] = place.given;
  return Object.hasOwn(PAGES, name) ? PAGES[name](place) : lists(place);
}

function lists(place) {
  const top = (name, what, make, about, look = "") => html`<div class="title"><h2>${name}</h2><a class="button ${look}"
    href=${placeLink(place.env, place.page, [what])}>${make}</a></div><p class="soft">${about}</p>`;
  return pageOfLists(place, { title: "Clients and keys", about: "The credentials of programs that call Writ, and of people who sign in here." }, {
    what: "the clients", where: "/v1/clients", limit: ROWS, cursor: "clients",
    above: top("Clients", "new-client", "Create client", "A client gets short-lived tokens with its id and secret."),
    empty: "There are no clients yet. A client is a program that calls Writ with tokens.",
    link: (one) => placeLink(place.env, place.page, ["client", one.client_id]),
    columns: [
      ...COLUMNS,
      { title: "State", cell: (one) => (one.revoked ? html`<span class="tag deny">✕ revoked</span>` : "active") },
    ],
  }, {
    what: "the API keys", where: "/v1/api-keys", limit: ROWS, cursor: "keys",
    above: top("API keys", "new-key", "Create API key", "An API key is sent with every call, until it expires or is deleted.", "plain"),
    empty: "There are no API keys yet. An API key suits a service that can't ask for tokens.",
    link: (one) => placeLink(place.env, place.page, ["key", one.id]),
    columns: [
      ...COLUMNS,
      { title: "Expires", cell: (one) => html`${when(one.expires_at)} ${expiry(one)}` },
    ],
  });
}
