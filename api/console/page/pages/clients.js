// Clients and API keys: both lists, perhaps those that were not used for long or end soon, and the way to each of them.

import { html, nothing } from "../core/html.js";
import { placeLink } from "../core/place.js";
import { pageOfLists } from "../parts/list_page.js";
import { when } from "../parts/when.js";
import { apiKeyPage, newApiKeyPage } from "./api_key.js";
import { clientPage, newClientPage } from "./client.js";
import { environmentsOf, expiry, highest, lastUse, oldEnd } from "./credential_fields.js";

const ROWS = 25;
const PAGES = { client: clientPage, key: apiKeyPage, "new-client": newClientPage, "new-key": newApiKeyPage };
const STATES = { unused: "Not used for 30 days", ending: "Ends within 14 days", expired: "Expired" };

// Ids are on the page of each: people know a credential by its name.
/** @type {Column[]} */
const COLUMNS = [
  { title: "Name", cell: (one) => html`<span class="name">${one.name}</span>` },
  { title: "Scope", cell: (one) => highest(one.scopes) },
  { title: "Environments", cell: environmentsOf },
  { title: "Last used", cell: lastUse },
];

const CREDENTIAL = ["name", "scopes", "environments", "created", "last_used_at"];
const CLIENTS = { name: "clients", members: ["client_id", ...CREDENTIAL, "description", "token_lifetime", "revoked"] };
const KEYS = { name: "api-keys", members: ["id", ...CREDENTIAL, "expires_at"] };

export function page(place) {
  const [name] = place.given;
  return Object.hasOwn(PAGES, name) ? PAGES[name](place) : lists(place);
}

function lists(place) {
  const asked = place.query.get("state") ?? "";
  const state = Object.hasOwn(STATES, asked) ? asked : undefined;
  const top = (name, what, make, about, look = "") => html`<div class="title"><h2>${name}</h2><a class="button ${look}"
    href=${placeLink(place.env, place.page, [what])}>${make}</a></div><p class="soft">${about}</p>`;
  const filter = html`<p class="pager">${[[undefined, "All"], ...Object.entries(STATES)].map(([one, text]) => html`<a
    href=${placeLink(place.env, place.page, [], { state: one })} aria-current=${one === state ? "true" : nothing}>${text}</a>`)}</p>`;
  /** @type {ApiList} */
  const clients = {
    what: "the clients", where: "/v1/clients", limit: ROWS, cursor: "clients", query: { state }, label: "Clients", file: CLIENTS,
    above: top("Clients", "new-client", "Create client", "A client gets short-lived tokens with its id and secret."),
    empty: state ? `No client is listed here: ${WHY[state]}` : "There are no clients yet. A client is a program that calls Writ with tokens.",
    link: (one) => placeLink(place.env, place.page, ["client", one.client_id]),
    columns: [
      ...COLUMNS,
      { title: "State", cell: (one) => html`${one.revoked ? html`<span class="tag deny">✕ revoked</span>` : "active"} ${oldEnd(one.old_secrets)}` },
    ],
  };
  /** @type {ApiList} */
  const keys = {
    what: "the API keys", where: "/v1/api-keys", limit: ROWS, cursor: "keys", query: { state }, label: "API keys", file: KEYS,
    above: top("API keys", "new-key", "Create API key", "An API key is sent with every call, until it expires or is deleted.", "plain"),
    empty: state ? `No API key is listed here: ${WHY[state]}` : "There are no API keys yet. An API key suits a service that can't ask for tokens.",
    link: (one) => placeLink(place.env, place.page, ["key", one.id]),
    columns: [
      ...COLUMNS,
      { title: "Expires", cell: (one) => html`${when(one.expires_at)} ${expiry(one)} ${oldEnd(one.old_keys)}` },
    ],
  };
  const about = { title: "Clients and keys", about: "The credentials of programs that call Writ, and of people who sign in here.", filter };
  return pageOfLists(place, about, ...(state === "expired" ? [keys] : [clients, keys]));
}

const WHY = { unused: "each was used or made within 30 days.", ending: "none ends within 14 days, and no old secret does.", expired: "none has expired." };
