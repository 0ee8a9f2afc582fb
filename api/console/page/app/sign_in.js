// The sign-in: with the provider of the organisation, or with an API key, the administrator's key, or a client.

import { html, nothing } from "../core/html.js";
import { call, get } from "../core/api.js";
import { begin, endedBecause, Session, session } from "../core/session.js";
import { update } from "../core/update.js";
import { failure, notice } from "../parts/notice.js";
import { goToProvider, offered } from "./person.js";

let way = "key";
/** @type {any} */
let problem = null;
let isBusy = false;

// Returns the drawing of the sign-in.
export function signIn() {
  const ended = endedBecause();
  return html`<main class="sign-in">
    <form @submit=${submit} aria-labelledby="sign-in-title">
      <h1 id="sign-in-title">Sign in to Writ</h1>
      ${ended && !problem ? notice("warn", html`<p>${ended}</p><p>${session().isAsleep ? WAITS : "Sign in again to go on where you were."}</p>`) : nothing}
      ${withProvider(offered())}
      <fieldset class="choice">
        <legend class="hidden">Sign in with</legend>
        ${choice("key", "A key")} ${choice("client", "A client")}
      </fieldset>
      ${way === "key" ? keyField() : clientFields()}
      ${problem ? failure(problem) : nothing}
      <p class="actions"><button type="submit" ?disabled=${isBusy}>${isBusy ? "Signing in…" : "Sign in"}</button></p>
      <p class="soft">The credential stays in the memory of this page. A reload forgets it.</p>
    </form>
  </main>`;
}

const WAITS = "What you wrote is kept. Sign in again in another window to go on with it.";

// Returns the way in for people. Keys are for machines, and for the first start.
const withProvider = (offer) => offer?.provider ? html`<p class="actions"><button type="button" @click=${goToProvider}>Sign in with ${offer.provider}</button></p>
  <p class="soft">If you have no access, ask ${offer.ask}. Keys are for machines and for the first start:</p>` : nothing;

const choice = (name, text) => html`<label>
  <input type="radio" name="way" value=${name} .checked=${way === name}
    @change=${() => ((way = name), (problem = null), update())}> ${text}
</label>`;

const keyField = () => html`<label for="key">API key, or the administrator's key</label>
  <input id="key" name="key" type="password" autocomplete="off" spellcheck="false" required>`;

const clientFields = () => html`<label for="client-id">Client id</label>
  <input id="client-id" name="id" class="mono" autocomplete="off" spellcheck="false" required>
  <label for="client-secret">Client secret</label>
  <input id="client-secret" name="secret" type="password" autocomplete="off" spellcheck="false" required>`;

async function submit(event) {
  event.preventDefault();
  const given = new FormData(event.target);
  const text = (name) => String(given.get(name)).trim();
  [problem, isBusy] = [null, true];
  update();
  try {
    const credential = way === "key" ? text("key") : await token(text("id"), text("secret"));
    const by = new Session(credential);
    begin(by, await get("/v1/caller", { by }));
    event.target.reset();
  } catch (found) {
    problem = found;
  }
  isBusy = false;
  update();
}

// Returns an access token for a client (RFC 6749, 4.4).
async function token(id, secret) {
  const form = new URLSearchParams({ grant_type: "client_credentials", client_id: id, client_secret: secret });
  const type = "application/x-www-form-urlencoded";
  try {
    return (await call("POST", "/v1/oauth/token", { body: form.toString(), type, by: new Session(null) })).data.access_token;
  } catch (found) {
    if (found.message === "invalid_client") found.message = "The service does not know this client with this secret.";
    throw found;
  }
}
