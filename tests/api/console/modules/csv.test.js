// Tables as files: no cell is a formula, and no text is lost.

import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { csv } from "../../../../api/console/page/parts/csv.js";

const cell = (text) => csv(["name"], [[text]]).slice("name\r\n".length, -"\r\n".length);

test("a sign that begins a cell gets an apostrophe", () => {
  for (const text of ["=2", "+2", "-2", "@SUM(1)", "\uff1d1", "\uff20SUM(1)"]) assert.equal(cell(text), `'${text}`);
  assert.equal(cell("\u00a0=4"), "⟨U+00A0⟩=4");
  assert.equal(cell("x;=1"), "\"x;'=1\"");
  assert.equal(cell("\t=1"), "\"'\t'=1\"");
});

test("what is no formula stays as it is", () => {
  for (const text of ["2026-11-22T14:05:00Z", "a-b", "someone@example.com", "'quoted'", "Åse"]) assert.equal(cell(text), text);
  assert.equal(cell("a=b;c"), '"a=b;c"');
});

test("quotes are doubled, and what is not there is empty", () => {
  assert.equal(cell('say "x", twice'), '"say ""x"", twice"');
  assert.equal(csv(["a", "b"], [[null, undefined], [0, false]]), "a,b\r\n,\r\n0,false\r\n");
});
