// The notices of a page: an error in the words of the API, that there is nothing yet, or that it is done.

import { html, nothing } from "../core/html.js";
import { RATE_LIMIT } from "../core/asking.js";
import { joined } from "../core/words.js";
import { prose } from "./prose.js";

// Returns the drawing of a problem: the service's sentence, its findings, and the request's id. `retry` asks again.
/** @type {(problem: any, retry?: (() => unknown) | null) => Drawing} */
export function failure(problem, retry = null) {
  if (problem.name === "AbortError") {
    return notice("warn", html`<p>Cancelled.</p>${retry && again(retry)}`);
  }
  const details = problem.details ?? [];
  return notice(
    "bad",
    html`<p>${sentence(problem.message)}</p>
      ${details.length ? html`<ul>${details.map(finding)}</ul>` : nothing}
      ${problem.requestId ? html`<p class="soft">Request <code>${problem.requestId}</code></p>` : nothing}
      ${retry && again(retry)}`,
  );
}

// Returns a notice: `mood` is "bad", "warn", "good" or "plain".
export function notice(mood, content) {
  const [mark, word] = { bad: ["✕", "Error"], warn: ["!", "Warning"], good: ["✓", "Done"], plain: ["i", "Note"] }[mood];
  return html`<div class="notice ${mood}" role=${mood === "bad" ? "alert" : "status"}>
    <span class="mark" aria-hidden="true">${mark}</span>
    <div><span class="hidden">${word}: </span>${content}</div>
  </div>`;
}

// Returns what stands in the place of a list without entries: what would be here, and the first step.
/** @type {(text: Drawing, step?: Drawing) => Drawing} */
export function nothingYet(text, step = nothing) {
  return html`<div class="empty"><p>${text}</p>${step}</div>`;
}

// Returns what an answer depends on and its question did not give, such as `context.mfa`, or nothing.
export function leftOpen(names) {
  if (!names?.length) return nothing;
  const attributes = names.filter((one) => one !== RATE_LIMIT);
  return html`${attributes.length ? html`<p><span class="tag warn">if …</span>The question leaves open: ${joined(attributes.map((one) => html`<code>${one}</code>`))}. If a request says more, the answer may be another one.</p>` : nothing}
    ${names.includes(RATE_LIMIT) ? html`<p><span class="tag warn">if …</span>This has a rate limit, which counts evaluations. A list does not decide it.</p>` : nothing}`;
}

// Returns the drawing of a sentence of the API, with a capital letter and a full stop.
export function sentence(text) {
  if (!text) return text;
  const first = /^[a-z]/.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
  return prose(/[.!?…]$/.test(first) ? first : `${first}.`);
}

const again = (retry) => html`<p><button class="quiet" type="button" @click=${retry}>Try again</button></p>`;

// An element that prevents a change is told by its sentence: its path may be an id that the service made.
const NAMED = ["in-use", "equal-grant"];

function finding(detail) {
  const place = NAMED.includes(detail.code) ? null : detail.line ? `line ${detail.line}, column ${detail.column}` : detail.path;
  return html`<li>${place ? html`<code>${place}</code> ` : nothing}${sentence(detail.message)}
    ${detail.help ? html`<span class="soft">${sentence(detail.help)}</span>` : nothing}</li>`;
}
