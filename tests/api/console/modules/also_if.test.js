// What an answer with open gates has besides the decided one, over their pages.

import { service } from "./browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { begin, Session } from "../../../../api/console/page/core/session.js";
import { alsoIf, onlyIf } from "../../../../api/console/page/parts/also_if.js";

const BODY = { subject: { type: "user", id: "a" }, action: { name: "read" }, resource: { type: "document" }, options: {} };
const rows = (...ids) => ids.map((id) => ({ type: "document", id }));

beforeEach(() => begin(new Session("key"), { kind: "admin_key", scopes: ["read"] }));

// Answers with the pages of the decided results, or with those of the open ones. With `endless`, the last page has a next one.
function answers(decided, open, endless = false) {
  service(({ body }) => {
    const asked = JSON.parse(body);
    const pages = asked.context ? decided : open;
    const at = Number(asked.page.token ?? 0);
    const next = at + 1 < pages.length || endless ? String(at + 1) : "";
    return { body: { results: pages[at] ?? [], page: { next_token: next }, context: {} } };
  });
}

const idsOf = async () => {
  const { rows: found, isCut } = await onlyIf("default", BODY, new AbortController().signal);
  return [found.map((one) => one.id), isCut];
};

test("the rows of the open answer alone are found, over all pages", async () => {
  answers([rows("b"), rows("d")], [rows("a", "b", "c"), rows("d", "e")]);
  assert.deepEqual(await idsOf(), [["a", "c", "e"], false]);
  answers([[]], [rows("a")]);
  assert.deepEqual(await idsOf(), [["a"], false]);
});

test("what comes after a decided answer that was cut is not told", async () => {
  answers([rows("b")], [rows("a", "b", "c")], true);
  assert.deepEqual(await idsOf(), [["a"], true]);
});

test("a question with a context is not asked without it", () => {
  assert.equal(alsoIf("default", { ...BODY, context: { mfa: true } }, { columns: [], link: () => "" }), null);
});
