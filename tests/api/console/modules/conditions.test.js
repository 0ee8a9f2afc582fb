// The rows of a policy's comparisons.

import { markup, press, textOf } from "./browser.js";
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
