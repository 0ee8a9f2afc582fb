// The smallest changes that would allow a denied request, and the ways to make them.

import { markup, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { begin, Session } from "../../../../api/console/page/core/session.js";
import { readPlace } from "../../../../api/console/page/core/place.js";
import { whyNot, withAttributes } from "../../../../api/console/page/parts/why_not.js";

const REQUEST = {
  subject: { type: "user", id: "ruth" },
  action: { name: "read" },
  resource: { type: "Chart", id: "c1", attributes: { status: "open" } },
};
const ASKED = { request: REQUEST, typeIdOf: (name) => name.toLowerCase() };
const MFA = { who: "caller", kind: "attribute", path: "context.mfa", value: true };
const TEAM = { who: "owner", kind: "attribute", path: "resource.team.name", value: null };
const ROLE = { who: "administrator", kind: "role", role: "nurse", change: "give" };
const set = (...changes) => ({ who: [...new Set(changes.map((one) => one.who))], changes });
const found = (...sets) => ({ sets, complete: true, up_to: 4 });
const drawn = (...sets) => whyNot("default", found(...sets), ASKED);
const linkOf = (text, name) => readPlace(text.match(new RegExp(`href=([^>]*)>${name}<`))[1]);

const signIn = (scopes) => begin(new Session("key"), { kind: "admin_key", scopes });

beforeEach(() => signIn(["write"]));

test("sets are told by who can make them, and each says that it is enough", () => {
  const text = textOf(drawn(set(MFA), set(TEAM), set(MFA, ROLE)));
  assert.match(text, /^To allow it , each of these alone is enough: By the caller The caller sets context.mfa to true \./);
  assert.match(text, /By the owner of the resource The owner of the resource takes resource.team.name away\./);
  assert.match(text, /By several together The caller sets context.mfa to true and an administrator gives the subject the role nurse \./);
  assert.match(textOf(drawn(set(MFA))), /^To allow it , this is enough:/);
});

test("a request is filled in with all the attributes of a set, under their whole keys", () => {
  const place = linkOf(markup(drawn(set(MFA, TEAM))), "Fill in the request");
  assert.equal(place.page, "try");
  assert.deepEqual(JSON.parse(place.query.get("q")), {
    ...REQUEST,
    resource: { type: "Chart", id: "c1", properties: { status: "open", "team.name": null } },
    context: { mfa: true },
  });
  assert.deepEqual(withAttributes({ context: [] }, [MFA]), { context: { mfa: true } });
});

test("an administrator gets the form that makes the change", () => {
  const formOf = (change, name) => {
    const { page, given, query } = linkOf(markup(drawn(set({ who: "administrator", ...change }))), name);
    return [page, ...given, Object.fromEntries(query)];
  };
  const holder = { "subject.type": "user", "subject.id": "ruth" };
  assert.deepEqual(formOf(ROLE, "Give the role"), ["assignments", { new: "yes", role: "nurse", ...holder }]);
  assert.deepEqual(formOf({ kind: "grant" }, "Grant it"), ["grants", { new: "yes", ...holder, "resource.type": "chart", "resource.id": "c1", actions: "read" }]);
  assert.deepEqual(formOf({ kind: "register" }, "Register the resource"), ["resources", { new: "yes", type: "chart", id: "c1" }]);
  assert.deepEqual(formOf({ kind: "policy", policy: "vip" }, "Edit the policy"), ["policies", "vip", { edit: "yes", enabled: "no" }]);
  assert.deepEqual(formOf({ ...ROLE, change: "take" }, "Open what the subject holds"), ["subjects", "user", "ruth", {}]);
  assert.deepEqual(formOf({ kind: "attribute", path: "subject.level", value: 3 }, "Edit the subject"), ["subjects", "user", "ruth", {}]);
});

test("a repair stands in the place of the form, for those who may write", () => {
  const repairs = { of: ({ changes }) => (changes.length === 1 ? "give it here" : null) };
  const repaired = (...sets) => markup(whyNot("default", found(...sets), { ...ASKED, repairs }));
  assert.match(repaired(set(ROLE)), /give it here/);
  assert.doesNotMatch(repaired(set(ROLE)), /Give the role/);
  assert.match(repaired(set(MFA, ROLE)), /Give the role/);
  signIn(["read"]);
  assert.doesNotMatch(repaired(set(ROLE)), /give it here/);
});

test("a reader gets no form, and a subject without an id no page", () => {
  const external = { ...ASKED, request: { ...REQUEST, subject: { type: "user", external_id: "7" } } };
  const level = set({ who: "administrator", kind: "attribute", path: "subject.level", value: 3 });
  assert.doesNotMatch(markup(whyNot("default", found(level), external)), /Edit the subject/);
  signIn(["read"]);
  assert.doesNotMatch(markup(drawn(set(ROLE))), /Give the role/);
});

const HOURS = { days: ["mon", "tue", "wed", "thu", "fri"], start: "07:00", timezone: "Europe/Oslo" };
const TIME = { who: "caller", kind: "time", path: "context.time", value: "2026-01-05T06:00:00Z", windows: [HOURS] };
const PERSON = { who: "person", kind: "person" };

test("the clock is told by the window of a policy, and by an instant if no window says it", () => {
  assert.match(textOf(drawn(set(TIME))), /The caller asks from 07:00 on Monday to Friday \(Europe\/Oslo\)\./);
  assert.match(textOf(drawn(set({ ...TIME, windows: [] }))), /The caller asks at another time, such as 2026-01-05T06:00:00Z/);
});

test("a value that must not be shown is not taken for none", () => {
  const hidden = (change) => set({ ...change, value: undefined, value_hidden: true });
  const text = markup(drawn(hidden(MFA)));
  assert.match(text, /to a value that is not shown here/);
  assert.doesNotMatch(text, /Fill in the request/);
  assert.match(textOf(drawn(hidden({ ...TIME, windows: [] }))), /The caller asks at another time\.$/);
});

test("another person is named if the resource names one, and else found by those who may read", () => {
  assert.match(textOf(drawn(set({ ...PERSON, id: "otto" }))), /Another person with the same roles, such as otto , asks/);
  const { page, query } = linkOf(markup(drawn(set(PERSON))), "See who can");
  assert.equal(page, "who-can");
  assert.deepEqual(JSON.parse(query.get("q")), { action: REQUEST.action, resource: REQUEST.resource, subject: { type: "user" } });
  signIn([]);
  assert.doesNotMatch(markup(drawn(set(PERSON))), /See who can/);
});

test("what was not tried is told, and a search without a result too", () => {
  assert.equal(textOf(drawn()), "No set of up to 4 changes would allow it.");
  assert.equal(textOf(whyNot("default", { ...found(), complete: false }, ASKED)), "There may be other changes: not all were tried.");
  assert.match(textOf(whyNot("default", { ...found(set(MFA)), complete: false }, ASKED)), /not all were tried\.$/);
  assert.equal(textOf(whyNot("default", { ...found(), undeclared: true }, ASKED)), "");
  const many = Array.from({ length: 12 }, (_, at) => set({ ...ROLE, role: `role-${at}` }));
  assert.match(textOf(drawn(...many)), /Show 2 more/);
});
