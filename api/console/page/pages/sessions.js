// Sessions: who is signed in with the provider, and the people who ever were, each with the way to end the sessions.

import { html, nothing } from "../core/html.js";
import { call, get, path } from "../core/api.js";
import { signedIn } from "../core/session.js";
import { Act } from "../parts/act.js";
import { Awaited } from "../parts/awaited.js";
import { confirmEnd } from "../parts/dialog.js";
import { doneNotice, noteDone } from "../parts/done.js";
import { heading } from "../parts/heading.js";
import { listPage } from "../parts/list.js";
import { when } from "../parts/when.js";
import { placeLink } from "../core/place.js";
import { environmentsOf, highest, typable } from "./credential_fields.js";

const ROWS = 25;
const ID_SHOWN = 8; // characters, which tell people of one name apart

export function page(place) {
  const act = new Act();
  const read = (what, where, name) => new Awaited(what, (signal) => get(where, { query: { limit: ROWS, cursor: place.query.get(name) }, signal }));
  const sessions = read("the sessions", "/v1/sessions", "sessions");
  const people = signedIn()?.environments ? null : read("the people", "/v1/people", "people"); // they belong to no environment
  const again = () => [sessions, people].forEach((one) => one?.again());
  const end = async (where, text) => {
    await call("DELETE", where);
    noteDone({ link: placeLink(place.env, place.page, place.given), text });
    again();
  };
  const endOne = (one) => act.run(() => end(path`/v1/sessions/${one.id}`, `A session of ${one.name} has ended`));
  const endAll = (one) => confirmEnd({
    title: `End all sessions of ${one.name}`,
    text: "They are refused at once, at every server. Who may still sign in at the provider can come back with the groups that the provider names then.",
    name: typable(one.name, one.id),
    button: "End all sessions",
    act: () => end(path`/v1/people/${one.id}/sessions`, `All sessions of ${one.name} have ended`),
  });
  return {
    title: "Sessions",
    view: () => html`${heading("Sessions", "People who signed in with the provider. A session keeps the rights that its person had at the sign-in: end it after you took a group away.")}
      ${doneNotice(place)}${act.trouble()}
      <section aria-label="Sessions">${sessions.view((found) => listPage(place, found, { cursor: "sessions", columns: sessionColumns(act, endOne),
        empty: "Nobody has a session. People get one when they sign in with the provider." }))}</section>
      ${people ? html`<section aria-label="People"><h2>People</h2><p class="soft">All who ever signed in. History and audit name them.</p>
        ${people.view((found) => listPage(place, found, { cursor: "people", columns: personColumns(endAll), empty: "Nobody has signed in with the provider yet." }))}</section>` : nothing}`,
  };
}

const named = (name, id) => html`<span class="name">${name}</span> <code class="soft" title=${id}>${id.slice(0, ID_SHOWN)}…</code>${
  signedIn()?.id === id ? html` <span class="tag">you</span>` : nothing}`;

const sessionColumns = (act, endOne) => [
  { title: "Who", cell: (one) => named(one.name, one.person) },
  { title: "Scope", cell: (one) => highest(one.scopes) },
  { title: "Environments", cell: environmentsOf },
  { title: "Began", cell: (one) => when(one.created) },
  { title: "Last used", cell: (one) => when(one.last_used_at) },
  { title: "Ends, if unused", cell: (one) => when(one.ends_at) },
  { title: "", cell: (one) => html`<button class="quiet" type="button" ?disabled=${act.isBusy} aria-label=${`End the session of ${one.name}`} @click=${() => endOne(one)}>End</button>` },
];

const personColumns = (endAll) => [
  { title: "Who", cell: (one) => named(one.name, one.id) },
  { title: "Provider", cell: (one) => html`<code>${one.issuer}</code>` },
  { title: "Its id there", cell: (one) => html`<code>${one.subject}</code>` },
  { title: "", cell: (one) => html`<button class="quiet" type="button" aria-label=${`End all sessions of ${one.name}`} @click=${() => endAll(one)}>End all sessions…</button>` },
];
