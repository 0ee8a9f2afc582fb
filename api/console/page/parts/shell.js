// What surrounds every page: the environment and its revision, the navigation, and who is signed in.

import { html, nothing } from "../vendor/lit-html.js";
import { get, path } from "../core/api.js";
import { GROUPS } from "../core/pages.js";
import { goTo, placeLink } from "../core/place.js";
import { may, signedIn, signOut, whenSessionEnds } from "../core/session.js";
import { update } from "../core/update.js";
import { number } from "../core/words.js";
import { openDialog } from "./dialog.js";

const FRESH = 15_000; // milliseconds after which the environments and the counts are read again
const NEVER = { for: null, at: -Infinity };

let environments = [];
let counts = {};
let read = NEVER;
let announced = null;

// Another caller may see other environments, and none of what was done here.
whenSessionEnds(() => {
  [environments, counts, read, announced] = [[], {}, NEVER, null];
});

// Returns the drawing of the whole page around `content`.
export function shell(place, content) {
  keepFresh(place.env);
  const here = environments.find((one) => one.id === place.env);
  return html`<a class="skip" href="#content" @click=${skip}>Skip to the content</a>
    <header class=${here?.protected ? "protected" : ""}>
      <b>Writ</b>
      <span class="env">
        <label class="hidden" for="environment">Environment</label>
        <select id="environment" @change=${(event) => goTo(placeLink(event.target.value, place.page))}>
          ${names(place.env).map((id) => html`<option .selected=${id === place.env} value=${id}>${id}</option>`)}
        </select>
        ${here ? html`<span class="soft">revision ${number(here.revision)}</span>` : nothing}
        ${here?.protected ? html`<span class="badge">protected</span>` : nothing}
        ${here?.promotion_only ? html`<span class="badge">promotion only</span>` : nothing}
      </span>
      <span class="push soft">${who()}</span>
      <button class="quiet wide" type="button" @click=${keysDialog}>Keyboard</button>
      <button class="quiet" type="button" @click=${signOut}>Sign out</button>
    </header>
    <nav aria-label="Console">${GROUPS.map((group) => navigation(group, place))}</nav>
    <main id="content" tabindex="-1">${content}</main>
    <div class="hidden" role="status" aria-live="polite">${announced}</div>`;
}

// Reads the environment's revision and the counts again, after a change.
export function refreshShell() {
  read = NEVER;
  update();
}

// Says something to people who can't see that it happened.
export function announce(text) {
  announced = text;
  update();
}

// Returns the environment that is open, as the service describes it, or undefined before it is read.
export function environmentOf(id) {
  return environments.find((one) => one.id === id);
}

// Shows the keys of the console.
export function keysDialog() {
  const pages = GROUPS.flatMap((group) => group.pages);
  openDialog({
    title: "Keyboard",
    view: (close) => html`<table class="keys"><tbody>
        <tr><td><kbd>/</kbd></td><td>Go to the search field</td></tr>
        <tr><td><kbd>?</kbd></td><td>Show these keys</td></tr>
        ${pages.map((one) => html`<tr><td><kbd>g</kbd> <kbd>${one.key}</kbd></td><td>${one.name}</td></tr>`)}
      </tbody></table>
      <p class="actions"><button type="button" @click=${close}>Close</button></p>`,
  });
}

// A credential that is bound to other environments still sees the name of the one that the address asks for.
const names = (env) => [...new Set([...environments.map((one) => one.id), env])];

function navigation(group, place) {
  const pages = group.pages.filter((one) => may(one.scope ?? "read"));
  if (!pages.length) return nothing;
  return html`<h2>${group.name}</h2>${pages.map(
    (one) => html`<a href=${placeLink(place.env, one.id)} aria-current=${one.id === place.page ? "page" : "false"}>
      ${one.name}${counts[one.kind] === undefined ? nothing : html`<span>${number(counts[one.kind])}</span>`}</a>`,
  )}`;
}

function who() {
  const caller = signedIn();
  const name = caller.kind === "admin_key" ? "the administrator's key" : caller.name || caller.id;
  return html`Signed in as <span class="name">${name}</span>, ${caller.scopes.at(-1) ?? "no scope"}`;
}

async function keepFresh(env) {
  if (read.for === env && performance.now() - read.at < FRESH) return;
  const reading = { for: env, at: performance.now() };
  read = reading;
  const asked = [get("/v1/environments", { query: { limit: 1000 } }), askCounts(env)];
  const [list, counted] = await Promise.allSettled(asked);
  if (read !== reading) return; // somebody else has signed in, or a change has made it old
  environments = list.value?.items ?? environments;
  counts = counted.value?.counts ?? {};
  update();
}

// Rejects for an environment whose name can't be sent, as for one that is not there.
const askCounts = async (env) => get(path`/v1/environments/${env}/counts`);

function skip(event) {
  event.preventDefault();
  document.getElementById("content").focus();
}
