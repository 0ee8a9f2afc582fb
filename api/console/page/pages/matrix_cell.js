// A cell of the matrix: which policies and grants speak of it, each with the way to change it.

import { html, nothing } from "../core/html.js";
import { questionLink } from "../core/asking.js";
import { placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { policyLink, sourceList } from "../editing/right_sources.js";
import { Awaited } from "../parts/awaited.js";
import { tag } from "../parts/proof.js";
import { questionOf, rightsOn } from "../parts/rights.js";

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
    const holder = this.rows === "roles" ? { role: this.row.id } : this.row;
    const [[cell]] = await rightsOn(this.place.env, [holder], [{ ...type, actions: [this.action] }], signal, true);
    return { ...cell, type };
  }

  view() {
    return html`<section aria-label="Cell" class="cell-detail"><h2><code>${this.row.id}</code>: <code>${this.action}</code></h2>
      ${this.found.view((found) => this.drawn(found))}</section>`;
  }

  drawn({ type, sources, others, cut }) {
    const { env } = this.place;
    const isRole = this.rows === "roles";
    const nobody = isRole ? "No policy speaks of this role and action." : "No policy and no grant gives this subject the action.";
    return html`${sources.length ? sourceList(env, sources, (one) => change(env, one)) : html`<p>${nobody}</p>`}
      ${others.length ? html`<details><summary>Policies about this action that do not count here: ${others.length}</summary><ul class="plain">${others.map((one) => policyLine(env, one))}</ul></details>` : nothing}
      ${cut ? html`<p class="soft">There are more than these.</p>` : nothing}
      <p class="actions">${isRole ? nothing : html`<a class="button quiet" href=${questionLink(env, "what-can", questionOf(this.row, type, this.action))}>Show the resources</a>`}
        ${may("write") ? html`<a class="button quiet" href=${placeLink(env, "policies", [], { new: "yes" })}>Write a policy</a>` : nothing}</p>`;
  }
}

const PAGES = { policy: "policies", grant: "grants" };
const change = (env, { kind = "policy", id }) => (may("write") ? html` <a href=${placeLink(env, PAGES[kind], [id], { edit: "yes" })}>Edit</a>` : nothing);
const policyLine = (env, one) => html`<li>${tag(one.effect)}${policyLink(env, one.id)}${change(env, one)}</li>`;
