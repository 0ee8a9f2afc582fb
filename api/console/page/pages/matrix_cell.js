// A cell of the matrix: which policies and grants speak of it, each with the way to change it.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { questionLink } from "../core/asking.js";
import { placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { Awaited } from "../parts/awaited.js";
import { tag } from "../parts/proof.js";
import { gives, grantsOf, questionOf, rolesOf } from "../parts/rights.js";

const MOST_POLICIES = 1_000;
const ALL_TYPES = "*";
const NO_HOLDINGS = { roles: [], grants: [] };

// Reads the policies that are about a type.
export async function policiesAbout(env, type, signal) {
  const about = [type.id, ALL_TYPES].map((resource_type) => get(path`/v1/environments/${env}/policies`, { query: { resource_type, limit: MOST_POLICIES }, signal }));
  const found = await Promise.all(about);
  if (found.some((one) => one.next_cursor)) throw new Error(`More than ${MOST_POLICIES} policies are about this type. Ask about one subject instead.`);
  return found.flatMap((one) => one.items);
}

// The address of a cell, and back: {row, action} or null. `row` is {type, id} for a subject, {id} for a role.
export function cellLink(place, row, action) {
  return placeLink(place.env, place.page, [], { ...Object.fromEntries(place.query), cell: JSON.stringify([row.id, action, row.type]) });
}

/** @type {(place: Place) => {row: any, action: string} | null} */
export function cellAt({ query }) {
  try {
    const [id, action, type] = JSON.parse(query.get("cell") ?? "");
    return [id, action].every((one) => typeof one === "string") ? { row: { id, type }, action } : null;
  } catch {
    return null;
  }
}

// The policies and grants that speak of a cell. `view()` is their drawing.
export class MatrixCell {
  constructor(place, rows, typed, { row, action }) {
    this.place = place;
    this.rows = rows;
    this.row = row;
    this.action = action;
    this.found = new Awaited("what speaks of this cell", async (signal) => this.read(await typed(), signal));
  }

  async read(type, signal) {
    const { env } = this.place;
    const isRole = this.rows === "roles";
    const [policies, held] = await Promise.all([
      policiesAbout(env, type, signal),
      isRole ? NO_HOLDINGS : get(path`/v1/environments/${env}/subjects/${this.row.type}/${this.row.id}/holdings`, { signal }),
    ]);
    const roles = isRole ? [this.row.id] : rolesOf(held);
    return {
      type,
      policies: policies.filter((one) => gives(one, roles, type.id, this.action)),
      others: policies.filter((one) => !gives(one, roles, type.id, this.action) && gives({ ...one, roles: [], except_roles: [] }, [], type.id, this.action)),
      grants: grantsOf(held, type.id, this.action),
    };
  }

  view() {
    return html`<section aria-label="Cell" class="cell-detail"><h2><code>${this.row.id}</code>: <code>${this.action}</code></h2>
      ${this.found.view((found) => this.drawn(found))}</section>`;
  }

  drawn({ type, policies, others, grants }) {
    const { env } = this.place;
    const isRole = this.rows === "roles";
    const nobody = isRole ? "No policy speaks of this role and action." : "No policy and no grant gives this subject the action.";
    return html`${policies.length + grants.length ? html`<ul class="plain">${policies.map((one) => policyLine(env, one))}${grants.map((one) => grantLine(env, one))}</ul>` : html`<p>${nobody}</p>`}
      ${others.length ? html`<details><summary>Policies about this action for others: ${others.length}</summary><ul class="plain">${others.map((one) => policyLine(env, one))}</ul></details>` : nothing}
      <p class="actions">${isRole ? nothing : html`<a class="button quiet" href=${questionLink(env, "what-can", questionOf(this.row, type, this.action))}>Show the resources</a>`}
        ${may("write") ? html`<a class="button quiet" href=${placeLink(env, "policies", [], { new: "yes" })}>Write a policy</a>` : nothing}</p>`;
  }
}

const change = (env, page, id) => (may("write") ? html` <a href=${placeLink(env, page, [id], { edit: "yes" })}>Edit</a>` : nothing);
const policyLine = (env, one) => html`<li>${tag(one.effect)}<a class="name" href=${placeLink(env, "policies", [one.id])}>${one.name ?? one.id}</a>${change(env, "policies", one.id)}</li>`;
const grantLine = (env, one) => html`<li>grant <a href=${placeLink(env, "grants", [one.id])}><code>${one.id}</code></a>${change(env, "grants", one.id)}</li>`;
