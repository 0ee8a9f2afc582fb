// The filter of a subject: as a tree, as SQL, and as the registered resources that it selects.

import { html, nothing } from "../core/html.js";
import { path, post } from "../core/api.js";
import { filterOf, search } from "../core/asking.js";
import { placeLink } from "../core/place.js";
import { update } from "../core/update.js";
import { value } from "../core/words.js";
import { Awaited } from "./awaited.js";
import { leftOpen, nothingYet, sentence } from "./notice.js";
import { compared } from "./proof.js";
import { table } from "./table.js";

const DIALECTS = ["postgresql", "mysql", "sqlite", "duckdb"];
const SHOWN_ROWS = 20;
const JOINED = { and: "all of these", or: "any of these", not: "not" };

// One filter in three forms.
export class FilterView {
  constructor(env, request, typeIdOf) {
    this.env = env;
    this.typeIdOf = typeIdOf;
    this.dialect = DIALECTS[0];
    const { subject, action, resource, context, options } = request;
    const question = { subject, action, resource: { type: resource.type }, ...(context ? { context } : {}), options };
    this.found = new Awaited("the filter", (signal) => filterOf(env, question, signal));
    this.rows = new Awaited("the resources", (signal) => search(env, "resource", question, { limit: SHOWN_ROWS }, signal));
    this.sql = this.translated();
  }

  translated() {
    return new Awaited("the SQL", async (signal) => {
      const { filter } = await this.found.answer();
      const body = { filter, dialect: this.dialect };
      return post(path`/v1/environments/${this.env}/filters:translate`, body, { signal });
    });
  }

  // Returns the drawing of the three forms.
  view() {
    return html`<h2 class="apart">Filter<small class="soft"> for every resource of this type</small></h2>
      ${this.found.view((found) => html`<p class="soft">${sentence(found.context.reason)}</p><ul class="tree">${node(found.filter)}</ul>${leftOpen(found.context.left_open)}`)}
      <h3>As SQL</h3>
      <div class="bar"><div><label for="dialect">Database</label>
        <select id="dialect" @change=${(event) => ((this.dialect = event.target.value), (this.sql = this.translated()), update())}>
          ${DIALECTS.map((one) => html`<option value=${one} .selected=${one === this.dialect}>${one}</option>`)}</select></div></div>
      ${this.sql.view(
        (found) => html`<pre tabindex="0">${found.sql}</pre>
          ${found.parameters?.length || Object.keys(found.parameters ?? {}).length ? html`<p class="soft">Parameters <code>${value(found.parameters)}</code></p>` : nothing}`,
      )}
      <h3>Registered resources that it selects</h3>
      ${this.rows.view((found) => this.selected(found))}`;
  }

  selected(found) {
    if (!found.results.length) return nothingYet("It selects none of the registered resources.");
    return html`${table({
      columns: [
        { title: "Id", cell: (row) => html`<code>${row.id}</code>` },
        { title: "Name", cell: (row) => html`<span class="name">${row.name ?? ""}</span>` },
        { title: "Actions", cell: (row) => (row.actions ?? []).join(", ") },
      ],
      rows: found.results,
      link: (row) => placeLink(this.env, "resources", [this.typeIdOf(row.type), row.id]),
    })}
    ${found.page?.next_token ? html`<p class="soft">These are the first ${found.results.length}. The page “What can they see” lists all of them.</p>` : nothing}`;
  }
}

function node(one) {
  if (one.type === "const") return html`<li>${one.value ? "every resource" : "no resource"}</li>`;
  if (one.type === "field") return html`<li><code>${one.field}</code> ${compared(one.operator)} <code>${value(one.value)}</code>${one.value_type === "instant" ? " as an instant" : nothing}</li>`;
  if (one.type === "direct") return html`<li>a direct grant of <code>${one.action}</code></li>`;
  return html`<li>${JOINED[one.operator] ?? one.operator}<ul>${one.conditions.map(node)}</ul></li>`;
}
