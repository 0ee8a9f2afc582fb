// Repairs of a denial: only what would allow the question is offered, and not too much is tried for it.

import { calls, markup, service, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { GRANT } from "../../../../api/console/page/core/kinds.js";
import { begin, Session } from "../../../../api/console/page/core/session.js";
import { Draft } from "../../../../api/console/page/editing/draft.js";
import { repairsOf } from "../../../../api/console/page/editing/repairs.js";
import { isSound } from "../../../../api/console/page/editing/soundness.js";

const QUESTION = {
  subject: { type: "user", id: "ruth" },
  action: { name: "read" },
  resource: { type: "Chart", id: "c1" },
  options: { attributes: "registered" },
};
const one = (change) => ({ who: ["administrator"], changes: [{ who: "administrator", ...change }] });
const ROLE = one({ kind: "role", role: "nurse", change: "give" });
const GRANTED = one({ kind: "grant" });
const STATUS = one({ kind: "attribute", path: "resource.status", value: "open" });

// Answers as a service where a role is assigned to `groups`, and the changes that `allows(change)` names allow the question.
function serve({ groups = [], allows = () => true }) {
  service(({ url, body }) => {
    const { pathname } = new URL(url);
    if (pathname.endsWith("/assignments")) return { body: { items: groups.map((group) => ({ role: "nurse", group })) } };
    if (pathname.endsWith(":try")) return { body: { diagnostics: [], answer: { decision: allows(JSON.parse(body).changes[0]) } } };
    if (pathname.includes("/groups/")) return { body: { id: pathname.split("/").at(-1), members: [] } };
    return { body: { type: "chart", id: "c1", attributes: { status: "closed" } } };
  });
}

async function repaired(sets, { question = QUESTION, like = {} } = {}) {
  const answer = { decision: false, context: { explanation: { why_not: { sets } } } };
  const repairs = repairsOf("default", answer, { request: question, typeIdOf: (name) => name.toLowerCase() }, () => {}, like);
  await repairs?.others.answer();
  return repairs;
}

const names = (repairs, set) => textOf(repairs.of(set) ?? []).split(/(?<=…) ?/).filter(Boolean);
const tries = () => calls.filter(({ url }) => url.endsWith(":try")).map(({ body }) => JSON.parse(body));

beforeEach(() => begin(new Session("key"), { kind: "admin_key", scopes: ["write"] }));

test("a group is offered if it would allow the question, and five are tried at most", async () => {
  serve({ groups: ["a", "b", "c", "d", "e", "f"], allows: ({ element }) => element.id !== "b" });
  const repairs = await repaired([ROLE]);
  assert.deepEqual(names(repairs, ROLE), ["Give the role until…", ...["a", "c", "d", "e"].map((id) => `Add to the group ${id}…`)]);
  assert.deepEqual(tries().map(({ changes }) => changes[0].id), ["a", "b", "c", "d", "e"]);
  assert.deepEqual(tries()[0].request, QUESTION);
});

test("the group of another subject comes first", async () => {
  serve({ groups: ["a"] });
  assert.deepEqual(names(await repaired([ROLE], { like: { role: "nurse", group: "z" } }), ROLE).slice(1), ["Add to the group z…", "Add to the group a…"]);
  assert.deepEqual(names(await repaired([GRANTED], { like: { group: "z" } }), GRANTED), ["Grant it until…", "Add to the group z…"]);
});

test("a stored attribute is offered if the question counts it and sends no other", async () => {
  serve({});
  assert.deepEqual(names(await repaired([STATUS]), STATUS), ["Change the stored attribute…"]);
  assert.deepEqual(tries()[0].changes, [{ kind: "resources", type: "chart", id: "c1", element: { type: "chart", id: "c1", attributes: { status: "open" } } }]);
  const sent = { ...QUESTION, resource: { ...QUESTION.resource, properties: { status: "lost" } } };
  for (const question of [sent, { ...QUESTION, options: {} }]) {
    const repairs = await repaired([STATUS], { question });
    assert.deepEqual(names(repairs, STATUS), []);
    assert.match(textOf(repairs.rest()), /No role, no group, no grant and no stored attribute alone/);
  }
  serve({ allows: () => false });
  assert.deepEqual(names(await repaired([STATUS]), STATUS), []);
});

test("sets of several changes, and other changes, keep their forms", async () => {
  serve({});
  const disabled = one({ kind: "policy", policy: "freeze" });
  const repairs = await repaired([ROLE, disabled]);
  assert.equal(repairs.of(disabled), null);
  assert.equal(repairs.of({ changes: [...ROLE.changes, ...GRANTED.changes] }), null);
});

test("a subject without an id gets nothing, and the page says so", async () => {
  serve({});
  const repairs = await repaired([ROLE, GRANTED], { question: { ...QUESTION, subject: { type: "user", external_id: "7" } } });
  assert.equal(markup(repairs.of(ROLE)), "");
  assert.match(textOf(repairs.rest()), /name the subject by its id/);
});

test("a reader gets no repairs", async () => {
  serve({});
  begin(new Session("key"), { kind: "admin_key", scopes: ["read"] });
  assert.equal(await repaired([ROLE]), null);
  assert.deepEqual(calls, []);
});

test("a draft with errors is not reviewed, one that can't be tried is", async () => {
  const found = (...diagnostics) => service(() => ({ body: { diagnostics, answer: null } }));
  const draft = new Draft("default", GRANT, { blank: GRANT.blank });
  found({ severity: "warning", code: "unnamed-subject", message: "perhaps misspelt" });
  assert.equal(await isSound(draft), true);
  found({ severity: "error", code: "too-many-affected", message: "too much" });
  assert.equal(await isSound(draft), true);
  found({ severity: "error", code: "unknown", path: "$.resource", message: "there is none" });
  assert.equal(await isSound(draft), false);
  assert.deepEqual(draft.faults().map(({ path }) => path), ["$.resource"]);
});
