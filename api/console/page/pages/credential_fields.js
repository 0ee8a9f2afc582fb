// The fields that clients and API keys share: the name, the scope and the environments.

import { html, nothing } from "../core/html.js";
import { get } from "../core/api.js";
import { now } from "../core/clock.js";
import { signedIn } from "../core/session.js";
import { update } from "../core/update.js";
import { Awaited } from "../parts/awaited.js";
import { faultOf } from "../parts/fault.js";
import { several, withTyped } from "../parts/several.js";
import { when } from "../parts/when.js";

export const SCOPES = [
  ["decide", "asks for decisions and gets bundles, for applications, gateways and agents"],
  ["read", "also reads models"],
  ["write", "also changes models"],
  ["admin", "does everything: environments, clients, keys, the audit log"],
];

const DAY = 86_400_000; // milliseconds
const SOON = 14 * DAY;
const UNUSED = 30 * DAY;

// Returns the highest of the scopes of a credential.
export const highest = (scopes) => SCOPES.map(([name]) => name).findLast((name) => scopes.includes(name));

// Returns what the fields of a new credential begin with: the least scope, and the environment that the user looks at.
export function newRights(env) {
  return { name: "", scope: "decide", environments: [env], typed: "" };
}

// Returns the drawing of the field of the name.
export const nameField = (draft, problem) => html`<label for="name">Name</label>
  <input id="name" maxlength="256" required autocomplete="off" .value=${draft.name}
    @input=${(event) => ((draft.name = event.target.value), update())}>
  ${faultOf(problem, "$.name")}`;

// Returns the drawing of the fields of the scope and the environments. `known` are ids of environments.
export function rightsFields(draft, problem, known) {
  return html`<fieldset><legend>Scope</legend>${SCOPES.map(([name, about]) => scopeChoice(draft, name, about))}</fieldset>
    ${faultOf(problem, "$.scopes")}
    <fieldset><legend>Environments</legend>
      ${signedIn().environments ? nothing : boundChoice(draft, null, "All, also those to come")}
      ${boundChoice(draft, [], "Only these:")}
      ${draft.environments ? environmentsField(draft, problem, known) : nothing}
    </fieldset>`;
}

const scopeChoice = (draft, name, about) => html`<label>
  <input type="radio" name="scope" value=${name} .checked=${draft.scope === name}
    @change=${() => ((draft.scope = name), update())}> <b>${name}</b> <span class="soft">${about}</span></label>`;

const boundChoice = (draft, value, text) => html`<label>
  <input type="radio" name="bound" .checked=${(draft.environments === null) === (value === null)}
    @change=${() => ((draft.environments = value), update())}> ${text}</label>`;

function environmentsField(draft, problem, known) {
  return several({
    id: "environments",
    label: "Ids of environments",
    values: draft.environments,
    suggestions: known.filter((one) => !draft.environments.includes(one)),
    typed: draft.typed,
    change: (values, typed) => ((draft.environments = values), (draft.typed = typed), update()),
    fault: faultOf(problem, "$.environments"),
  });
}

// Returns the environments that the fields say, for the API.
export const environmentsIn = (draft) => draft.environments && withTyped(draft.environments, draft.typed);

// Returns the drawing of the environments of a credential.
export function environmentsOf(credential) {
  if (credential.environments === null) return "all";
  if (!credential.environments.length) return html`<span class="tag warn">! none</span>`;
  return credential.environments.map((id, at) => html`${at ? ", " : nothing}<code>${id}</code>`);
}

// Returns a name that people can type to confirm, or else the id.
export function typable(name, id) {
  return name.length <= 64 && name === name.trim() && !/\p{C}/u.test(name) ? name : id;
}

// Returns the drawing of the last use of a credential, marked if it had none for as long as the service calls unused.
export function lastUse(one) {
  const isOver = one.revoked || Date.parse(one.expires_at) <= now();
  const isUnused = !isOver && [one.created, one.last_used_at].every((at) => !at || Date.parse(at) <= now() - UNUSED);
  return html`${when(one.last_used_at)} ${isUnused ? html`<span class="tag warn">! unused</span>` : nothing}`;
}

// Returns the drawing of the next end of a replaced secret that still works, or nothing.
export function oldEnd(old) {
  const next = old.map((one) => one.ends_at).filter((at) => Date.parse(at) > now()).sort()[0];
  return next ? html`<p>an old one: ${when(next)} ${expiry({ expires_at: next })}</p>` : nothing;
}

// Returns the drawing of a key's expiry, if it is past or near.
export function expiry(key) {
  const left = key.expires_at ? Date.parse(key.expires_at) - now() : Infinity;
  if (left <= 0) return html`<span class="tag deny">✕ expired</span>`;
  return left < SOON ? html`<span class="tag warn">! soon</span>` : nothing;
}

// Asks for the ids of environments to suggest.
export function knownEnvironments() {
  const ask = (signal) => get("/v1/environments", { query: { limit: 100 }, signal });
  return new Awaited("the environments", async (signal) => (await ask(signal)).items.map((one) => one.id));
}
