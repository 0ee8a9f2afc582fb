// The change of an element in the language, as it is drawn.

import { markup, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { changedText, sentenceOf } from "../../../../api/console/page/editing/changed_text.js";

test("each line says whether it goes, comes or stays", () => {
  const drawn = changedText(["  policy p", "-     priority 1", "+     priority 2"]);
  assert.equal(textOf(drawn), "policy p − before: priority 1 + after: priority 2");
  assert.match(markup(drawn), /class=stays[\s\S]*class=removed[\s\S]*class=added/);
});

test("of a long change, the first lines are drawn", () => {
  const text = Array.from({ length: 600 }, (_, place) => `+ subject user u${place}`);
  assert.match(textOf(changedText(text)), /and 100 more lines$/);
});

test("an assignment is named by its sentence, as it is or was", () => {
  const until = "assign editor to group eng until 2027-01-01T00:00:00Z";
  const text = [`- ${until}`, "+ assign editor to group eng"];
  assert.equal(sentenceOf({ kind: "assignments", text }), "assign editor to group eng");
  assert.equal(sentenceOf({ kind: "assignments", text: text.slice(0, 1) }), until);
  assert.equal(sentenceOf({ kind: "policies", text }), null);
});
