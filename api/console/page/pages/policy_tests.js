// Policy tests that are stored beside the model: their sets, their runs, and the editor of a set.

import { html, nothing } from "../core/html.js";
import { announce } from "../core/announcement.js";
import { path, post } from "../core/api.js";
import { TESTS } from "../core/kinds.js";
import { update } from "../core/update.js";
import { counted } from "../core/words.js";
import { elementPages } from "../editing/element_page.js";
import { report } from "../editing/policy_test_report.js";
import { Act } from "../parts/act.js";

export function page(place) {
  const runner = new Runner(place);
  return elementPages(place, {
    kind: TESTS,
    about: "Each test asks a question and says what the answer must be. They are run before a change is saved.",
    above: () => () => html`<section><h2>Run them</h2>${runner.view(null)}</section>`,
    columns: [
      { title: "Set", cell: (one) => html`<code>${one.id}</code>` },
      { title: "Tests", isNumber: true, cell: (one) => one.tests.length },
      { title: "Names", cell: (one) => html`<span class="name">${one.tests.slice(0, 3).map((test) => test.name).join("; ")}${one.tests.length > 3 ? " …" : ""}</span>` },
    ],
    filters: [],
    empty: "There are no policy tests yet. A test shows that a later change breaks nothing.",
    beside: (env, one) => () => html`<section><h2>Run it</h2>${runner.view(one.id)}</section>`,
  });
}

// Runs the stored tests on the live model, and keeps what was found.
class Runner {
  constructor({ env }) {
    this.env = env;
    this.act = new Act();
    this.found = null;
  }

  view(id) {
    const items = this.found?.items.filter((one) => id === null || one.id === id) ?? [];
    return html`<p class="actions"><button class="plain" type="button" ?disabled=${this.act.isBusy} @click=${() => this.run()}>
        ${this.act.isBusy ? "Running…" : id === null ? "Run all tests" : "Run the tests"}</button></p>
      ${this.act.trouble()}
      ${this.found ? report(this.env, items, this.found.revision) : nothing}`;
  }

  async run() {
    const found = await this.act.run(() => post(path`/v1/environments/${this.env}/tests:run`, {}));
    if (found === undefined) return;
    this.found = found;
    announce(`${counted(found.passed, "test")} passed, ${found.failed} failed`);
    update();
  }
}
