// A month as a table, whose days say how much ends on them, and open its list.

import { html, nothing } from "../core/html.js";
import { now } from "../core/clock.js";
import { counted, instant } from "../core/words.js";

const MOST_OF_DAY = 3; // of those that a day names
const DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTH = new Intl.DateTimeFormat("en", { month: "long", year: "numeric" });
const DATE = new Intl.DateTimeFormat("en", { weekday: "long", day: "numeric", month: "long", year: "numeric" });

// Returns the day of an instant in the reader's zone, "2026-12-01", or its month with 7 characters.
export const dayOf = (at, characters = 10) => instant(at).slice(0, characters);

// Returns the month "2026-12" that is some months after another one.
export function monthAfter(month, months) {
  const [year, number] = month.split("-").map(Number);
  return dayOf(new Date(year, number - 1 + months, 1), 7);
}

// Returns the first instant of a day or a month, and the first one after it, for the API.
export function spanOf(text) {
  const [year, number, day] = text.split("-").map(Number);
  const end = day ? new Date(year, number - 1, day + 1) : new Date(year, number, 1);
  return { since: new Date(year, number - 1, day ?? 1).toISOString(), until: end.toISOString() };
}

// Returns the name of a month, or of a day: "Tuesday, December 1, 2026".
export const nameOf = (text) => (text.length > 7 ? DATE : MONTH).format(new Date(`${text.length > 7 ? text : `${text}-01`}T00:00`));

// Returns the drawing of a month "2026-12" with what ends in it: [{at, told}], the earliest first. `link(day)` is the address of a
// day's list.
/** @type {(month: string, entries: {at: string, told: Drawing}[], link: (day: string) => string) => Drawing} */
export function calendar(month, entries, link) {
  const [year, number] = month.split("-").map(Number);
  const before = (new Date(year, number - 1, 1).getDay() + 6) % 7; // weeks begin on Monday
  const days = [...Array(before).fill(null), ...Array.from({ length: new Date(year, number, 0).getDate() }, (_, at) => at + 1)];
  const weeks = Array.from({ length: Math.ceil(days.length / 7) }, (_, at) => days.slice(7 * at, 7 * at + 7));
  const today = dayOf(now());
  const cell = (day) => (day === null ? html`<td role="cell" class="no-day"></td>` : dayCell(dateOf(month, day), entries, today, link));
  const ends = new Set(entries.map((one) => dayOf(one.at)));
  const hasEnd = (week) => week.some((day) => day !== null && ends.has(dateOf(month, day)));
  return html`<table class="calendar ${entries.length ? "" : "no-end"}" role="table"><caption>${nameOf(month)}</caption>
    <thead role="rowgroup"><tr role="row">${DAYS.map((day) => html`<th role="columnheader" scope="col"><abbr title=${day}>${day.slice(0, 3)}</abbr></th>`)}</tr></thead>
    <tbody role="rowgroup">${weeks.map((week) => html`<tr role="row" class=${hasEnd(week) ? "" : "no-end"}>${DAYS.map((_, at) => cell(week[at] ?? null))}</tr>`)}</tbody></table>`;
}

const dateOf = (month, day) => `${month}-${String(day).padStart(2, "0")}`;

function dayCell(date, entries, today, link) {
  const own = entries.filter((one) => dayOf(one.at) === date);
  const isToday = date === today;
  const day = html`<span class="day">${Number(date.slice(8))}</span>${isToday ? html` <span class="tag">today</span>` : nothing}`;
  if (!own.length) return html`<td role="cell" class="no-end" aria-label=${nameOf(date)}>${day}</td>`;
  const text = counted(own.length, "end", "ends");
  return html`<td role="cell" class="has-end">${day}
    <a href=${link(date)} aria-label="${nameOf(date)}: ${text}"><span class="date">${nameOf(date)}: </span>${text}</a>
    <ul class="plain">${own.slice(0, MOST_OF_DAY).map((one) => html`<li><span class="soft">${instant(one.at).slice(11)}</span> ${one.told}</li>`)}</ul>
    ${own.length > MOST_OF_DAY ? html`<span class="soft">and ${counted(own.length - MOST_OF_DAY, "more", "more")}</span>` : nothing}</td>`;
}
