// Instants in words are read by the clock of the service, in the zone of the browser; unclear words are refused.

import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { absolute, readInstant } from "../../../../api/console/page/parts/instant_words.js";

const AT = new Date(2026, 10, 25, 14, 30).getTime(); // a Wednesday
const local = (...parts) => new Date(...parts).toISOString().replace(".000Z", "Z");
const read = (text, isEnd = false, at = AT) => readInstant(text, { isEnd, at });

for (const [words, start, end = start] of [
  ["Friday 18:00", local(2026, 10, 27, 18)],
  ["fri at 6pm", local(2026, 10, 27, 18)],
  ["friday", local(2026, 10, 27), local(2026, 10, 28)],
  ["until Friday", local(2026, 10, 27), local(2026, 10, 28)],
  ["Wednesday 14:31", local(2026, 10, 25, 14, 31)],
  ["Wednesday 14:30", local(2026, 11, 2, 14, 30)],
  ["today 12:00 am", local(2026, 10, 25)],
  ["tomorrow", local(2026, 10, 26), local(2026, 10, 27)],
  ["tomorrow 9:05", local(2026, 10, 26, 9, 5)],
  ["18:00", local(2026, 10, 25, 18)],
  ["14:30", local(2026, 10, 26, 14, 30)],
  ["in 2 weeks", local(2026, 11, 9, 14, 30)],
  ["2 weeks", local(2026, 11, 9, 14, 30)],
  ["in 2 weeks 18:00", local(2026, 11, 9, 18)],
  ["in a month", local(2026, 11, 25, 14, 30)],
  ["in 90 minutes", local(2026, 10, 25, 16)],
  ["in an hour", local(2026, 10, 25, 15, 30)],
  ["end of month", local(2026, 11, 1)],
  ["end of the month 18:00", local(2026, 10, 30, 18)],
  ["end of week", local(2026, 10, 30)],
  ["end of year", local(2027, 0, 1)],
  ["2026-12-01", local(2026, 11, 1), local(2026, 11, 2)],
  ["2026-12-01 18:00", local(2026, 11, 1, 18)],
  ["2026-12-01T18:00", local(2026, 11, 1, 18)],
  ["2026-12-01 24:00", local(2026, 11, 2)],
  ["1 December 2026", local(2026, 11, 1), local(2026, 11, 2)],
  ["Dec 1, 2026 18:00", local(2026, 11, 1, 18)],
  ["1 march", local(2027, 2, 1), local(2027, 2, 2)],
  ["29 february 2028", local(2028, 1, 29), local(2028, 2, 1)],
  ["2026-12-01T18:00:00+05:30", "2026-12-01T18:00:00+05:30"],
  ["2026-12-01T18:00Z", "2026-12-01T18:00:00Z"],
  ["2026-12-01t18:00:00.5z", "2026-12-01T18:00:00.5Z"],
]) {
  test(`${words} is an instant`, () => {
    assert.deepEqual(read(words), { instant: start });
    assert.deepEqual(read(words, true), { instant: end });
  });
}

test("a month later is never a day of the month after", () => {
  assert.deepEqual(read("in 1 month", true, new Date(2027, 0, 31, 8).getTime()), { instant: local(2027, 1, 28, 8) });
  assert.deepEqual(read("in a year", true, new Date(2028, 1, 29, 8).getTime()), { instant: local(2029, 1, 28, 8) });
});

test("a Sunday ends its week", () => {
  assert.deepEqual(read("end of week", true, new Date(2026, 10, 29, 8).getTime()), { instant: local(2026, 10, 30) });
});

for (const [words, said] of [
  ["soon", /names no instant: write `Friday 18:00`/],
  ["01/12/2026", /the year first/],
  ["1.12.2026 18:00", /the year first/],
  ["next friday", /the coming one/],
  ["2026-02-30", /no day `2026-02-30`/],
  ["30 february", /no day/],
  ["2026-02-30T10:00:00Z", /no day/],
  ["2026-02-03T25:00:00Z", /no such time/],
  ["Friday 25:00", /no time/],
  ["friday 18:60", /no time/],
  ["13pm", /no time/],
  ["in 0 days", /names no instant/],
  ["in 99999 years", /too far/],
  ["in 2 hours 18:00", /names no instant/],
  ["-1 days", /names no instant/],
  ["f", /names no instant/],
  ["2026-12", /names no instant/],
]) {
  test(`${words} is refused in words`, () => {
    const { instant, fault } = read(words, true);
    assert.equal(instant, undefined);
    assert.match(fault, said);
  });
}

test("what was understood names its weekday, its zone and its offset", () => {
  assert.match(absolute(local(2026, 11, 4, 18)), /^Fri 2026-12-04 18:00, \S+( \(UTC\S*\))?$/);
  assert.match(absolute(local(2026, 11, 4, 18, 0, 5)), / 18:00:05, /);
});
