// The gates of a policy, which look at the moment of the request: a time window, addresses, and a rate limit.

import { html, nothing } from "../core/html.js";
import { numberIn } from "../core/exact.js";
import { DAYS } from "../parts/window_words.js";
import { withMember } from "./draft.js";
import { faultsAt, flagField, textField } from "./fields.js";
import { idList } from "./id_list.js";
import { instantField } from "./instant_field.js";
import { options } from "./suggestions.js";

const WORKING = DAYS.slice(0, 5).map(([day]) => day);
const ZONES = ["UTC", ...(Intl.supportedValuesOf?.("timeZone") ?? [])].map((zone) => [zone]);

// Returns the drawing of a draft's gates.
export function gates(draft, faults) {
  const conditions = draft.body.conditions ?? {};
  const set = (name, value) => {
    const next = withMember(conditions, name, value);
    draft.set("conditions", Object.keys(next).length ? next : undefined);
  };
  const gate = (name, label, blank, fields) => html`<div class=${conditions[name] === undefined ? "" : "gate"}>
    ${flagField({ label, value: conditions[name] !== undefined, set: (isOn) => set(name, isOn ? blank : undefined) })}
    ${conditions[name] === undefined ? nothing : fields(conditions[name], (value) => set(name, value))}
    ${faultsAt(faults, `$.conditions.${name}`, true)}</div>`;
  return html`
    ${gate("time_window", "Only at certain times", { days: WORKING, start: "09:00", end: "17:00", timezone: "UTC" }, (window, put) => times(window, put, faults, draft))}
    ${gate("ip_allowlist", "Only from certain addresses", [], (addresses, put) =>
      idList({ label: "Addresses and networks", at: "$.conditions.ip_allowlist", values: addresses, faults, noun: "one, like 10.0.0.0/8", set: put }))}
    ${draft.body.effect === "ALLOW" || conditions.rate_limit
      ? gate("rate_limit", "Only so often", { limit: 100, window_seconds: 3600 }, (limit, put) => rate(limit, put, faults))
      : nothing}`;
}

function times(window, put, faults, written) {
  const at = "$.conditions.time_window";
  const set = (name) => (text) => put(withMember(window, name, text === "" ? undefined : text));
  const days = window.days ?? [];
  const toggle = (day, isOn) => {
    const next = DAYS.map(([one]) => one).filter((one) => (one === day ? isOn : days.includes(one)));
    put(withMember(window, "days", next.length ? next : undefined));
  };
  const field = (name, label, more) => textField({ label, at: `${at}.${name}`, value: window[name], faults, set: set(name), ...more });
  return html`<fieldset class="choice checks"><legend>Days${days.length ? "" : ": every day"}</legend>
      ${DAYS.map(([day, name]) => html`<label><input type="checkbox" .checked=${days.includes(day)} @change=${(event) => toggle(day, event.target.checked)}> ${name}</label>`)}
      ${faultsAt(faults, `${at}.days`)}</fieldset>
    <div class="thirds">${field("start", "Opens at", { placeholder: "00:00" })}${field("end", "Closes at", { placeholder: "24:00" })}
      <div>${field("timezone", "Time zone", { placeholder: "UTC", list: "zones" })}${options("zones", ZONES, window.timezone ?? "")}</div></div>
    <div class="halves">${instantField({ label: "Not before", at: `${at}.not_before`, value: window.not_before, faults, written, without: "no first day", set: set("not_before") })}
      ${instantField({ label: "Not after", at: `${at}.not_after`, value: window.not_after, faults, written, isEnd: true, without: "no last day", set: set("not_after") })}</div>`;
}

function rate(limit, put, faults) {
  const at = "$.conditions.rate_limit";
  const field = (name, label) => textField({ label, at: `${at}.${name}`, value: String(limit[name] ?? ""), faults, set: (text) => put({ ...limit, [name]: numberIn(text) ?? text }) });
  return html`<div class="halves">${field("limit", "Times, for each subject")}${field("window_seconds", "In so many seconds")}</div>`;
}
