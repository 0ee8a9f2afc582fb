// The result of a run of policy tests: what passed, what failed with which values, and what could not be run.

import { html, nothing } from "../core/html.js";
import { placeLink } from "../core/place.js";
import { counted, number } from "../core/words.js";
import { sentence } from "../parts/notice.js";
import { table } from "../parts/table.js";

// Returns the drawing of the sets of a run, {id, passed, failed, not_run, tests}.
export function report(env, sets, revision) {
  const sum = (name) => sets.reduce((all, one) => all + one[name], 0);
  const isGood = !sum("failed") && !sum("not_run");
  return html`<div class="verdict ${isGood ? "allow" : "deny"}"><span class="mark" aria-hidden="true">${isGood ? "✓" : "✕"}</span><div>
      <strong>${counted(sum("passed"), "test")} passed, ${number(sum("failed"))} failed${sum("not_run") ? `, ${number(sum("not_run"))} not run` : ""}</strong>
      <p>On revision ${number(revision)}.</p></div></div>
    ${sets.map((set) => set.tests.filter((test) => !test.passed).map((test) => failed(env, set, test)))}`;
}

function failed(env, set, test) {
  return html`<div class="policy"><p><span class="mark no" aria-hidden="true">✕</span><span class="hidden">Failed: </span>
      <b class="name">${test.name}</b> <a href=${placeLink(env, "tests", [set.id])}><code>${set.id}</code></a></p>
    ${(test.problems ?? []).map((one) => html`<p class="soft">Not run: ${sentence(one.message ?? one)}</p>`)}
    ${(test.failures ?? []).map(failure)}
    ${test.more ? html`<p class="soft">and ${counted(test.more, "more failure")}</p>` : nothing}</div>`;
}

const failure = (one) => html`${one.label ? html`<p class="name">${one.label}</p>` : nothing}
  ${table({
    rows: one.mismatches,
    columns: [
      { title: "Member", cell: (each) => html`<code>${each.member}</code>` },
      { title: "Expected", cell: (each) => html`<code>${JSON.stringify(each.expected)}</code>` },
      { title: "Got", cell: (each) => html`<code>${JSON.stringify(each.got)}</code>` },
    ],
  })}
  ${one.reason ? html`<p class="soft">${sentence(one.reason)}</p>` : nothing}`;
