// The rights of a role, in one word.

import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL, DENIED, gives, NONE, questionOf, roleRights, SOME } from "../../../../api/console/page/parts/rights.js";

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
    subject: { type: "user", id: "a", properties: {} },
    action: { name: "read" },
    resource: { type: "document" },
  });
});
