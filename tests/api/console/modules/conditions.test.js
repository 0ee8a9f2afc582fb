// The rows of a policy's comparisons.

import { choose, markup, press, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { POLICY } from "../../../../api/console/page/core/kinds.js";
import { comparisons } from "../../../../api/console/page/editing/conditions.js";
import { Draft } from "../../../../api/console/page/editing/draft.js";

const DECLARED = { of: (section) => (section === "resource_attrs" ? { status: "string", open: "boolean" } : {}) };
const draftOf = (conditions) => new Draft("default", POLICY, { stored: { id: "p", resource_types: [], conditions }, etag: '"1"' });
const drawn = (draft) => comparisons(draft, draft.faults(), DECLARED);

test("drawing the rows changes nothing", () => {
  const conditions = {
    resource_attrs: [{ key: "status", op: "eq", value: "draft" }, { key: "tags", op: "in", value: ["a", "b"] }],
    context_attrs: [{ key: "mfa", op: "ne", value: false }],
    rate_limit: { limit: 1, window_seconds: 60 },
  };
  const draft = draftOf(conditions);
  const text = markup(drawn(draft));
  for (const at of ["$.conditions.resource_attrs[0]", "$.conditions.resource_attrs[1]", "$.conditions.context_attrs[0]"]) assert.ok(text.includes(at), at);
  assert.equal(draft.isChanged, false);
  assert.deepEqual(draft.body.conditions, conditions);
});

test("a row that is added stands behind those of its section, and gates stay", () => {
  const gate = { rate_limit: { limit: 1, window_seconds: 60 } };
  const draft = draftOf({ context_attrs: [{ key: "mfa", op: "eq", value: true }], ...gate });
  press(drawn(draft), "Add a condition");
  assert.deepEqual(draft.body.conditions, {
    ...gate,
    resource_attrs: [{ key: "", op: "eq", value: "" }],
    context_attrs: [{ key: "mfa", op: "eq", value: true }],
  });
});

test("the last row that is removed leaves no conditions", () => {
  const draft = draftOf({ subject_attrs: [{ key: "team", op: "eq", value: "a" }] });
  press(drawn(draft), "✕");
  assert.equal(draft.body.conditions, undefined);
});

test("an operator that needs the attribute says so", () => {
  const draft = draftOf({ subject_attrs: [{ key: "team", op: "nin", value: ["a"] }] });
  assert.match(textOf(drawn(draft)), /Holds only if the attribute is there\./);
});

test("a reference is a kind of value, and stays one", () => {
  const conditions = {
    resource_attrs: [{ key: "owner", op: "eq", value_of: "subject.id" }, { key: "team", op: "in", value_of: "subject.groups" }],
  };
  const draft = draftOf(conditions);
  const text = markup(drawn(draft));
  assert.ok(text.includes("$.conditions.resource_attrs[0].value_of"));
  assert.ok(text.includes("subject.groups"));
  assert.equal(draft.isChanged, false);
  press(drawn(draft), "Add a condition");
  assert.deepEqual(draft.body.conditions.resource_attrs.slice(0, 2), conditions.resource_attrs);
});

const REFERENCES = { of: (section) => ({ subject_attrs: { region: "string", teams: "array" }, context_attrs: { mfa: "boolean", zones: "array" } })[section] ?? {} };

test("the time of the request has words of its own, and no value beside them (X5)", () => {
  const draft = draftOf({ resource_attrs: [{ key: "embargo_until", op: "lte", value_of: "now" }, { key: "ends", op: "lt", value_of: "now" }] });
  const text = markup(drawn(draft));
  assert.ok(!text.includes("$.conditions.resource_attrs[0].value_of-kind"));
  assert.ok(text.includes("$.conditions.resource_attrs[1].value_of-kind"));
  assert.match(textOf(drawn(draft)), /If it is there and can't be read, the condition does not hold\./);
  assert.equal(draft.isChanged, false);
  choose(drawn(draft), "$.conditions.resource_attrs[0].op", "gt now");
  assert.deepEqual(draft.body.conditions.resource_attrs[0], { key: "embargo_until", op: "gt", value_of: "now" });
  choose(drawn(draft), "$.conditions.resource_attrs[0].op", "gte");
  assert.deepEqual(draft.body.conditions.resource_attrs[0], { key: "embargo_until", op: "gte", value: "" });
  choose(drawn(draft), "$.conditions.resource_attrs[0].value-kind", "now");
  choose(drawn(draft), "$.conditions.resource_attrs[1].op", "gt");
  assert.deepEqual(draft.body.conditions.resource_attrs, [{ key: "embargo_until", op: "gte", value_of: "now" }, { key: "ends", op: "gt", value_of: "now" }]);
});

test("only entities with instants are compared with the time of the request (X5)", () => {
  const passed = (section) => textOf(drawn(draftOf({ [section]: [{ key: "a", op: "eq", value: "x" }] }))).includes("has passed");
  assert.deepEqual(["resource_attrs", "subject_attrs", "action_attrs", "context_attrs"].map(passed), [true, true, false, false]);
});

test("operators of elements take elements of a declared array, and say what they look at (X6)", () => {
  const declared = { of: () => ({ tags: "array" }) };
  const draft = draftOf({ resource_attrs: [{ key: "tags", op: "regex", value: "a" }] });
  const rows = () => comparisons(draft, draft.faults(), declared);
  choose(rows(), "$.conditions.resource_attrs[0].op", "has");
  assert.deepEqual(draft.body.conditions.resource_attrs, [{ key: "tags", op: "has", value: "a" }]);
  choose(rows(), "$.conditions.resource_attrs[0].op", "has_none");
  assert.deepEqual(draft.body.conditions.resource_attrs, [{ key: "tags", op: "has_none", value: ["a"] }]);
  assert.match(textOf(rows()), /Looks at the elements of an array\. It holds for no other value\./);
});

test("a reference is suggested where the operator can compare with it, and its absence is told (X1, X2)", () => {
  const drawnWith = (op, effect) => {
    const draft = draftOf({ resource_attrs: [{ key: "x", op, value_of: "subject.region" }] });
    draft.body = { ...draft.body, effect };
    return markup(comparisons(draft, [], REFERENCES));
  };
  const suggested = (op) => [...drawnWith(op, "ALLOW").matchAll(/<option value=((?:subject|context)\.[a-z]+) /g)].map((one) => one[1]);
  assert.deepEqual(suggested("has_any"), ["subject.groups", "subject.teams", "context.zones"]);
  assert.deepEqual(suggested("gt"), ["subject.region"]);
  assert.ok(suggested("eq").includes("context.mfa"));
  assert.match(drawnWith("eq", "ALLOW"), /does not fit, the condition does not hold/);
  assert.match(drawnWith("eq", "DENY"), /does not fit, the condition holds/);
});
