// The questions of all pages: what their addresses say, and what is asked.

import { calls, service, textOf, press } from "./browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { explained, leftOpenBy, slipIn, questionAt, questionLink, resourceTypes, search, whoCan, withStored } from "../../../../api/console/page/core/asking.js";
import { readPlace } from "../../../../api/console/page/core/place.js";
import { begin, Session } from "../../../../api/console/page/core/session.js";
import { RequestFields } from "../../../../api/console/page/parts/request_form.js";

const ASKED = { subject: { type: "user", id: "a" }, action: { name: "read" }, resource: { type: "document", id: "d" } };
const STORED = { ...ASKED, options: { attributes: "registered" } };
const there = (question) => questionAt(readPlace(questionLink("default", "try", question)));
const answered = (names, results) => ({ context: { left_open: names }, results });
const bodies = () => calls.map((one) => JSON.parse(one.body));

beforeEach(() => begin(new Session("key"), { kind: "admin_key", scopes: ["write"] }));

test("an address keeps whether stored attributes count, and they do if it says nothing", () => {
  const withActor = { ...ASKED, options: { actor: { type: "service", id: "s" } } };
  for (const one of [ASKED, STORED, withActor, withStored(withActor)]) assert.deepEqual(there(one), one);
  assert.deepEqual(questionAt(readPlace(`#/default/try?q=${encodeURIComponent(JSON.stringify(ASKED))}`)), STORED);
  for (const text of ["[]", "5", "{", "null", ""]) assert.equal(questionAt(readPlace(`#/default/try?q=${text}`)), null);
  assert.deepEqual(questionAt(readPlace('#/default/try?q={"options":"text"}')).options, { attributes: "registered" });
});

test("a search decides as an evaluation does: without a context, an empty one counts", async () => {
  service(() => ({ body: { context: {} } }));
  await search("default", "resource", STORED, { limit: 5 });
  await search("default", "subject", { ...STORED, context: { mfa: true } }, { limit: 5 });
  await explained("default", STORED);
  assert.deepEqual(bodies(), [
    { ...STORED, context: {}, page: { limit: 5 }, options: { attributes: "registered", return: "results" } },
    { ...STORED, context: { mfa: true }, page: { limit: 5 } },
    STORED,
  ]);
});

test("what is left open has the time, unless the question says it", async () => {
  service(() => ({ body: { context: { left_open: ["context.mfa", "context.time"] }, rights: [] } }));
  assert.deepEqual(await leftOpenBy("default", "subject", STORED, answered(["context.ip"])), ["context.ip", "context.time"]);
  assert.deepEqual(await leftOpenBy("default", "resource", { ...STORED, context: { time: 0 } }, answered(["context.ip"])), ["context.ip"]);
  assert.deepEqual(bodies()[0], { ...STORED, page: { limit: 1 } });
});

test("what is left open has a rate limit, which no search counts", async () => {
  service(({ url }) => ({ body: url.endsWith("/rights") ? { rights: [{ left_open: ["rate_limit"] }] } : { context: {} } }));
  const asked = { ...STORED, subject: { type: "user", id: "a" }, options: { actor: { type: "agent", id: "b" } } };
  assert.deepEqual(await leftOpenBy("default", "resource", asked, answered([])), ["rate_limit"]);
  assert.deepEqual(bodies()[1].subjects, [{ type: "user", id: "a" }, { type: "agent", id: "b" }]);
});

test("who can has a rate limit if the right of one of those who were found hangs on it", async () => {
  const rights = [{ left_open: [] }, { left_open: ["rate_limit"] }];
  service(({ url }) => ({ body: url.endsWith("/rights") ? { rights } : { context: {} } }));
  const asked = { ...STORED, subject: { type: "user" } };
  assert.deepEqual(await leftOpenBy("default", "subject", asked, answered([])), [], "nobody was found");
  const found = [{ type: "user", id: "a", access_path: "role" }, { type: "user", id: "b" }];
  assert.deepEqual(await leftOpenBy("default", "subject", asked, answered([], found)), ["rate_limit"]);
  assert.deepEqual(bodies().at(-1).subjects, [{ type: "user", id: "a" }, { type: "user", id: "b" }]);
});

test("an undeclared type or action is told before any search", async () => {
  const types = { items: [{ id: "t1", name: "document", actions: ["read"] }], next_cursor: null };
  service(({ url }) => ({ body: url.includes("resource-types") ? types : { reason: "did you mean `document`?" } }));
  assert.equal(await slipIn("default", ASKED), null);
  for (const wrong of [{ resource: { type: "t1" } }, { action: { name: "raed" } }]) assert.equal(await slipIn("default", { ...ASKED, ...wrong }), "did you mean `document`?");
  assert.ok(!calls.some(({ url }) => url.includes("/search/")));
});

test("who can is asked with the stored attributes, and with no other option", async () => {
  service(() => ({ body: {} }));
  await whoCan("default", { ...STORED, options: { ...STORED.options, strict: true } });
  await whoCan("default", ASKED);
  assert.deepEqual(bodies(), [STORED, ASKED]);
});

test("all types of resources are read, page by page", async () => {
  service(({ url }) => ({ body: url.includes("cursor=x") ? { items: [{ id: "b" }], next_cursor: null } : { items: [{ id: "a" }], next_cursor: "x" } }));
  assert.deepEqual((await resourceTypes("default")).map((one) => one.id), ["a", "b"]);
});

const settled = () => new Promise((done) => setTimeout(done, 5));

function stored({ url }) {
  if (url.includes("resource-types")) return { body: { items: [{ id: "doc", name: "document", actions: ["read"] }], next_cursor: null } };
  if (url.includes("/resources/doc/d")) return { body: { attributes: { class: "secret", pages: 3 } } };
  return { status: 404, body: { error: "there is none" } };
}

test("stored attributes are shown as stored, can be changed, and are spelled where they can't be looked up", async () => {
  service(stored);
  const fields = new RequestFields("default", STORED);
  await settled();
  assert.match(textOf(fields.view()), /Stored attributes, which count too stored class "secret" Change stored pages 3 Change/);
  assert.match(textOf(fields.subjectFields()), /It has no entry/);
  assert.deepEqual(fields.request(), STORED);
  assert.deepEqual(fields.spelled(STORED).resource, { ...ASKED.resource, properties: { class: "secret", pages: 3 } });
  assert.equal(fields.spelled(STORED).options, undefined);
  press(fields.resourceFields(), "Change");
  assert.deepEqual(fields.request().resource.properties, { class: "secret" });
  assert.match(textOf(fields.view()), /class "secret" another is sent stored pages/);
});

test("a question of the past says that stored attributes do not count", async () => {
  service(stored);
  const fields = new RequestFields("default", ASKED);
  await settled();
  assert.match(textOf(fields.view()), /! not sent Stored attributes, which do not count/);
  assert.deepEqual(fields.request(), ASKED);
});

test("an entity stays named by the identifier of its question", () => {
  for (const by of ["id", "external_id", "name"]) {
    const question = { ...STORED, resource: { type: "document", [by]: "d" } };
    assert.deepEqual(new RequestFields("default", question).request(), question);
  }
});
