// An element that is edited: what is sent, and what happens if somebody else has changed it.

import { calls, service } from "./browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { RESOURCE, ROLE, SUBJECT } from "../../../../api/console/page/core/kinds.js";
import { begin, Session } from "../../../../api/console/page/core/session.js";
import { Draft, elementLink, elementPath, isAbsent, withMember } from "../../../../api/console/page/editing/draft.js";

const STORED = { id: "editor", name: "Editors" };
const edited = () => new Draft("default", ROLE, { stored: STORED, etag: '"1"' });

beforeEach(() => begin(new Session("key"), { kind: "admin_key", scopes: ["read", "write", "admin"] }));

test("an address has as many parts as the key", () => {
  assert.equal(elementPath("default", SUBJECT, ["user", "a/b"]), "/v1/environments/default/subjects/user/a%2Fb");
  assert.throws(() => elementPath("default", SUBJECT, ["user"]), /names no subject: after the page come type and id/);
  assert.equal(elementLink("default", RESOURCE, ["document", "1"]), "#/default/resources/document/1");
});

test("only a refusal that names the element says that it is absent", () => {
  assert.ok(isAbsent({ status: 404, message: "there is no role `x` in environment `default`" }, ROLE));
  assert.ok(!isAbsent({ status: 404, message: "there is no environment `x`" }, ROLE));
  assert.ok(!isAbsent({ status: 403, message: "there is no role `x`" }, ROLE));
});

test("a draft is changed while it differs, or while a field can't be read", () => {
  const draft = edited();
  draft.set("name", "Writers");
  assert.ok(draft.isChanged);
  draft.set("name", "Editors");
  assert.ok(!draft.isChanged);
  draft.fault("$.name", "this is not JSON");
  assert.deepEqual([draft.isChanged, draft.faults()], [true, [{ path: "$.name", message: "this is not JSON" }]]);
  draft.fault("$.name", null);
  assert.ok(!draft.isChanged);
  assert.deepEqual(STORED, { id: "editor", name: "Editors" });
});

test("a stored element is written over what was read, and undone with what was there", async () => {
  service(({ body }) => ({ body: JSON.parse(body), headers: { ETag: '"2"' } }));
  const draft = edited();
  draft.set("name", "Writers");
  const answer = await draft.save();
  assert.deepEqual([calls[0].method, calls[0].headers["If-Match"], JSON.parse(calls[0].body)], ["PUT", '"1"', { id: "editor", name: "Writers" }]);
  assert.deepEqual([answer.data.name, draft.isChanged, draft.etag], ["Writers", false, '"2"']);
  await draft.undoing(STORED, answer, null).undo();
  const undone = calls.at(-1);
  assert.deepEqual([undone.method, undone.headers["If-Match"], JSON.parse(undone.body)], ["PUT", '"2"', STORED]);
});

test("a new element is posted, and undone by its deletion", async () => {
  service(() => ({ status: 201, body: { id: "r1" }, headers: { ETag: '"1"' } }));
  const draft = new Draft("default", ROLE, { blank: { id: "" } });
  const answer = await draft.save();
  assert.equal(calls[0].method, "POST");
  await draft.undoing(null, answer, null).undo();
  assert.deepEqual([calls.at(-1).method, calls.at(-1).headers["If-Match"]], ["DELETE", '"1"']);
});

test("a change of somebody else is shown, and nothing is overwritten", async () => {
  const theirs = { id: "editor", name: "Theirs" };
  service(({ method }) =>
    method === "PUT" ? { status: 412, body: { error: "the role has changed" } } : { body: theirs, headers: { ETag: '"9"' } });
  const draft = edited();
  draft.set("name", "Mine");
  assert.equal(await draft.save(), undefined);
  assert.deepEqual([draft.theirs, draft.stored, draft.body.name], [{ stored: theirs, etag: '"9"' }, STORED, "Mine"]);
  draft.meetTheirs();
  assert.deepEqual([draft.stored, draft.etag, draft.body.name, draft.isChanged], [theirs, '"9"', "Mine", true]);
});

test("a draft that gives way takes what is stored", async () => {
  const draft = edited();
  draft.set("name", "Mine");
  draft.fault("$.name", "bad");
  draft.theirs = { stored: { id: "editor", name: "Theirs" }, etag: '"9"' };
  draft.takeTheirs();
  assert.deepEqual([draft.body.name, draft.etag, draft.isChanged, draft.theirs], ["Theirs", '"9"', false, null]);
});

test("a member that is left out is gone, and the object it came from stays", () => {
  const one = { a: 1, b: 2 };
  assert.deepEqual([withMember(one, "a", undefined), withMember(one, "a", 3), one], [{ b: 2 }, { a: 3, b: 2 }, { a: 1, b: 2 }]);
});
