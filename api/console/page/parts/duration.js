// Lengths of time in words.

import { counted } from "../core/words.js";

/** @type {[number, string][]} */
const UNITS = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
];

// Returns a number of seconds in words, in two units at most: "1 hour", "2 days 3 hours".
export function duration(seconds) {
  const parts = [];
  let left = seconds;
  for (const [size, noun] of UNITS) {
    const whole = Math.floor(left / size);
    left -= whole * size;
    if (whole && parts.length < 2) parts.push(counted(whole, noun));
  }
  return parts.join(" ") || "no time";
}
