// Instants as people write them: "Friday 18:00", "tomorrow", "in 2 weeks", "end of month", "2026-12-01". They are read by the
// clock of the service, and in the time zone of the browser.

import { now } from "../core/clock.js";

const DAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const MONTHS = ["january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"];
/** @type {Record<string, number>} */
const EXACT = { minute: 60_000, hour: 3_600_000 }; // milliseconds
const EXAMPLES = "`Friday 18:00`, `tomorrow`, `in 2 weeks`, `end of month`, `2026-12-01` or `2026-12-01 18:00`";
const MOST_AHEAD = 1000; // years

// Returns {instant} in RFC 3339, or {fault}, a sentence about what can't be read. A day without a time begins at its start;
// where something ends (`isEnd`), the day counts too, so it is the day's end. `at` is now, in milliseconds.
/** @type {(text: string, how?: {isEnd?: boolean, at?: number}) => {instant?: string, fault?: string}} */
export function readInstant(text, { isEnd = false, at = now() } = {}) {
  const words = text.trim().toLowerCase().replace(/\s+/g, " ").replace(/^(until|on|from) /, "");
  const exact = rfc3339(text.trim());
  if (exact) return exact;
  const { day, time, fault } = split(words.replace(/^(\d{4}-\d\d-\d\d)t(?=\d)/, "$1 "));
  if (fault) return { fault };
  const found = day === "" ? timeAlone(time, at) : read(day, time, new Date(at), isEnd);
  if (typeof found === "string") return { fault: found };
  if (!found) return { fault: unclear(text, words) };
  const year = found.getFullYear();
  if (Number.isNaN(year) || year > new Date(at).getFullYear() + MOST_AHEAD || year > 9998) return { fault: "this is too far ahead" };
  return { instant: found.toISOString().replace(/\.\d+Z$/, "Z") };
}

function unclear(text, words) {
  if (/^\d{1,2}[/.]\d{1,2}[/.]\d{2,4}/.test(words)) return "write the year first, as in `2026-12-01`: others read the day and the month in another order";
  if (/^next /.test(words)) return "write `Friday` for the coming one, `in 2 weeks`, or a date such as `2026-12-01`";
  return `\`${text.trim()}\` names no instant: write ${EXAMPLES}`;
}

// An instant with its offset counts as it is written.
function rfc3339(text) {
  const found = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:\d\d)$/.exec(text);
  if (!found) return null;
  if (!dayOf(Number(found[1]), Number(found[2]), Number(found[3]))) return { fault: noDay(text.slice(0, 10)) };
  const iso = text.toUpperCase().replace(" ", "T");
  if (Number.isNaN(Date.parse(iso))) return { fault: "there is no such time of day" };
  return { instant: found[6] ? iso : new Date(iso).toISOString().replace(/\.\d+Z$/, "Z") };
}

// Returns the words of the day, and the minutes of the time, which is undefined if it is left out.
/** @type {(words: string) => {day: string, time?: number, fault?: string}} */
function split(words) {
  const found = /(?:^|[ ,])(?:at )?(\d{1,2})(?::(\d\d)(?: ?(am|pm))?| ?(am|pm))$/.exec(words);
  if (!found) return { day: words };
  const half = found[3] ?? found[4];
  const [hour, minute] = [Number(found[1]), Number(found[2] ?? 0)];
  const isTime = half ? hour >= 1 && hour <= 12 && minute < 60 : hour * 60 + minute <= 1440 && minute < 60;
  if (!isTime) return { day: "", fault: `there is no time \`${found[0].trim()}\`: write one such as \`18:00\`` };
  const hours = half ? (hour % 12) + (half === "pm" ? 12 : 0) : hour;
  return { day: words.slice(0, found.index).replace(/,$/, "").trim(), time: hours * 60 + minute };
}

// A time without a day is the next one.
function timeAlone(time, at) {
  const today = new Date(at);
  const found = onDay(today, 0, time);
  return found.getTime() > at ? found : onDay(today, 1, time);
}

// Returns the time on a day that is some days after another one. Without a time, it is the start of the day.
const onDay = (date, days, time = 0) => new Date(date.getFullYear(), date.getMonth(), date.getDate() + days, 0, time);

// Returns a day of the calendar, or null if there is none.
function dayOf(year, month, day) {
  const found = new Date(2000, 0, 1);
  found.setFullYear(year, month - 1, day);
  return found.getMonth() === month - 1 && found.getDate() === day ? found : null;
}

const noDay = (text) => `there is no day \`${text}\``;

/** @type {(day: string, time: number | undefined, today: Date, isEnd: boolean) => Date | string | null} */
function read(day, time, today, isEnd) {
  const whole = (date, days = 0) => (time === undefined ? onDay(date, days + (isEnd ? 1 : 0)) : onDay(date, days, time));
  if (day === "now") return time === undefined ? today : null;
  if (day === "today") return whole(today);
  if (day === "tomorrow") return whole(today, 1);
  const ahead = weekday(day, today, whole) ?? dated(day, today, whole);
  return ahead ?? endOf(day, time, today) ?? distant(day, time, today);
}

// The coming day of that name. It may be today, if the time is still to come.
function weekday(day, today, whole) {
  const at = DAYS.findIndex((name) => day === name || day === name.slice(0, 3) || (day.length > 3 && name.startsWith(day)));
  if (at < 0) return null;
  const days = (at - today.getDay() + 7) % 7;
  const found = whole(today, days);
  return found > today ? found : whole(today, days + 7);
}

// A date: the year first, or the month by its name. Without a year, it is the next one.
function dated(day, today, whole) {
  const numbers = /^(\d{4})-(\d\d?)-(\d\d?)$/.exec(day);
  if (numbers) {
    const found = dayOf(Number(numbers[1]), Number(numbers[2]), Number(numbers[3]));
    return found ? whole(found) : noDay(day);
  }
  const named = /^(\d{1,2})\.? ([a-z]{3,})\.?,?(?: (\d{4}))?$/.exec(day) ?? swapped(/^([a-z]{3,})\.? (\d{1,2}),?(?: (\d{4}))?$/.exec(day));
  const month = named ? MONTHS.findIndex((name) => name.startsWith(named[2])) + 1 : 0;
  if (!named || !month) return null;
  const on = (year) => dayOf(year, month, Number(named[1]));
  if (named[3]) return on(Number(named[3])) ? whole(on(Number(named[3]))) : noDay(day);
  const found = [0, 1].map((years) => on(today.getFullYear() + years)).filter((one) => one !== null && whole(one) > today)[0];
  return found ? whole(found) : noDay(day);
}

const swapped = (found) => found && [found[0], found[2], found[1], found[3]];

function endOf(day, time, today) {
  const unit = /^(?:the )?end of (?:the |this )?(day|today|week|month|year)$/.exec(day)?.[1];
  if (!unit) return null;
  const [year, month] = [today.getFullYear(), today.getMonth()];
  const days = { day: 1, today: 1, week: ((8 - today.getDay()) % 7 || 7) }[unit];
  const after = days ? onDay(today, days) : unit === "month" ? new Date(year, month + 1, 1) : new Date(year + 1, 0, 1);
  return time === undefined ? after : onDay(after, -1, time);
}

function distant(day, time, today) {
  const found = /^(?:in )?(a|an|one|\d{1,5}) (minute|hour|day|week|month|year)s?$/.exec(day);
  if (!found) return null;
  const [count, unit] = [Number(found[1]) || 1, found[2]];
  if (found[1] === "0") return null;
  if (EXACT[unit]) return time === undefined ? new Date(today.getTime() + count * EXACT[unit]) : null;
  const then = moved(today, unit, count);
  return time === undefined ? then : onDay(then, 0, time);
}

// A month later is the same day, or the last one of a shorter month.
function moved(today, unit, count) {
  const then = new Date(today);
  if (unit === "day" || unit === "week") then.setDate(then.getDate() + count * (unit === "week" ? 7 : 1));
  else {
    then.setDate(1);
    then.setMonth(then.getMonth() + count * (unit === "year" ? 12 : 1));
    then.setDate(Math.min(today.getDate(), new Date(then.getFullYear(), then.getMonth() + 1, 0).getDate()));
  }
  return then;
}

// Returns an instant as an absolute date with its zone: "Fri 2026-12-04 18:00, Europe/Berlin (UTC+1)".
export function absolute(text) {
  const at = new Date(text);
  const part = (options, type) => new Intl.DateTimeFormat("en", options).formatToParts(at).find((one) => one.type === type)?.value ?? "";
  const two = (count) => String(count).padStart(2, "0");
  const date = `${String(at.getFullYear()).padStart(4, "0")}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}${at.getSeconds() ? `:${two(at.getSeconds())}` : ""}`;
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const offset = part({ timeZoneName: "shortOffset" }, "timeZoneName").replace("GMT", "UTC");
  return `${part({ weekday: "short" }, "weekday")} ${date} ${time}, ${zone}${zone === offset ? "" : ` (${offset})`}`;
}
