// The way of access, from the subject to the resource.

import { markup, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { way } from "../../../../api/console/page/parts/way.js";

const ASKED = {
  request: { subject: { type: "user", id: "ruth" }, action: { name: "read" }, resource: { type: "Chart", id: "c1" } },
  typeIdOf: (name) => name.toLowerCase(),
};
const HOLDS = { holds: true };
const FAILS = { holds: false };
const policy = (more) => ({ kind: "policy", id: "p", effect: "ALLOW", holds: true, conditions: [HOLDS], held_by: { role: "nurse" }, ...more });
const drawn = (decision, candidates, lacking = []) => way("default", { decision, context: { explanation: { candidates, lacking } } }, ASKED);
const said = (...given) => textOf(drawn(...given));

test("an allowed request goes over group, role and policy", () => {
  assert.equal(said(true, [policy({ held_by: { role: "nurse", group: "ward" } })]), "user ruth is a member of group ward holds role nurse is named by policy p about Chart c1");
  assert.match(markup(drawn(true, [policy()])), /href=#\/default\/resources\/chart\/c1>/);
});

test("a grant and a policy without roles need no role", () => {
  assert.equal(said(true, [policy({ kind: "grant", id: "g", held_by: null })]), "user ruth has grant g about Chart c1");
  assert.equal(said(true, [policy({ held_by: null })]), "user ruth is one of all, whom this is about: policy p about Chart c1");
});

test("a denial is marked where its way breaks", () => {
  assert.equal(said(false, [policy(), policy({ id: "d", effect: "DENY", held_by: null })]), "user ruth ✕ broken: is denied by policy d about Chart c1");
  const far = policy({ id: "far", holds: false, conditions: [FAILS, FAILS] });
  const near = policy({ id: "near", holds: false, conditions: [HOLDS, FAILS] });
  assert.equal(said(false, [far, near]), "user ruth holds role nurse ✕ broken: 1 condition does not hold in policy near about Chart c1");
  assert.equal(said(false, [], [{ id: "p", roles: ["nurse", "doctor"] }]), "user ruth ✕ broken: does not hold role nurse is named by policy p about Chart c1");
});

test("a DENY that does not hold is no way", () => {
  assert.equal(said(false, [policy({ effect: "DENY", holds: false })]), "user ruth ✕ broken: no policy and no grant leads to Chart c1");
});
