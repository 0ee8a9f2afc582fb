// An answer with its reason and its proof: the verdict, what would allow it, and every policy that was tried.

import { html, nothing } from "../vendor/lit-html.js";
import { OPERATORS } from "../core/operators.js";
import { placeLink } from "../core/place.js";
import { counted, number, value } from "../core/words.js";
import { sentence } from "./notice.js";
import { prose } from "./prose.js";

const SHOWN_NEEDS = 4;
const OWNERS = { subject_attrs: "subject", resource_attrs: "resource", action_attrs: "action", context_attrs: "context" };
export const compared = (op) => OPERATORS[op]?.label ?? op; // the words for an operator
const MARKS = { yes: ["✓", "holds"], no: ["✕", "does not hold"], gone: ["?", "not sent"] };

// Returns the drawing of the answer of `…/explain`.
export function proof(env, answer) {
  const { context } = answer;
  const explanation = context.explanation ?? { candidates: [], lacking: [] };
  return html`${verdict(answer)} ${answer.decision ? nothing : needed(env, answer)}
    <h2 class="apart">Why</h2>
    ${explanation.candidates.map((one) => candidate(env, one))}
    ${explanation.lacking.map((one) => lacking(env, one))}
    ${explanation.candidates.length + explanation.lacking.length ? nothing : html`<p class="soft">No policy and no grant is about this subject, action and resource.</p>`}
    ${explanation.truncated ? html`<p class="soft">The proof is longer than its limit. This is its beginning.</p>` : nothing}`;
}

// Returns the verdict in words, with its reason.
export function verdict(answer) {
  const [mood, mark, word] = answer.decision ? ["allow", "✓", "Allowed"] : ["deny", "✕", "Denied"];
  return html`<div class="verdict ${mood}"><span class="mark" aria-hidden="true">${mark}</span>
    <div><strong>${word}</strong><p class="name">${sentence(answer.context.reason)}</p></div></div>`;
}

function needed(env, { needs = [], overridden_by: denials = [] }) {
  if (!needs.length && !denials.length) return nothing;
  const [first, more] = [needs.slice(0, SHOWN_NEEDS), needs.slice(SHOWN_NEEDS)];
  const any = needs.length > 1 ? "one of these policies must hold" : "this policy must hold";
  return html`<div class="todo">
    ${denials.length ? html`<p><b>It stays denied</b> as long as ${policyLinks(env, denials)} ${denials.length > 1 ? "hold" : "holds"}.</p>` : nothing}
    ${needs.length ? html`<p><b>${denials.length ? "Apart from that" : "To allow it"}</b>, ${any}:</p>` : nothing}
    ${first.map((one) => need(env, one))}
    ${more.length ? html`<details><summary>Show ${counted(more.length, "more", "more")}</summary>${more.map((one) => need(env, one))}</details>` : nothing}
  </div>`;
}

function need(env, one) {
  if (one.missing.length === 1) return html`<p>${policyLink(env, one.id)} needs: <span class="name">${prose(one.missing[0])}</span></p>`;
  return html`<p>${policyLink(env, one.id)} needs all of these:</p>
    <ul>${one.missing.map((text) => html`<li class="name">${prose(text)}</li>`)}</ul>`;
}

function candidate(env, one) {
  const holder = one.held_by;
  const through = holder
    ? html`through role <code>${holder.role}</code>${holder.group ? html` of group <code>${holder.group}</code>` : nothing}`
    : one.path === "abac" ? "for everyone" : one.path === "direct" ? "by a direct grant" : "";
  return html`<div class="policy"><p>${tag(one.effect)}${one.kind === "grant" ? grantLink(env, one.id) : policyLink(env, one.id)}
      <span class="soft">${through}; ${one.holds ? "holds" : "does not hold"}</span></p>
    <ul class="proof">${one.conditions.map((each) => condition(each))}</ul></div>`;
}

function lacking(env, one) {
  const roles = one.roles.map((role, at) => html`${at ? " or " : ""}<code>${role}</code>`);
  return html`<div class="policy"><p>${tag("ALLOW")}${policyLink(env, one.id)}
    <span class="soft">is not tried: the subject lacks the role ${roles}</span></p></div>`;
}

function condition(one) {
  const mood = one.missing ? "gone" : one.holds ? "yes" : "no";
  const [mark, word] = MARKS[mood];
  return html`<li><span class="mark ${mood}" aria-hidden="true">${mark}</span>
    <span><span class="hidden">${word}: </span>${required(one)}</span>
    <span class="soft">${one.missing ? "not sent" : html`found <code>${value(one.actual)}</code>`}</span></li>`;
}

function required(one) {
  const owner = OWNERS[one.section];
  if (owner) return html`<code>${owner}.${one.key}</code> ${compared(one.op)} <code>${value(one.value)}</code>`;
  if (one.section === "ip_allowlist") return html`<code>context.${one.key}</code> is an address in <code>${value(one.value)}</code>`;
  if (one.section === "rate_limit") {
    return html`at most ${number(one.value.limit)} in ${number(one.value.window_seconds)} seconds`;
  }
  return html`the time is in <code>${value(one.value)}</code>`;
}

// Returns the tag of an effect.
export function tag(effect) {
  return html`<span class="tag ${effect === "DENY" ? "deny" : "allow"}">${effect}</span>`;
}

const policyLinks = (env, ids) => ids.map((id, at) => html`${at ? ", " : ""}${policyLink(env, id)}`);
const policyLink = (env, id) => html`<a class="name" href=${placeLink(env, "policies", [id])}>${id}</a>`;
const grantLink = (env, id) => html`<a class="name" href=${placeLink(env, "grants", [id])}>${id}</a>`;
