// Whoever acted, by the name that histories and the audit log have, with a link to the credential.

import { html } from "../vendor/lit-html.js";
import { placeLink, readPlace } from "../core/place.js";
import { may, signedIn } from "../core/session.js";

// Returns the drawing of an actor.
export function actor(name) {
  const at = name.indexOf(":");
  const kind = { client: "client", "api-key": "key" }[name.slice(0, Math.max(0, at))];
  if (!kind || !may("admin")) return html`<span class="name">${name}</span>`;
  const link = placeLink(readPlace(location.hash).env, "clients", [kind, name.slice(at + 1)]);
  return html`<a href=${link}><code>${name}</code></a>`;
}

// Returns the name that the session's own credential has as an actor.
export function ownName() {
  const { kind, id } = signedIn();
  return { admin_key: "admin-key", api_key: `api-key:${id}`, client: `client:${id}` }[kind];
}
