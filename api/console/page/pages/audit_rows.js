// Entries of the audit log as rows: what happened in words, who did it, and the details, which open.

import { html, nothing } from "../core/html.js";
import { get } from "../core/api.js";
import { placeLink } from "../core/place.js";
import { actor } from "../parts/actor.js";
import { Awaited } from "../parts/awaited.js";
import { nothingYet } from "../parts/notice.js";
import { table } from "../parts/table.js";
import { instant } from "../core/words.js";

const NEWEST = 10; // entries of a short trail

// Each event of the log, and what it means.
/** @type {[string, string][]} */
export const EVENTS = [
  ["token.issued", "Token issued"],
  ["token.refused", "Token refused"],
  ["token.revoked", "Token revoked"],
  ["credential.refused", "Credential refused"],
  ["client.created", "Client created"],
  ["client.changed", "Client changed"],
  ["client.secret_renewed", "Client got a new secret"],
  ["client.old_secrets_ended", "Old secrets of a client ended"],
  ["client.revoked", "Client revoked"],
  ["client.deleted", "Client deleted"],
  ["api_key.created", "API key created"],
  ["api_key.rotated", "API key got a new secret"],
  ["api_key.old_keys_ended", "Old secrets of an API key ended"],
  ["api_key.deleted", "API key deleted"],
  ["sign_in.refused", "Sign-in refused"],
  ["session.started", "Person signed in"],
  ["session.ended", "Session of a person ended"],
  ["admin_key.set", "Administrator's key set"],
  ["signing_key.rotated", "Signing key of tokens replaced"],
  ["bundle_key.rotated", "Signing key of bundles replaced"],
  ["environment.created", "Environment created"],
  ["environment.changed", "Environment changed"],
  ["environment.deleted", "Environment deleted"],
  ["gateway.changed", "Gateway settings changed"],
  ["model.changed", "Model changed"],
  ["model.exported", "Model read as a whole"],
  ["model.promoted", "Policy model promoted"],
  ["model.restored", "Policy model restored"],
  ["promotion.requested", "Promotion asked for"],
  ["promotion.approved", "Promotion approved"],
  ["promotion.rejected", "Promotion rejected"],
  ["bundle.exported", "Bundle exported"],
  ["bundle.published", "Bundle published"],
  ["store.backed_up", "Store backed up"],
  ["store.restored", "Store restored from a backup"],
  ["store.copied", "Store copied to another place"],
  ["store.upgraded", "Store upgraded to a newer format"],
  ["service.started", "Service started"],
  ["service.stopped", "Service stopped"],
  ["audit.cut", "Old entries removed"],
];
const WORDS = new Map(EVENTS);

// Returns the words for an event.
export const eventWords = (event) => WORDS.get(event) ?? event;

// Returns the newest entries that a filter selects, as {again(), view()}.
export function auditTrail(filter) {
  const found = new Awaited("the audit log", (signal) =>
    get("/v1/audit", { query: { ...filter, limit: NEWEST }, signal }));
  const draw = ({ items }) => (items.length ? auditTable(items) : nothingYet("The audit log has nothing of it."));
  return { again: () => found.again(), view: () => found.view(draw) };
}

// Returns the drawing of entries as a table.
export function auditTable(entries) {
  return table({
    rows: entries,
    columns: [
      { title: "Time", cell: (one) => html`<time class="instant" datetime=${one.time} title=${one.time}>${instant(one.time)}</time>` },
      { title: "Event", cell: (one) => html`${eventWords(one.event)}` },
      { title: "Who", cell: (one) => actor(one.actor) },
      { title: "Environment", cell: (one) => (one.environment ? html`<code>${one.environment}</code>` : nothing) },
      { title: "Details", cell: details },
    ],
  });
}

function details(one) {
  const { before, after, ...others } = one.details;
  const changed = before !== undefined && after !== undefined;
  return html`<details><summary>${shortly(one)}</summary><dl class="facts">
    <dt>Entry</dt><dd>${one.id}, <code>${one.event}</code></dd>
    ${one.client_id ? html`<dt>Client</dt><dd>${actor(`client:${one.client_id}`)} <code>${one.client_id}</code></dd>` : nothing}
    ${one.address ? html`<dt>Address</dt><dd><code>${one.address}</code></dd>` : nothing}
    ${one.request_id ? html`<dt>Request</dt><dd><code>${one.request_id}</code></dd>` : nothing}
    ${Object.entries(others).map(([name, value]) => html`<dt>${name.replaceAll("_", " ")}</dt><dd>${linked(one, name, html`<code>${shown(value)}</code>`)}</dd>`)}
    ${changed ? changes(before, after) : nothing}
  </dl></details>`;
}

const PAGES = { revision: "history", promotion: "promotion" };

// A revision and a promotion have pages in the environment of the entry.
function linked({ environment, details: given }, name, drawing) {
  if (!environment || !PAGES[name] || !given[name]) return drawing;
  return html`<a href=${placeLink(environment, PAGES[name], [given[name]])}>${drawing}</a>`;
}

// Returns what tells this entry from others like it, in a few words.
function shortly({ details: given, client_id }) {
  if (given.revision && given.changes) return `revision ${given.revision}: ${counts(given.changes)}`;
  const told = given.name ?? given.after?.name ?? given.note ?? (given.from && `from ${given.from}`) ?? given.scope ?? client_id;
  if (given.count) return `${given.count} in the minute or hour`;
  if (told) return html`<span class="name">${clipped(String(told))}</span>`;
  const first = Object.entries(given.after ?? given).slice(0, 2);
  return first.length ? clipped(first.map(([name, value]) => `${name.replaceAll("_", " ")} ${shown(value)}`).join(", ")) : "details";
}

const clipped = (text) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

function counts(lists) {
  const parts = Object.entries(lists).map(([list, one]) => {
    const marks = [["+", one.added], ["~", one.changed], ["−", one.removed], ["↕", one.moved]];
    return `${list.replaceAll("_", " ")} ${marks.filter(([, many]) => many).map(([mark, many]) => mark + many).join(" ")}`;
  });
  return parts.length > 3 ? `${parts.slice(0, 3).join(", ")} and more` : parts.join(", ");
}

function changes(before, after) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const differ = names.filter((name) => shown(before?.[name]) !== shown(after?.[name]));
  return differ.map((name) => html`<dt>${name.replaceAll("_", " ")}</dt>
    <dd><del><code>${shown(before?.[name])}</code></del> → <ins><code>${shown(after?.[name])}</code></ins></dd>`);
}

const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value) ?? "nothing");
