// The rights of a role, in one word.

import { calls, service, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { ALL, DENIED, gives, isNone, marked, NONE, questionOf, rightsOn, roleRights, SOME } from "../../../../api/console/page/parts/rights.js";

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
const ANA = { type: "user", id: "a" };
const cellFor = async (on, open = []) => {
  service(() => ({ body: { rights: [{ on, left_open: open }] } }));
  return (await rightsOn("default", [ANA], [TYPE]))[0][0];
};

test("a right that depends on what is not said is an “if”, never “none”", async () => {
  const cell = await cellFor("none", ["action.watermark"]);
  assert.ok(!isNone(cell));
  assert.equal(textOf(marked(cell)), "? if action.watermark");
  assert.equal(textOf(marked(await cellFor("all", ["context.mfa", "context.time"]))), "✓ all, if context.mfa and context.time");
  assert.equal(textOf(marked(await cellFor("some", ["action.copies"]))), "◐ some, if action.copies");
});

test("a right that depends on nothing else is one word", async () => {
  const none = await cellFor("none");
  assert.ok(isNone(none));
  assert.equal(textOf(marked(none)), "– none");
  assert.deepEqual(JSON.parse(calls[0].body), { subjects: [ANA], resources: [{ type: "document", actions: ["read"] }] });
});

test("many rights are asked for in parts, and stay in order", async () => {
  const actions = Array.from({ length: 700 }, (_, at) => `a${at}`);
  const bo = { type: "user", id: "b" };
  service(({ body }) => {
    const { subjects, resources } = JSON.parse(body);
    return { body: { rights: subjects.flatMap(({ id }) => resources.map((one) => ({ on: "none", left_open: [`${id}.${one.actions[0]}`] }))) } };
  });
  const [first, second] = await rightsOn("default", [ANA, bo], [{ ...TYPE, actions }]);
  assert.equal(calls.length, 2);
  assert.deepEqual(first.map((one) => one.open[0]), actions.map((one) => `a.${one}`));
  assert.deepEqual(second.map((one) => one.open[0]), actions.map((one) => `b.${one}`));
});
