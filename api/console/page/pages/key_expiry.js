// The field that says when an API key expires: after some days, on a date, never, or as before where there is an old key.

import { html, nothing } from "../core/html.js";
import { now } from "../core/clock.js";
import { update } from "../core/update.js";
import { instant } from "../core/words.js";
import { instantField, Written } from "../editing/instant_field.js";
import { faultOf } from "../parts/fault.js";

const DAY = 86_400_000; // milliseconds
const KEPT = "kept";
const EXPIRIES = [
  ["30", "in 30 days"],
  ["90", "in 90 days"],
  ["365", "in a year"],
  ["date", "on a date"],
  ["", "never"],
];

// Returns what the field begins with. `old` is the key whose expiry the new one keeps, unless it is over.
/** @param {{expires_at: string | null}} [old] */
export function newExpiry(old) {
  const isOver = Boolean(old?.expires_at && Date.parse(old.expires_at) <= now());
  const kept = old && !isOver ? [[KEPT, old.expires_at ? `as before: ${instant(old.expires_at)}` : "as before: never"]] : [];
  return { ends: kept.length ? KEPT : "90", choices: [...kept, ...EXPIRIES.filter(([name]) => !kept.length || name || old?.expires_at)], at: undefined, written: new Written() };
}

// Returns the drawing of the field.
export function expiryFields(expiry, problem) {
  return html`<label for="ends">Expires</label>
    <select id="ends" class="short" @change=${(event) => ((expiry.ends = event.target.value), update())}>
      ${expiry.choices.map(([name, text]) => html`<option value=${name} .selected=${expiry.ends === name}>${text}</option>`)}
    </select>
    ${expiry.ends === "date" ? instantField({
      ...{ label: "Date and time", at: "at", value: expiry.at, isEnd: true, written: expiry.written, faults: expiry.written.faults() },
      set: (chosen) => ((expiry.at = chosen), update()),
    }) : nothing}
    ${expiry.ends === "" ? html`<p class="soft">A key without an end is good until somebody deletes it.</p>` : nothing}
    ${faultOf(problem, "$.expires_at")}`;
}

// Returns whether the field can be sent. A key of a date needs one: without it, the key would never expire.
export function isDated({ ends, at, written }) {
  if (ends !== "date") return true;
  if (!at && !written.local.has("at")) written.fault("at", "write when the key expires");
  return !written.local.has("at");
}

// Returns the member `expires_at` for the API, or none if the expiry stays.
export function expiresAt({ ends, at }) {
  if (ends === KEPT) return {};
  return { expires_at: (ends === "date" ? at : ends && new Date(now() + Number(ends) * DAY).toISOString()) || null };
}
