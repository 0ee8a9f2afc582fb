// An answer with its reason and its proof: the verdict, what would allow it, and every policy that was tried.

import { html, nothing } from "../core/html.js";
import { OPERATORS } from "../core/operators.js";
import { placeLink } from "../core/place.js";
import { counted, number, value } from "../core/words.js";
import { sentence } from "./notice.js";
import { prose } from "./prose.js";
import { way } from "./way.js";
import { whyNot } from "./why_not.js";

const SHOWN_NEEDS = 4;
const OWNERS = { subject_attrs: "subject", resource_attrs: "resource", action_attrs: "action", context_attrs: "context" };
export const compared = (op) => OPERATORS[op]?.label ?? op; // the words for an operator
const OF_NOW = { gt: "is after", gte: "is not before", lt: "is before", lte: "is not after" }; // the time of the request
const MARKS = { yes: ["✓", "holds"], no: ["✕", "does not hold"], gone: ["?", "not sent"] };

// Returns the drawing of the answer of `…/explain`. There is a second proof if an actor was evaluated (A1). `asked` is the
// request, as `whyNot` takes it.
export function proof(env, answer, asked) {
  const { explanation, actor_explanation: ofOne, actor_explanations: ofSeveral, denied_for: deniedFor } = answer.context;
  const ofActors = ofSeveral ?? (ofOne ? [ofOne] : []);
  const told = (at) => (deniedFor && at === ofActors.length - 1 ? "denied" : "allowed too");
  return html`${verdict(answer)} ${way(env, answer, asked)} ${answer.decision ? nothing : allowing(env, answer, asked)}
    <h2 class="apart">Why${ofActors.length ? html`<small class="soft"> for the subject, who is allowed</small>` : nothing}</h2>${tried(env, explanation)}
    ${ofActors.map((one, at) => html`<h2 class="apart">Why<small class="soft"> for the ${ofSeveral ? `actor ${at + 1}` : "actor"}, who is ${told(at)}</small></h2>${tried(env, one)}`)}`;
}

function tried(env, explanation = { candidates: [], lacking: [] }) {
  const excluding = explanation.excluded ?? [];
  return html`${explanation.candidates.map((one) => candidate(env, one))}
    ${explanation.lacking.map((one) => lacking(env, one))}
    ${excluding.map((one) => excluded(env, one))}
    ${explanation.candidates.length + explanation.lacking.length + excluding.length ? nothing : html`<p class="soft">No policy and no grant is about this subject, action and resource.</p>`}
    ${explanation.truncated ? html`<p class="soft">The proof is longer than its limit. This is its beginning.</p>` : nothing}`;
}

// Returns the verdict in words, with its reason.
export function verdict(answer) {
  const denied = answer.context.denied_for ? "Denied for the actor" : "Denied";
  const [mood, mark, word] = answer.decision ? ["allow", "✓", "Allowed"] : ["deny", "✕", denied];
  return html`<div class="verdict ${mood}"><span class="mark" aria-hidden="true">${mark}</span>
    <div><strong>${word}</strong><p class="name">${sentence(answer.context.reason)}</p></div></div>`;
}

// Returns the drawing of the ways to allow it: the smallest changes, and behind them what each policy needs.
export function allowing(env, answer, asked) {
  const found = answer.context.explanation?.why_not;
  const needs = needed(env, answer);
  const rest = asked.repairs?.rest() ?? nothing;
  if (!found?.sets.length) return html`${found ? whyNot(env, found, asked) : nothing}${rest}${needs}`;
  return html`${whyNot(env, found, asked)}${rest}
    ${needs === nothing ? nothing : html`<details class="apart"><summary>What each policy needs</summary>${needs}</details>`}`;
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
  const through = holder?.role
    ? html`through role <code>${holder.role}</code>${holder.group ? html` of group <code>${holder.group}</code>` : nothing}`
    : one.path === "abac" ? "without a role" : one.path === "direct" ? html`by a direct grant${holder ? html` to group <code>${holder.group}</code>` : nothing}` : "";
  return html`<div class="policy"><p>${tag(one.effect)}${one.kind === "grant" ? grantLink(env, one.id) : policyLink(env, one.id)}
      <span class="soft">${through}; ${one.holds ? "holds" : "does not hold"}</span></p>
    <ul class="proof">${one.conditions.map((each) => condition(each))}</ul></div>`;
}

function lacking(env, one) {
  const roles = one.roles.map((role, at) => html`${at ? " or " : ""}<code>${role}</code>`);
  return html`<div class="policy"><p>${tag("ALLOW")}${policyLink(env, one.id)}
    <span class="soft">is not tried: the subject lacks the role ${roles}</span></p></div>`;
}

function excluded(env, one) {
  const roles = one.roles.map((role, at) => html`${at ? ", " : ""}<code>${role}</code>`);
  return html`<div class="policy"><p>${policyLink(env, one.id)}
    <span class="soft">is not tried: it leaves out the role${one.roles.length > 1 ? "s" : ""} ${roles} of the subject</span></p></div>`;
}

function condition(one) {
  const mood = one.holds ? "yes" : one.missing ? "gone" : "no"; // a DENY may hold without a required attribute (C12)
  const [mark, word] = MARKS[mood];
  return html`<li><span class="mark ${mood}" aria-hidden="true">${mark}</span>
    <span><span class="hidden">${word}: </span>${required(one)}</span>
    <span class="soft">${one.missing ? "not sent" : html`found <code>${value(one.actual)}</code>`}</span></li>`;
}

function required(one) {
  const owner = OWNERS[one.section];
  if (owner && isPresence(one)) return html`<code>${owner}.${one.key}</code> is present`;
  if (owner && one.value_of === "now") return html`<code>${owner}.${one.key}</code> ${OF_NOW[one.op] ?? one.op} the time of the request, <code>${value(one.value)}</code>`;
  if (owner) return html`<code>${owner}.${one.key}</code> ${compared(one.op)} ${constant(one)}`;
  if (one.section === "ip_allowlist") return html`<code>context.${one.key}</code> is an address in <code>${value(one.value)}</code>`;
  if (one.section === "rate_limit") {
    return html`at most ${number(one.value.limit)} in ${number(one.value.window_seconds)} seconds`;
  }
  return html`the time is in <code>${value(one.value)}</code>`;
}

const isPresence = ({ op, value: given, value_of: name }) => op === "nin" && name === undefined && Array.isArray(given) && !given.length;

function constant(one) {
  if (one.value_of === undefined) return html`<code>${value(one.value)}</code>`;
  return html`<code>${one.value_of}</code>, which is ${one.value === null ? "missing" : html`<code>${value(one.value)}</code>`}`;
}

// Returns the tag of an effect.
export function tag(effect) {
  return html`<span class="tag ${effect === "DENY" ? "deny" : "allow"}">${effect}</span>`;
}

const policyLinks = (env, ids) => ids.map((id, at) => html`${at ? ", " : ""}${policyLink(env, id)}`);
const policyLink = (env, id) => html`<a class="name" href=${placeLink(env, "policies", [id])}>${id}</a>`;
const grantLink = (env, id) => html`<a class="name" href=${placeLink(env, "grants", [id])}>${id}</a>`;
