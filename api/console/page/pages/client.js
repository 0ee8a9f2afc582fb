// One client: what it may do, its secret, its end, and what the audit log says of it; and the form of a new one.

import { html, nothing } from "../core/html.js";
import { announce } from "../core/announcement.js";
import { call, get, path, post } from "../core/api.js";
import { goTo, placeLink } from "../core/place.js";
import { update } from "../core/update.js";
import { Act } from "../parts/act.js";
import { Awaited } from "../parts/awaited.js";
import { faultOf, refusalOf } from "../parts/fault.js";
import { heading } from "../parts/heading.js";
import { notice } from "../parts/notice.js";
import { isSecretShown, showSecret } from "../parts/secret.js";
import { duration } from "../parts/duration.js";
import { when } from "../parts/when.js";
import { auditTrail } from "./audit_rows.js";
import { endings } from "./client_end.js";
import { environmentsIn, environmentsOf, highest, knownEnvironments, nameField, newRights, rightsFields } from "./credential_fields.js";
import { secretsOf } from "./rotation.js";

const PATHS = ["$.name", "$.description", "$.scopes", "$.token_lifetime", "$.environments"];
const DEFAULT_LIFETIME = 3_600;
const LONGEST_LIFETIME = 30 * 86_400;

// The page that makes a client.
export function newClientPage(place) {
  const draft = { ...newRights(place.env), description: "", lifetime: String(DEFAULT_LIFETIME) };
  const act = new Act();
  const known = knownEnvironments();
  const create = async (event) => {
    event.preventDefault();
    const made = await act.run(() => post("/v1/clients", bodyOf(draft)));
    if (!made) return;
    draft.name = "";
    showClientSecret(made, "Client created");
    goTo(placeLink(place.env, place.page, ["client", made.client_id]));
  };
  return {
    title: "New client",
    isUnsaved: () => draft.name !== "",
    view: () => html`${heading("New client", "Its secret is shown once, after you create it.", listOf(place))}
      <form class="card" @submit=${create}>
        ${fields(draft, act.problem, known.value ?? [])}
        ${refusalOf(act.problem, PATHS)}
        <p class="actions"><button type="submit" ?disabled=${act.isBusy}>Create client</button>
          <a class="button quiet" href=${listOf(place).link}>Cancel</a></p>
      </form>`,
  };
}

// The page of one client.
export function clientPage(place) {
  const id = place.given[1] ?? "";
  const where = path`/v1/clients/${id}`;
  const client = new Awaited("the client", (signal) => get(where, { signal }));
  const state = { place, where, client, edit: null, act: new Act(), done: null, known: knownEnvironments() };
  const trail = auditTrail({ client_id: id });
  const again = () => (client.again(), trail.again());
  const secrets = secretsOf({ where: `${where}/old-secrets`, again });
  const end = endings({ place, where, again, showSecret: showClientSecret });
  return {
    get title() {
      return `${client.value?.name ?? "…"} · Client`;
    },
    isUnsaved: () => isSecretShown() || (state.edit !== null && !isSame(state.edit, client.value)),
    view: () => client.view((one) => html`${heading(one.name, "A client of the service", listOf(place))}
      ${one.revoked ? notice("warn", html`<p>This client is revoked. Its secret and its tokens are refused for good.</p>`) : nothing}
      <section><h2>What it may do</h2>
        ${state.edit ? editor(state, one, again) : html`${facts(one)}
          ${state.done ?? nothing}
          <p class="actions"><button type="button" @click=${() => begin(state, one)}>Change</button></p>`}</section>
      ${secrets({ present: one.secret_last_used_at, old: one.old_secrets })}
      ${end(one)}
      <section><h2>What was done by it and to it</h2>
        ${trail.view()}
        <p class="pager"><a href=${placeLink(place.env, "audit", [], { client_id: id })}>All of it in the audit log</a></p>
      </section>`),
  };
}

const listOf = (place) => ({ link: placeLink(place.env, "clients"), name: "Clients and keys" });

function facts(one) {
  return html`<dl>
    <dt>Client id</dt><dd><code>${one.client_id}</code></dd>
    ${one.description ? html`<dt>Description</dt><dd class="text">${one.description}</dd>` : nothing}
    <dt>Scope</dt><dd>${highest(one.scopes)}</dd>
    <dt>Environments</dt><dd>${environmentsOf(one)}</dd>
    <dt>Tokens live</dt><dd>${duration(one.token_lifetime)}</dd>
    <dt>Created</dt><dd>${when(one.created)}</dd>
    <dt>Last used</dt><dd>${when(one.last_used_at)}</dd>
    ${one.revoked ? html`<dt>Revoked</dt><dd>${when(one.revoked)}</dd>` : nothing}
  </dl>`;
}

function fields(draft, problem, known) {
  return html`${nameField(draft, problem)}
    <label for="description">Description</label>
    <textarea id="description" class="prose" maxlength="4096" .value=${draft.description}
      @input=${(event) => ((draft.description = event.target.value), update())}></textarea>
    ${faultOf(problem, "$.description")}
    ${rightsFields(draft, problem, known)}
    <label for="lifetime">Seconds that a token lives</label>
    <input id="lifetime" class="short" type="number" min="1" max=${LONGEST_LIFETIME} required .value=${draft.lifetime}
      @input=${(event) => ((draft.lifetime = event.target.value), update())}>
    <p class="hint">${draft.lifetime > 0 ? duration(Number(draft.lifetime)) : ""}</p>
    ${faultOf(problem, "$.token_lifetime")}`;
}

function draftOf(one) {
  const { name, environments } = one;
  const draft = { name, description: one.description ?? "", scope: highest(one.scopes), lifetime: String(one.token_lifetime) };
  return { ...draft, environments: environments && [...environments], typed: "" };
}

function bodyOf(draft) {
  const { name, description, scope, lifetime } = draft;
  const body = { name, description: description || null, scopes: [scope], token_lifetime: Number(lifetime) };
  return { ...body, environments: environmentsIn(draft) };
}

// Returns the members of the body that differ: what somebody else changed meanwhile stays.
function changes(before, after) {
  const [old, body] = [bodyOf(before), bodyOf(after)];
  return Object.fromEntries(Object.entries(body).filter(([name, one]) => JSON.stringify(old[name]) !== JSON.stringify(one)));
}

const pick = (body, names) => Object.fromEntries(names.map((name) => [name, body[name]]));

const isSame = (draft, one) => JSON.stringify(draft) === JSON.stringify(draftOf(one));

function begin(state, one) {
  state.edit = draftOf(one);
  state.done = null;
  update();
}

function editor(state, one, again) {
  const save = async (event) => {
    event.preventDefault();
    const wanted = changes(draftOf(one), state.edit);
    if (await change(state, wanted, again)) state.done = undoable(state, pick(bodyOf(draftOf(one)), Object.keys(wanted)), again);
    update();
  };
  return html`<form @submit=${save}>
    ${fields(state.edit, state.act.problem, state.known.value ?? [])}
    <p class="meta">What the client loses, its tokens lose at once. What it gains is in tokens issued from then on.</p>
    ${refusalOf(state.act.problem, PATHS)}
    <p class="actions"><button type="submit" ?disabled=${state.act.isBusy}>Save</button>
      <button class="quiet" type="button" @click=${() => ((state.edit = null), (state.act.problem = null), update())}>Cancel</button></p>
  </form>`;
}

async function change(state, body, again) {
  const answer = await state.act.run(() => call("PATCH", state.where, { body }));
  if (!answer) return false;
  state.client.value = answer.data;
  state.edit = null;
  announce("The client is changed.");
  again();
  return true;
}

function undoable(state, former, again) {
  const undo = async () => {
    if (await change(state, former, again)) state.done = null;
    update();
  };
  return notice("good", html`<p>The client is changed. <button class="link" type="button" @click=${undo}>Undo</button></p>`);
}

function showClientSecret(made, title) {
  showSecret({
    title,
    about: "With this id and this secret, the client gets its tokens. The secret is shown only now.",
    more: [["Client id", made.client_id]],
    name: "Client secret",
    secret: made.client_secret,
  });
}
