// The actor of a change, by the name that histories and the audit log have, with a link to the credential.

import { html } from "../core/html.js";
import { placeLink, readPlace } from "../core/place.js";
import { may, signedIn } from "../core/session.js";
import { personName } from "./person_names.js";

const KINDS = { client: ["client", "client"], "api-key": ["key", "API key"] };
const PERSON = "person:";
const SHOWN = 8; // characters of an id, which tell credentials apart. Their page has the whole one

// Returns the drawing of an actor.
export function actor(name) {
  if (name.startsWith(PERSON)) return person(name.slice(PERSON.length));
  const at = name.indexOf(":");
  const [place, noun] = KINDS[name.slice(0, Math.max(0, at))] ?? [];
  if (!place) return html`<span class="name">${name}</span>`;
  const id = name.slice(at + 1);
  const shown = html`<span title=${name}>${noun} <code>${short(id)}</code></span>`;
  return may("admin") ? html`<a href=${placeLink(readPlace(location.hash).env, "clients", [place, id])}>${shown}</a>` : shown;
}

// A name may be that of several people, so the beginning of the id stands beside it.
const person = (id) => html`<span title=${PERSON + id}><span class="name">${personName(id) ?? "person"}</span> <code class="soft">${short(id)}</code></span>`;

const short = (id) => (id.length > SHOWN ? `${id.slice(0, SHOWN)}…` : id);

// Returns the name that the session's own credential has as an actor.
export function ownName() {
  const { kind, id } = signedIn();
  return { admin_key: "admin-key", api_key: `api-key:${id}`, client: `client:${id}`, person: PERSON + id }[kind];
}
