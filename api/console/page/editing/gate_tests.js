// The stored tests of an environment on the policy model that a promotion brings: how many pass, and which fail.

import { html, nothing } from "../core/html.js";
import { counted, number } from "../core/words.js";

const SHOWN = 20; // failing tests

// Returns what is wrong with the tests that fail, in words: flips of the decision first.
function effectWords({ now_allowed, now_denied, other_filter, other_reason }) {
  const told = [[now_allowed, "then allowed"], [now_denied, "then denied"], [other_filter, "with another filter"], [other_reason, "with another reason alone"]]
    .filter(([count]) => count).map(([count, words]) => `${number(count)} ${words}`);
  return told.length ? ` (${told.join(", ")})` : "";
}

// Returns the drawing of the tests of a preview or of a promotion that waits, or nothing if there are none.
export function gateTests(tests) {
  if (!tests || !(tests.passed + tests.failed + tests.not_run)) return nothing;
  const isGood = !tests.failed && !tests.not_run;
  const more = tests.failed - Math.min(tests.failing.length, SHOWN);
  return html`<section><h2>Stored tests</h2>
    <p><span class="mark ${isGood ? "yes" : "gone"}" aria-hidden="true">${isGood ? "✓" : "!"}</span>${counted(tests.passed, "test")} would
      pass and ${number(tests.failed)} would fail${effectWords(tests.effects)}${tests.not_run ? `; ${number(tests.not_run)} can't be run` : ""}.</p>
    <ul class="plain">${tests.failing.slice(0, SHOWN).map((name) => html`<li><span class="tag deny">✕ fails</span> <span class="name">${name}</span></li>`)}</ul>
    ${more > 0 ? html`<p class="soft">and ${number(more)} more</p>` : nothing}</section>`;
}
