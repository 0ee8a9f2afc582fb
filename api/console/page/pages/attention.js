// The counts of what needs attention, with the list behind each number, and what could not be looked at.

import { html } from "../core/html.js";
import { placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { atThisServer, counted, instant, joined, number } from "../core/words.js";
import { sentence } from "../parts/notice.js";

const MOST_COUNTED = 1_000; // the service counts no further
const RULE = "Denials are named here if the last hour has 10 or more, and at least twice as many as the hour before.";

// Returns the drawing of the answer of `GET …/attention`.
export function attentionView(env, found) {
  const items = [...ofService(env, found.administration), ...ofModel(env, found)];
  return html`${items.length
    ? html`<ul class="plain attention">${items.map((one) => html`<li><span class="mark gone" aria-hidden="true">!</span>${one}</li>`)}</ul>`
    : html`<p><span class="mark yes" aria-hidden="true">✓</span>Nothing needs attention.</p>`}
    ${leftOut(found.administration).map((one) => html`<p class="soft">${one}</p>`)}`;
}

function ofModel(env, { ending, ended, edited, source }) {
  const list = (show, text) => html`<a href=${placeLink(env, "ending", [], { show })}>${text}</a>`;
  const promotion = (query, text) => (may("admin") ? html`<a href=${placeLink(env, "promotion", [], query)}>${text}</a>` : text);
  return [
    ending ? list("week", `${some(ending, "assignment or grant", "assignments and grants")} ${verb(ending, "ends", "end")} within 7 days`) : null,
    ended ? html`${list("ended", `${some(ended, "assignment or grant", "assignments and grants")} ended in the last 30 days`)} and ${verb(ended, "is", "are")} still stored` : null,
    edited ? html`${promotion({}, some(edited, "element"))} edited in place since the last promotion` : null,
    source?.changes ? html`${promotion({ from: source.environment }, some(source.changes, "revision"))} of <code>${source.environment}</code> changed its policies after the promoted revision ${number(source.revision)}` : null,
  ].filter((one) => one !== null);
}

function ofService(env, found) {
  if (!found) return [];
  const { waiting, clients, api_keys: keys } = found;
  const listed = (state, one, many) => {
    const counts = [[clients[state] ?? 0, "client"], [keys[state], "API key"]].filter(([count]) => count);
    if (!counts.length) return null;
    const parts = joined(counts.map(([count, noun]) => some(count, noun)));
    return html`<a href=${placeLink(env, "clients", [], { state })}>${parts}</a> ${verb(counts.reduce((sum, [count]) => sum + count, 0), one, many)}`;
  };
  return [
    waiting ? html`<a href=${placeLink(env, "promotion")}>${some(waiting, "promotion")}</a> ${verb(waiting, "waits", "wait")} for an approval` : null,
    risen(env, found.denials),
    listed("unused", "was not used for 30 days", "were not used for 30 days"),
    listed("ending", "ends within 14 days, or has an old secret that does", "end within 14 days, or have an old secret that does"),
    listed("expired", "has expired", "have expired"),
  ].filter((one) => one !== null);
}

// So many records in two hours that the log is not read back to the hour before are worth a look too.
function risen(env, denials) {
  const { rose, is_cut: isCut, last_hour: last, hour_before: before, known_since: since } = denials;
  const text = (words) => html`<a href=${placeLink(env, "denials", [], { within: "1h" })}>${counted(last ?? 0, "denial")}</a>${words}${atThisServer(denials)}`;
  if (rose) return text(` in the last hour, after ${number(before)} in the hour before`);
  return isCut && rose === null && last ? text(` since ${instant(since)}: the decision log is not read back further, so nothing is compared`) : null;
}

function leftOut(found) {
  if (!found) return ["Only administrators see here what waits for an approval, credentials and denials."];
  const { unread, rose, known_since: since, is_cut: isCut } = found.denials;
  if (unread) return [html`Denials are not counted. ${sentence(unread)}`];
  if (rose) return [RULE];
  if (rose !== null || isCut) return [];
  return [since ? `Denials are not compared yet: the decision log begins ${instant(since)}.` : "Denials are not compared yet: the decision log has no record."];
}

/** @type {(count: number, one: string, many?: string) => string} */
const some = (count, one, many) => (count < MOST_COUNTED ? counted(count, one, many) : `${number(MOST_COUNTED)} ${many ?? `${one}s`} or more`);
const verb = (count, one, many) => (count === 1 ? one : many);
