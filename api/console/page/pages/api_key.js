// One API key: what it may do and its end; and the form of a new one.

import { html } from "../core/html.js";
import { call, get, path, post } from "../core/api.js";
import { goTo, placeLink } from "../core/place.js";
import { signedIn } from "../core/session.js";
import { update } from "../core/update.js";
import { Act } from "../parts/act.js";
import { Awaited } from "../parts/awaited.js";
import { confirmEnd } from "../parts/dialog.js";
import { noteDone } from "../parts/done.js";
import { refusalOf } from "../parts/fault.js";
import { heading } from "../parts/heading.js";
import { isSecretShown, showSecret } from "../parts/secret.js";
import { when } from "../parts/when.js";
import { auditTrail } from "./audit_rows.js";
import { deed } from "./client_end.js";
import { environmentsIn, environmentsOf, expiry, highest, knownEnvironments, nameField, newRights, rightsFields, typable } from "./credential_fields.js";
import { expiresAt, expiryFields, isDated, newExpiry } from "./key_expiry.js";
import { askRotation, secretsOf } from "./rotation.js";

const PATHS = ["$.name", "$.scopes", "$.environments", "$.expires_at"];

// The page that makes an API key.
export function newApiKeyPage(place) {
  const draft = { ...newRights(place.env), expiry: newExpiry() };
  const act = new Act();
  const known = knownEnvironments();
  const create = async (event) => {
    event.preventDefault();
    if (!isDated(draft.expiry)) return update();
    const made = await act.run(() => post("/v1/api-keys", bodyOf(draft)));
    if (!made) return;
    draft.name = "";
    showKey(made);
    goTo(placeLink(place.env, place.page, ["key", made.id]));
  };
  return {
    title: "New API key",
    isUnsaved: () => draft.name !== "",
    view: () => html`${heading("New API key", "The key is shown once, after you create it.", listOf(place))}
      <form class="card" @submit=${create}>
        ${nameField(draft, act.problem)}
        ${rightsFields(draft, act.problem, known.value ?? [])}
        ${expiryFields(draft.expiry, act.problem)}
        ${refusalOf(act.problem, PATHS)}
        <p class="actions"><button type="submit" ?disabled=${act.isBusy}>Create API key</button>
          <a class="button quiet" href=${listOf(place).link}>Cancel</a></p>
      </form>`,
  };
}

// The page of one API key. Its rights can't be changed: what it should do differently is another key.
export function apiKeyPage(place) {
  const id = place.given[1] ?? "";
  const where = path`/v1/api-keys/${id}`;
  const key = new Awaited("the API key", (signal) => get(where, { signal }));
  const trail = auditTrail({ actor: `api-key:${id}` });
  const again = () => (key.again(), trail.again());
  const secrets = secretsOf({ where: `${where}/old-keys`, again });
  return {
    get title() {
      return `${key.value?.name ?? "…"} · API key`;
    },
    isUnsaved: isSecretShown,
    view: () => key.view((one) => html`${heading(one.name, "An API key of the service", listOf(place))}
      <section><h2>What it may do</h2>${facts(one)}</section>
      ${secrets({ present: one.key_last_used_at, old: one.old_keys })}
      <section><h2>New secret, and end</h2><ul class="deeds">
        ${deed("Make a new key", "with the same rights, in place of the old one, which may work for some time more.", () => rotate(where, one, again), "")}
        ${deed("Delete API key", "ends it at once, for good.", () => remove(place, where, one))}</ul></section>
      <section><h2>What was done with it</h2>${trail.view()}
        <p class="pager"><a href=${placeLink(place.env, "audit", [], { actor: `api-key:${id}` })}>All of it in the audit log</a></p>
      </section>`),
  };
}

const listOf = (place) => ({ link: placeLink(place.env, "clients"), name: "Clients and keys" });

function facts(one) {
  return html`<dl>
    <dt>Id</dt><dd><code>${one.id}</code></dd>
    <dt>Scope</dt><dd>${highest(one.scopes)}</dd>
    <dt>Environments</dt><dd>${environmentsOf(one)}</dd>
    <dt>Created</dt><dd>${when(one.created)}</dd>
    <dt>Expires</dt><dd>${when(one.expires_at)} ${expiry(one)}</dd>
    <dt>Last used</dt><dd>${when(one.last_used_at)}</dd>
  </dl>`;
}

function bodyOf(draft) {
  const { name, scope } = draft;
  return { name, scopes: [scope], environments: environmentsIn(draft), ...expiresAt(draft.expiry) };
}

function rotate(where, one, again) {
  const expires = newExpiry(one);
  askRotation({
    title: `Make a new key for ${one.name}`,
    old: "the old key",
    about: "The new key has the rights of the old one.",
    button: "Make a new key",
    fields: (problem) => expiryFields(expires, problem),
    isReady: () => isDated(expires),
    rotate: async (seconds) => {
      const made = await post(`${where}/rotate`, { overlap_seconds: seconds, ...expiresAt(expires) });
      again();
      showKey(made, "A new key");
    },
  });
}

function showKey(made, title = "API key created") {
  showSecret({
    title,
    about: "A program sends this key with every call. It is shown only now.",
    name: "API key",
    secret: made.key,
  });
}

function remove(place, where, one) {
  const own = signedIn().id === one.id ? " You are signed in with this key." : "";
  confirmEnd({
    title: "Delete this API key",
    text: `It is refused at once, for good.${own}`,
    name: typable(one.name, one.id),
    button: "Delete API key",
    act: async () => {
      await call("DELETE", where);
      noteDone({ link: placeLink(place.env, place.page), text: `The API key ${one.name} is deleted` });
      goTo(placeLink(place.env, place.page));
    },
  });
}
