// Addresses of the console.

import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { PAGES, pageOf } from "../../../../api/console/page/app/pages.js";
import { KINDS, kindOf } from "../../../../api/console/page/core/kinds.js";
import { placeLink, readPlace } from "../../../../api/console/page/core/place.js";

test("an address leads back to its place, whatever the ids are", () => {
  for (const id of ["a/b", "a?b=c", "#", "%2F", "ä b", "..", "\u202e", "a&b=c+d"]) {
    const place = readPlace(placeLink(id, "subjects", ["user", id], { q: id, empty: "", none: null }));
    assert.deepEqual([place.env, place.page, place.given], [id, "subjects", ["user", id]]);
    assert.deepEqual([...place.query], [["q", id]]);
  }
});

test("an address without a page leads to the overview of the default environment", () => {
  for (const fragment of ["", "#", "#/"]) assert.deepEqual(readPlace(fragment), readPlace("#/default/overview"));
  assert.equal(readPlace("#/live").page, "overview");
});

test("an address that somebody typed is read as far as it can be", () => {
  assert.deepEqual(readPlace("#/default/roles/50%").given, ["50%"]);
});

test("each list of the model has one place", () => {
  assert.equal(new Set(KINDS.map((kind) => kind.segment)).size, KINDS.length);
  assert.equal(kindOf("resource_types").segment, "resource-types");
  assert.equal(kindOf("lint_silences"), undefined);
  for (const kind of KINDS) assert.ok(kind.key.every((name) => kind.blank[name] !== undefined || kind.key.length === 1), kind.name);
});

test("each page has its own address and key", () => {
  for (const name of ["id", "key", "name"]) assert.equal(new Set(PAGES.map((page) => page[name])).size, PAGES.length, name);
  for (const kind of KINDS) assert.ok(PAGES.some((page) => page.id === (kind.page ?? kind.segment) && (kind.page || page.name === kind.plural)), kind.name);
  assert.equal(pageOf("nowhere").id, undefined);
});
