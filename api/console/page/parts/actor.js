// The actor of a change, by the name that histories and the audit log have, with a link to the credential.

import { html } from "../core/html.js";
import { placeLink, readPlace } from "../core/place.js";
import { may, signedIn } from "../core/session.js";

const KINDS = { client: ["client", "client"], "api-key": ["key", "API key"] };
const SHOWN = 8; // characters of an id, which tell credentials apart. Their page has the whole one

// Returns the drawing of an actor.
export function actor(name) {
  const at = name.indexOf(":");
  const [place, noun] = KINDS[name.slice(0, Math.max(0, at))] ?? [];
  if (!place) return html`<span class="name">${name}</span>`;
  const id = name.slice(at + 1);
  const shown = html`<span title=${name}>${noun} <code>${id.length > SHOWN ? `${id.slice(0, SHOWN)}…` : id}</code></span>`;
  return may("admin") ? html`<a href=${placeLink(readPlace(location.hash).env, "clients", [place, id])}>${shown}</a>` : shown;
}

// Returns the name that the session's own credential has as an actor.
export function ownName() {
  const { kind, id } = signedIn();
  return { admin_key: "admin-key", api_key: `api-key:${id}`, client: `client:${id}` }[kind];
}
