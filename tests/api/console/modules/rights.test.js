// The rights of a subject or a role, in one word, and where they come from.

import { calls, service, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { sourceList } from "../../../../api/console/page/editing/right_sources.js";
import { isNone, marked, questionOf, rightsOn } from "../../../../api/console/page/parts/rights.js";

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

test("a right with a rate limit is an “if” (C10)", async () => {
  assert.equal(textOf(marked(await cellFor("all", ["rate_limit"]))), "✓ all, if the rate limit is not reached");
  assert.equal(textOf(marked(await cellFor("all", ["context.mfa", "rate_limit"]))), "✓ all, if context.mfa and the rate limit is not reached");
});

test("the rights of roles are asked for, and not worked out", async () => {
  service(() => ({ body: { rights: [{ role: "editor", on: "denied", left_open: [] }] } }));
  const [[cell]] = await rightsOn("default", [{ role: "editor" }], [TYPE]);
  assert.equal(textOf(marked(cell)), "✕ denied");
  assert.deepEqual(JSON.parse(calls[0].body), { roles: ["editor"], resources: [{ type: "document", actions: ["read"] }] });
});

test("a right comes from what the service says, with each DENY", async () => {
  const sources = [
    { kind: "policy", id: "frozen", effect: "DENY", on: "some" },
    { kind: "policy", id: "editors", effect: "ALLOW", on: "all", left_open: ["context.mfa"], held_by: { role: "editor", group: "staff" } },
    { kind: "grant", id: "g1", effect: "ALLOW", on: "some" },
  ];
  service(({ body }) => ({ body: { rights: JSON.parse(body).sources ? [{ on: "some", left_open: [], sources, others: [] }] : [] } }));
  const [[cell]] = await rightsOn("default", [ANA], [TYPE], undefined, true);
  const text = textOf(sourceList("default", cell.sources));
  for (const part of ["DENY policy frozen on some", "policy editors by role editor of group staff , if context.mfa", "grant g1"]) assert.ok(text.includes(part), text);
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
