// Fields for values of the model: what is written is read back as it was.

import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { changedKind, kindFor, readValue, written } from "../../../../api/console/page/editing/value_field.js";

const VALUES = ["", "text", "two\nlines", " spaced ", 0, -1.5, true, false, null, [], ["a", "b"], ["a\nb"], ["", "x"], [1, 2], [1, "a"], { a: [1] }];

test("a value survives its field", () => {
  for (const value of VALUES) assert.deepEqual(readValue(written(value)), { value });
});

test("text that is no such value has a fault", () => {
  assert.ok(readValue({ kind: "number", text: "1 2" }).fault);
  assert.match(readValue({ kind: "numbers", text: "1\ntwo" }).fault, /`two`/);
  assert.ok(readValue({ kind: "json", text: "{" }).fault);
});

test("another kind of field keeps what it can", () => {
  assert.deepEqual(changedKind({ kind: "text", text: "7" }, "number"), { kind: "number", text: "7" });
  assert.deepEqual(changedKind({ kind: "texts", text: "a\nb" }, "json"), { kind: "json", text: '["a","b"]' });
  assert.deepEqual(changedKind({ kind: "json", text: '["a","b"]' }, "texts"), { kind: "texts", text: "a\nb" });
  assert.deepEqual(changedKind({ kind: "json", text: '{"a":1}' }, "text"), { kind: "text", text: "" });
  assert.deepEqual(changedKind({ kind: "text", text: "yes" }, "flag"), { kind: "flag", text: "false" });
});

test("a value of the request is a kind, and only its name becomes one", () => {
  assert.deepEqual(readValue({ kind: "reference", text: "subject.id" }), { value: "subject.id" });
  assert.deepEqual(changedKind({ kind: "text", text: "context.region" }, "reference"), { kind: "reference", text: "context.region" });
  assert.deepEqual(changedKind({ kind: "json", text: "[1]" }, "reference"), { kind: "reference", text: "subject.id" });
});

test("a declared type chooses the kind of field", () => {
  assert.deepEqual(["string", "number", "boolean", "array", "object", undefined].map((type) => kindFor(type)), ["text", "number", "flag", "texts", "json", "text"]);
  assert.deepEqual(["string", "number", "boolean", undefined].map((type) => kindFor(type, true)), ["texts", "numbers", "json", "texts"]);
});
