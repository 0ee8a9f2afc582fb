// Terms count by the clock of the service, whatever the browser's says.

import { service, textOf } from "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { get } from "../../../../api/console/page/core/api.js";
import { now } from "../../../../api/console/page/core/clock.js";
import { distance } from "../../../../api/console/page/core/words.js";
import { term } from "../../../../api/console/page/editing/phrases.js";

const SECOND = 1_000;
const of = (instant) => Date.parse(instant);
const at = async (date) => (service(() => ({ body: {}, headers: { Date: date } })), await get("/v1/caller"));

test("until the service has answered, the browser's clock counts", () => {
  assert.ok(Math.abs(now() - Date.now()) < 5 * SECOND);
});

test("what is ahead of the browser's clock may have ended by that of the service", async () => {
  await at("Wed, 01 Jan 2098 12:00:00 GMT");
  assert.ok(Math.abs(now() - of("2098-01-01T12:00:00Z")) < 60 * SECOND);
  assert.match(textOf(term({ expires_at: "2098-01-01T11:00:00Z" })), /ended 1 hour ago/);
  assert.match(textOf(term({ starts_at: "2098-01-03T12:01:00Z" })), /not yet starts in 2 days/);
  assert.equal(distance("2098-01-01T15:00:00Z"), "in 3 hours");
});

test("what is past by the browser's clock may not have started by that of the service", async () => {
  await at("Mon, 01 Jan 2001 12:00:00 GMT");
  assert.match(textOf(term({ starts_at: "2001-01-01T15:00:00Z" })), /not yet starts in 3 hours/);
  await at(null);
  assert.match(textOf(term({ expires_at: "2001-01-02T12:01:00Z" })), /ends soon ends in 1 day/);
});
