// The rights of a role, in one word.

import { calls, service, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL, DENIED, gives, isNone, marked, NONE, questionOf, rightOn, roleRights, SOME } from "../../../../api/console/page/parts/rights.js";

const SCOPE = [{ resource_type_id: "document", actions: ["read"] }];
const allow = (more = {}) => ({ id: "p", effect: "ALLOW", roles: ["editor"], resource_types: SCOPE, ...more });
const deny = (more = {}) => allow({ effect: "DENY", ...more });
const LIMITED = { conditions: { context_attrs: [{ key: "mfa", op: "eq", value: true }] } };
const rights = (...policies) => roleRights(policies, "editor", "document", "read");

test("policies together give all, some or nothing", () => {
  assert.equal(rights(), NONE);
  assert.equal(rights(allow()), ALL);
  assert.equal(rights(allow(LIMITED)), SOME);
  assert.equal(rights(allow(), allow(LIMITED)), ALL);
  assert.equal(rights(allow(), deny(LIMITED)), SOME);
  assert.equal(rights(deny(LIMITED)), NONE);
});

test("a denial without conditions wins", () => {
  assert.equal(rights(allow(), deny()), DENIED);
  assert.equal(rights(allow(), deny({ conditions: { resource_attrs: [] } })), DENIED);
});

test("a policy counts only for its roles, types and actions", () => {
  assert.ok(gives(allow({ roles: undefined }), [], "document", "read"));
  assert.ok(gives(allow({ resource_types: [{ resource_type_id: "*", actions: ["*"] }] }), ["editor"], "folder", "write"));
  assert.ok(!gives(allow(), ["viewer"], "document", "read"));
  assert.ok(!gives(allow(), ["editor"], "document", "write"));
  assert.ok(!gives(allow(), ["editor"], "folder", "read"));
  assert.ok(!gives(allow({ enabled: false }), ["editor"], "document", "read"));
});

test("a question names a type as requests do", () => {
  assert.deepEqual(questionOf({ type: "user", id: "a" }, { id: "t1", name: "document" }, "read"), {
    subject: { type: "user", id: "a" },
    action: { name: "read" },
    resource: { type: "document" },
    options: { attributes: "registered" },
  });
});

const TYPE = { id: "t1", name: "document", actions: ["read"] };
const cellFor = (filter, open) => (service(() => ({ body: { filter, context: open ? { left_open: open } : {} } })), rightOn("default", { type: "user", id: "a" }, TYPE, "read"));

test("a right that depends on what is not said is an “if”, never “none”", async () => {
  const cell = await cellFor({ type: "const", value: false }, ["action.watermark"]);
  assert.ok(!isNone(cell));
  assert.equal(textOf(marked(cell)), "? if action.watermark");
  assert.equal(textOf(marked(await cellFor({ type: "const", value: true }, ["context.mfa", "context.time"]))), "✓ all, if context.mfa and context.time");
  assert.equal(textOf(marked(await cellFor({ type: "field" }, ["action.copies"]))), "◐ some, if action.copies");
});

test("a right that depends on nothing else is one word", async () => {
  const none = await cellFor({ type: "const", value: false });
  assert.ok(isNone(none));
  assert.equal(textOf(marked(none)), "– none");
  assert.deepEqual(JSON.parse(calls[0].body).options, { attributes: "registered", return: "filter" });
});

test("a direct grant is a right, unless a denial takes it away", async () => {
  const context = { access_paths: ["direct"] };
  const granted = (filter) => ({ body }) => ({ body: { filter: JSON.parse(body).options.include_direct ? filter : { type: "const", value: false }, context } });
  for (const [filter, word] of [[{ type: "direct" }, "some"], [{ type: "const", value: false }, "none"]]) {
    service(granted(filter));
    assert.equal((await rightOn("default", { type: "user", id: "a" }, TYPE, "read")).word, word);
  }
});
