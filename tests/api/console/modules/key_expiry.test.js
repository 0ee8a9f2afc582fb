// The expiry of a new key: what it begins with beside an old one, and what is sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { now } from "../../../../api/console/page/core/clock.js";
import { expiresAt, isDated, newExpiry } from "../../../../api/console/page/pages/key_expiry.js";

const names = (expiry) => expiry.choices.map(([name]) => name);

test("a new key has an end, unless it is taken away", () => {
  const expiry = newExpiry();
  assert.deepEqual([expiry.ends, names(expiry)], ["90", ["30", "90", "365", "date", ""]]);
  assert.ok(Date.parse(expiresAt(expiry).expires_at) > now());
  assert.deepEqual(expiresAt({ ...expiry, ends: "" }), { expires_at: null });
});

test("a rotated key keeps its expiry, unless it is over", () => {
  assert.deepEqual(expiresAt(newExpiry({ expires_at: "2999-01-01T00:00:00Z" })), {});
  const endless = newExpiry({ expires_at: null });
  assert.deepEqual([endless.ends, names(endless).includes("")], ["kept", false]);
  const over = newExpiry({ expires_at: "2001-01-01T00:00:00Z" });
  assert.deepEqual([over.ends, names(over).includes("kept")], ["90", false]);
});

test("a date that is not written is not sent", () => {
  const expiry = { ...newExpiry(), ends: "date" };
  assert.equal(isDated(expiry), false);
  assert.equal(expiry.written.faults().length, 1);
  assert.equal(isDated({ ...expiry, ends: "30" }), true);
});
