// Words for numbers, instants, lengths of time and ways of access.

import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { atThisServer, counted, distance, instant, number } from "../../../../api/console/page/core/words.js";
import { duration } from "../../../../api/console/page/parts/duration.js";
import { instantOf, localInput } from "../../../../api/console/page/parts/local_time.js";
import { throughWords } from "../../../../api/console/page/parts/through.js";

const NOW = Date.parse("2026-11-22T12:00:00Z");

test("counts agree with their nouns", () => {
  assert.equal(number(1234567), "1,234,567");
  assert.equal(counted(1, "policy", "policies"), "1 policy");
  assert.equal(counted(0, "policy", "policies"), "0 policies");
  assert.equal(counted(2000, "row"), "2,000 rows");
});

test("what one of several servers has counted is said to be at this server", () => {
  assert.equal(atThisServer({ at_this_server: true }), " at this server");
  for (const found of [{ at_this_server: false }, {}, undefined, null]) assert.equal(atThisServer(found), "");
});

test("a distance is in the largest unit that fits", () => {
  for (const [text, words] of [
    ["2026-11-22T11:59:59Z", "1 second ago"],
    ["2026-11-22T12:00:59Z", "in 59 seconds"],
    ["2026-11-22T11:57:00Z", "3 minutes ago"],
    ["2026-11-22T17:00:00Z", "in 5 hours"],
    ["2026-11-24T12:00:00Z", "in 2 days"],
    ["2024-11-22T12:00:00Z", "730 days ago"],
  ]) {
    assert.equal(distance(text, NOW), words);
  }
});

test("an instant is told in the zone of the reader", () => {
  const local = new Date(2026, 10, 22, 14, 5);
  assert.equal(instant(local.toISOString()), "2026-11-22 14:05");
  assert.equal(instant("soon"), "soon");
});

test("a field for an instant keeps it", () => {
  assert.equal(instantOf(localInput("2026-11-22T14:05:00.000Z")), "2026-11-22T14:05:00.000Z");
  assert.deepEqual([localInput(""), localInput(undefined), localInput("soon"), instantOf("")], ["", "", "", ""]);
});

test("a length of time has two units at most", () => {
  assert.deepEqual([0, 1, 3600, 90_061, 60].map(duration), ["no time", "1 second", "1 hour", "1 day 1 hour", "1 minute"]);
});

test("a way of access that is new to the console is told as it is", () => {
  assert.deepEqual([throughWords("group"), throughWords("token"), throughWords(undefined)], ["a role of a group", "token", ""]);
});
