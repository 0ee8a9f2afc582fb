// The difference of two bodies of an element, as it is drawn.

import { markup, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { difference } from "../../../../api/console/page/editing/difference.js";

const told = (before, after) => textOf(difference(before, after));

test("only what differs is drawn, by its path", () => {
  assert.equal(told({ id: "p", name: "A", more: { x: 1, y: 2 } }, { id: "p", name: "B", more: { x: 1, y: 3 } }), "name − before: A + after: B more.y − before: 2 + after: 3");
});

test("of lists, the elements that one of them has are drawn", () => {
  assert.equal(told({ roles: ["a", "b"] }, { roles: ["b", "c"] }), "roles − before: \"a\" + after: \"c\"".replaceAll('"', ""));
  assert.match(told({ days: ["mon", "tue"] }, { days: ["tue", "mon"] }), /before: \["mon","tue"\] \+ after: \["tue","mon"\]/);
});

test("an element that is new or gone differs in every member", () => {
  assert.equal(told(null, { id: "p" }), "id + after: p");
  assert.equal(told({ id: "p" }, null), "id − before: p");
});

test("the same bodies do not differ, whatever the order of members", () => {
  assert.equal(told({ a: 1, b: 2 }, { b: 2, a: 1 }), "Nothing differs.");
});

test("a long value is cut, and many members are counted", () => {
  assert.ok(markup(difference(null, { text: "x".repeat(5000) })).includes(`${"x".repeat(2000)}…`));
  const many = Object.fromEntries(Array.from({ length: 203 }, (_, at) => [`m${at}`, at]));
  assert.match(told(null, many), /and 3 more members$/);
});
