// JSON without loss, and the comparison of its values.

import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { isNumber, isObject, isSame, numberIn, parseJson } from "../../../../api/console/page/core/exact.js";

const LONG = "123456789012345678901234567890";
const keepsText = { skip: JSON.rawJSON ? false : "this Node drops the text of numbers" };

test("an integer that a double can't hold stays as it was written", keepsText, () => {
  const value = parseJson(`{"limit": ${LONG}}`);
  assert.equal(JSON.stringify(value), `{"limit":${LONG}}`);
  assert.ok(isNumber(value.limit));
  assert.ok(!isObject(value.limit));
  assert.ok(isSame(value, parseJson(`{"limit": ${LONG}}`)));
  assert.ok(!isSame(value, parseJson(`{"limit": ${LONG}1}`)));
});

test("values are the same whatever the order of members", () => {
  assert.ok(isSame({ a: 1, b: [{ c: null }] }, { b: [{ c: null }], a: 1 }));
  for (const [one, other] of [[{ a: 1 }, { a: 1, b: 2 }], [[1, 2], [2, 1]], [{ a: undefined }, { b: undefined }], [1, "1"], [null, {}], [[], {}]]) {
    assert.ok(!isSame(one, other), JSON.stringify([one, other]));
  }
});

test("only JSON's numbers are numbers", () => {
  assert.deepEqual([" 1 ", "-0.5e3"].map(numberIn), [1, -500]);
  assert.deepEqual(["", "01", "1.", ".5", "+1", "0x1", "Infinity", "1 2"].map(numberIn).filter((one) => one !== undefined), []);
});

test("a list and null are no objects", () => {
  assert.deepEqual([{}, [], null, "x", 1].map(isObject), [true, false, false, false, false]);
});
