// The names beside ids: one question for all of a page, and none for what is known.

import { calls, service, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { link } from "../../../../api/console/page/editing/phrases.js";

const settled = () => new Promise((done) => setTimeout(done, 5));

test("a page asks once for the names of all its elements", async () => {
  service(({ body }) => ({ body: { names: JSON.parse(body).elements.map(({ id }) => (id === "plain" ? null : `The ${id}`)) } }));
  const draw = () => [link("e", "roles", "r"), link("e", "subjects", ["user", "ada"]), link("e", "roles", "plain"), link("e", "grants", "g"), link("e", "roles", "r")].map(textOf);
  assert.deepEqual(draw(), ["r", "ada", "plain", "g", "r"]);
  await settled();
  assert.deepEqual(draw(), ["The r r", "The ada ada", "plain", "g", "The r r"]);
  await settled();
  assert.equal(calls.length, 1);
  assert.deepEqual(JSON.parse(calls[0].body).elements, [{ kind: "roles", id: "r" }, { kind: "subjects", id: "ada", type: "user" }, { kind: "roles", id: "plain" }]);
  location.hash = "#/e/another-page";
  draw();
  await settled();
  assert.equal(calls.length, 2);
});

test("without an answer, the ids stand there", async () => {
  location.hash = "#/e/away";
  service(() => ({ status: 503 }));
  link("e", "roles", "r");
  await settled();
  assert.equal(textOf(link("e", "roles", "r")), "r");
  assert.equal(calls.length, 1);
});
