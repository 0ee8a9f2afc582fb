// Calls of the API: each belongs to the session that began it.

import { calls, service } from "./browser.js";
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { call, get, path, post, Refused } from "../../../../api/console/page/core/api.js";
import { begin, endedBecause, may, Session, session, signOut, whenSessionEnds } from "../../../../api/console/page/core/session.js";

const signIn = (scopes = ["read"]) => begin(new Session("key"), { kind: "api_key", id: "k1", scopes });

afterEach(signOut);

test("a path escapes each value, and refuses those that browsers change", () => {
  assert.equal(path`/v1/environments/${"a/b?c"}/roles/${"ä"}`, "/v1/environments/a%2Fb%3Fc/roles/%C3%A4");
  for (const id of [".", ".."]) assert.throws(() => path`/v1/clients/${id}`, Refused);
});

test("a call goes to the service below its proxy, with the session's credential", async () => {
  service(() => ({ body: { items: [] }, headers: { ETag: '"7"' } }));
  signIn();
  const found = await call("GET", "/v1/roles", { query: { limit: 2, cursor: null, name: "" } });
  assert.deepEqual([found.data, found.etag, found.status], [{ items: [] }, '"7"', 200]);
  assert.equal(calls[0].url, "http://console.test/proxied/v1/roles?limit=2");
  assert.equal(calls[0].headers.Authorization, "Bearer key");
  assert.equal(found.requestId, calls[0].headers["X-Request-ID"]);
});

test("a refusal has the words of the service", async () => {
  const details = [{ path: "$.id", message: "must not be empty" }];
  service(() => ({ status: 400, body: { error: "the role is not valid", details } }));
  signIn();
  await assert.rejects(post("/v1/roles", {}), { message: "the role is not valid", status: 400, details });
});

test("a service that does not answer is named", async () => {
  service(() => {
    throw new TypeError("Failed to fetch");
  });
  signIn();
  await assert.rejects(get("/v1/roles"), { status: 0, message: /does not answer/ });
});

test("a refused credential ends its session, and no other", async () => {
  service(() => ({ status: 401, body: { error: "the key has expired" } }));
  signIn();
  const former = session();
  await assert.rejects(get("/v1/roles"), { status: 401 });
  assert.ok(former.isOver);
  assert.equal(endedBecause(), "Your session has ended: the key has expired");
  signIn();
  await assert.rejects(get("/v1/roles", { by: former }));
  assert.ok(!session().isOver);
});

test("an answer that comes after its session is given up", async () => {
  let answer;
  service(() => new Promise((resolve) => (answer = resolve)));
  signIn();
  const asked = get("/v1/roles");
  signOut();
  answer({ body: { items: ["secret"] } });
  await assert.rejects(asked, { name: "AbortError" });
  assert.ok(calls[0].signal.aborted);
});

test("modules forget a session at its end", () => {
  const ends = [];
  whenSessionEnds((isSignOut) => ends.push(isSignOut));
  signIn(["read", "write"]);
  assert.deepEqual(["read", "write", "admin"].map(may), [true, true, false]);
  signOut();
  assert.deepEqual(ends, [true]);
  assert.ok(!may("read"));
});
