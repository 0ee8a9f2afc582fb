// Who gains and who loses by a change, as save dialogs and promotions tell it.

import { markup, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { readPlace } from "../../../../api/console/page/core/place.js";
import { effectOnPeople } from "../../../../api/console/page/editing/people.js";

const WITNESS = {
  subject: { type: "user", id: "ruth" },
  action: { name: "read" },
  resource: { type: "chart", id: "c1", properties: { status: "open" } },
  context: { mfa: true },
};
const user = (id) => ({ type: "user", id });
const region = (more = {}) => ({
  ...{ resource_type: "chart", action: "read", subjects: [user("ruth")], subject_count: 1, more: false, others: false },
  ...{ roles: [], when: [], resources: 3, witness: WITNESS, ...more },
});
// How the service says that regions are told: here each one by itself, with nothing that all share.
const pairs = (one) => `\`${one.action}\` on \`${one.resource_type}\``;
const alone = (verb, found) => found.map((one, at) => ({ verb, regions: [at], pairs: pairs(one), when: one.when, resources: one.resources }));
function answer({ gains = [], loses = [], unknown = [], reasons = [], ...more }) {
  const regions = [...alone("gains", gains), ...alone("loses", loses)];
  const told = { shared: [], regions, unknown: unknown.map((one) => ({ pairs: pairs(one), reason: one.reason })) };
  return { gains, loses, unknown, reasons, told, ...more };
}
const told = (people, how) => textOf(effectOnPeople("default", answer(people), how));

test("who gains comes first, then who loses, by type and action", () => {
  const write = region({ action: "write" });
  const text = told({ gains: [region(), write, region({ others: true })], loses: [region({ roles: ["nurse", "doctor"] })] });
  assert.deepEqual(text.match(/[+−] (gains|loses) \w+ on \w+/g), ["+ gains read on chart", "+ gains write on chart", "− loses read on chart"]);
  assert.match(text, /user ruth and everyone else/);
  assert.match(text, /By the role nurse or doctor \. On 3 registered resources\./);
});

test("subjects are named, those behind the first ten on demand, and the rest is counted", () => {
  const subjects = Array.from({ length: 100 }, (_, at) => user(`u${at}`));
  assert.match(told({ gains: [region({ subjects, subject_count: 130 })] }), /user u8 and user u9 and 120 more user u10 , .* user u99 and 30 more/);
  assert.match(told({ gains: [region({ subjects: subjects.slice(0, 2), subject_count: 2 })] }), /user u0 and user u1/);
  assert.match(told({ gains: [region({ subjects: [], subject_count: 0, others: true })] }), /read on chart Everyone else On/);
  assert.match(told({ gains: [region({ subjects: [], subject_count: 0, others: true, everyone: true })] }), /read on chart Everyone On/);
  const named = { ...user("ruth"), external_id: "7" };
  assert.match(told({ gains: [region({ subjects: [named] })] }), /user ruth as external id 7/);
});

test("the number of all who gain counts each once, and opens their list", () => {
  const two = told({ gains: [region({ subjects: [user("a"), user("b")], subject_count: 2 }), region({ action: "write", subjects: [user("b")] })] });
  assert.match(two, /\+ 2 subjects gain something user a and user b/);
  assert.match(told({ loses: [region()] }), /− 1 subject loses something user ruth/);
  const subjects = Array.from({ length: 100 }, (_, at) => user(`u${at}`));
  assert.match(told({ gains: [region({ subjects, subject_count: 130 }), region({ subjects: [user("z")] })] }), /at least 130 subjects gain something .* and 29 more/);
  assert.doesNotMatch(told({ gains: [region({ subjects: [], subject_count: 0, others: true })] }), /something/);
});

test("conditions are sentences, and resources that no store counts are left out", () => {
  const text = told({ gains: [region({ when: ["the `status` of the resource is \"open\"", "it is late"], resources: null, resource_name: { kind: "external_id", value: "x" } })] });
  assert.match(text, /if the status of the resource is "open" and it is late and the request names the resource by the external id x For example/);
  assert.doesNotMatch(text, /registered/);
});

test("regions that the service tells as one are drawn once, and what all share stands before them", () => {
  const gains = ["chart", "bed", "lab"].map((resource_type) => region({ resource_type, when: ["it is late", "it is open"] }));
  const regions = [
    { verb: "gains", regions: [0, 1], pairs: "`read` on `chart` and `bed`", when: ["it is late"], resources: 6 },
    { verb: "gains", regions: [2], pairs: "`read` on `lab`", when: [], resources: null },
  ];
  const text = told({ gains, told: { shared: ["it is open"], regions, unknown: [{ pairs: "`read` on `x` and `y`", reason: "rate limit" }] } });
  assert.match(text, /Each change below happens only if it is open \+ gains read on chart and bed user ruth if it is late On 6 registered resources\./);
  assert.match(text, /\+ gains read on lab user ruth For example/);
  assert.match(text, /! not known .* read on x and y : rate limit/);
  assert.equal(text.match(/it is open/g).length, 1);
});

test("the example opens in “Try”, and leaves no dialog", () => {
  const text = markup(effectOnPeople("prod", answer({ gains: [region({ now: "2027-07-01T00:00:00Z" })] }), { isApart: true }));
  const place = readPlace(text.match(/href=(\S+) target=_blank/)[1]);
  assert.deepEqual([place.env, place.page, JSON.parse(place.query.get("q"))], ["prod", "try", WITNESS]);
  assert.match(text, /datetime=2027-07-01T00:00:00Z/);
  assert.doesNotMatch(text, /#\/prod\/subjects/);
  assert.match(told({ gains: [region()] }), /For example, read by user ruth on chart c1 with resource.status "open" and context.mfa true/);
});

test("no effect, only reasons, and what is not known are told apart", () => {
  assert.match(told({}), /✓ No effect: no subject gains or loses anything\.$/);
  const text = told({ reasons: [{ resource_type: "chart", action: "read", count: 2 }], unknown: [{ resource_type: "bed", action: "clean", reason: "rate limit" }] });
  assert.doesNotMatch(text, /No effect/);
  assert.match(text, /! not known .* clean on bed : rate limit/);
  assert.match(text, /Only the reason of the answer changes for read on chart \(2\)\.$/);
  assert.equal(textOf(effectOnPeople("default", null)), "");
});

test("a type that is no word is code, and a value with a backtick stays one value", () => {
  const odd = { type: "everyone else", id: "x" };
  const when = ["the \"a`b\" of the resource is \"`c\"", "the `d` is \"e\""];
  const drawn = markup(effectOnPeople("default", answer({ gains: [region({ subjects: [odd], when })] })));
  assert.match(drawn, /<code>everyone else<\/code>/);
  assert.match(drawn, /the "a`b" of the resource is "`c"/);
  assert.match(drawn, /the <code>d<\/code> is "e"/);
});
