// Time windows in words, as the service and the command line have them (C8).

import { joined } from "../core/words.js";

export const DAYS = [["mon", "Monday"], ["tue", "Tuesday"], ["wed", "Wednesday"], ["thu", "Thursday"], ["fri", "Friday"], ["sat", "Saturday"], ["sun", "Sunday"]];
const SHORTEST_RUN = 3; // days in a row that are named by the first and the last one

// Returns a time window in words that follow "asks": "from 07:00 on Monday to Friday (Europe/Oslo)".
export function askingWords(window) {
  const span = spanWords(window);
  if (!window.days && !window.start && !window.end) return span;
  const { start = "00:00", end = "24:00", timezone = "UTC", days } = window;
  const isWholeDay = start === "00:00" && end === "24:00";
  const hours = isWholeDay ? "" : `from ${start}${end === "24:00" ? "" : ` to ${end}`}`;
  const nextDay = start > end ? " of the next day" : "";
  const words = [`${hours}${nextDay}`, days ? `on ${daysWords(days)}` : "on any day"].filter(Boolean).join(" ");
  return `${words} (${timezone})${span && `, ${span}`}`;
}

function spanWords({ not_before: start, not_after: end }) {
  if (start === undefined) return end === undefined ? "" : `before ${end}`;
  return end === undefined ? `from ${start} on` : `from ${start} until ${end}`;
}

function daysWords(days) {
  /** @type {string[][]} */
  const runs = [];
  DAYS.forEach(([day, name], at) => {
    if (!days.includes(day)) return;
    if (at > 0 && days.includes(DAYS[at - 1][0])) runs[runs.length - 1].push(name);
    else runs.push([name]);
  });
  return joined(runs.flatMap((run) => (run.length >= SHORTEST_RUN ? [`${run[0]} to ${run[run.length - 1]}`] : run))).join("");
}
