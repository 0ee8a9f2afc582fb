// Clients and API keys: both lists, and the way to each of them.

import { html } from "../vendor/lit-html.js";
import { get } from "../core/api.js";
import { placeLink } from "../core/place.js";
import { Awaited } from "../parts/awaited.js";
import { doneNotice } from "../parts/done.js";
import { heading } from "../parts/heading.js";
import { listPage } from "../parts/list.js";
import { when } from "../parts/when.js";
import { apiKeyPage, newApiKeyPage } from "./api_key.js";
import { clientPage, newClientPage } from "./client.js";
import { environmentsOf, expiry, highest } from "./credential_fields.js";

const ROWS = 25;
const LAST_USED = { title: "Last used", cell: (one) => when(one.last_used_at) };
const PAGES = { client: clientPage, key: apiKeyPage, "new-client": newClientPage, "new-key": newApiKeyPage };

export function page(place) {
  const [name] = place.given;
  return Object.hasOwn(PAGES, name) ? PAGES[name](place) : lists(place);
}

function lists(place) {
  const clients = pageOf("the clients", "/v1/clients", place.query.get("clients"));
  const keys = pageOf("the API keys", "/v1/api-keys", place.query.get("keys"));
  const make = (what, text) => html`<a class="button" href=${placeLink(place.env, place.page, [what])}>${text}</a>`;
  return {
    title: "Clients and keys",
    view: () => html`${heading("Clients and keys", "The credentials of programs that call Writ, and of people who sign in here.")}
      ${doneNotice(place)}
      <section><div class="title"><h2>Clients</h2>${make("new-client", "Create client")}</div>
        <p class="soft">A client gets short-lived tokens with its id and secret.</p>
        ${clients.view((found) => clientList(place, found))}</section>
      <section><div class="title"><h2>API keys</h2>${make("new-key", "Create API key")}</div>
        <p class="soft">An API key is sent with every call, until it expires or is deleted.</p>
        ${keys.view((found) => keyList(place, found))}</section>`,
  };
}

const pageOf = (what, where, cursor) =>
  new Awaited(what, (signal) => get(where, { query: { limit: ROWS, cursor }, signal }));

function clientList(place, found) {
  return listPage(place, found, {
    cursor: "clients",
    empty: "There are no clients yet. A client is a program that calls Writ with tokens.",
    link: (one) => placeLink(place.env, place.page, ["client", one.client_id]),
    columns: [
      ...nameAndRights((one) => one.client_id),
      LAST_USED,
      { title: "State", cell: (one) => (one.revoked ? html`<span class="tag deny">✕ revoked</span>` : "active") },
    ],
  });
}

function keyList(place, found) {
  return listPage(place, found, {
    cursor: "keys",
    empty: "There are no API keys yet. An API key suits a service that can't ask for tokens.",
    link: (one) => placeLink(place.env, place.page, ["key", one.id]),
    columns: [
      ...nameAndRights((one) => one.id),
      LAST_USED,
      { title: "Expires", cell: (one) => html`${when(one.expires_at)} ${expiry(one)}` },
    ],
  });
}

function nameAndRights(idOf) {
  return [
    { title: "Name", cell: (one) => html`<span class="name">${one.name}</span>` },
    { title: "Id", cell: (one) => html`<code class="id">${idOf(one)}</code>` },
    { title: "Scope", cell: (one) => highest(one.scopes) },
    { title: "Environments", cell: environmentsOf },
  ];
}
