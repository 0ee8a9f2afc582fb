// The way of access as a picture: from the subject over groups, role and policy or grant to the resource, with its broken link.
//
// It is an ordered list, so a reader hears the way from its beginning, and each step is a link.

import { html, nothing } from "../core/html.js";
import { placeLink } from "../core/place.js";
import { counted } from "../core/words.js";

// Returns the drawing of the way that decided, or of the one that is nearest to an access. `answer` is that of `…/explain`.
export function way(env, answer, { request, typeIdOf }) {
  const { explanation, denied_for: deniedFor } = answer.context;
  if (!explanation || deniedFor) return nothing; // two proofs tell the way of a subject and of its actor
  const led = between(env, answer.decision, explanation);
  const end = { ...resourceStep(env, request.resource, typeIdOf), ...(led.length ? {} : { broken: "no policy and no grant leads to" }) };
  const steps = [subjectStep(env, request.subject), ...led, end];
  const at = steps.findIndex((one) => one.broken);
  return html`<ol class="way" aria-label="Way of access">${steps.map((one, number) => step(one, at >= 0 && number > at))}</ol>`;
}

function step({ link, name, kind, broken }, isBehind) {
  const sign = broken ? html`<span class="mark no" aria-hidden="true">✕</span><span class="hidden">broken: </span>${broken}` : link;
  return html`<li class=${isBehind ? "behind" : broken ? "broken" : ""}>${sign ? html`<span class="by">${sign}</span>` : nothing}
    <span class="stop"><span class="soft">${kind}</span> ${name}</span></li>`;
}

// The steps over groups and roles. Each says how the one before leads to it, or why it does not.
function between(env, isAllowed, { candidates, lacking }) {
  const one = nearest(isAllowed, candidates);
  if (one) return [...holderSteps(env, one), ruleStep(env, one, isAllowed)];
  if (!lacking.length) return [];
  const [{ id, roles: [role] }] = lacking;
  return [{ kind: "role", name: elementLink(env, "roles", role), broken: "does not hold" }, { kind: "policy", name: elementLink(env, "policies", id), link: "is named by" }];
}

// A denial goes the way of the DENY that holds, or else that of the ALLOW with the fewest conditions that don't.
function nearest(isAllowed, candidates) {
  const holding = candidates.find((one) => one.holds && (one.effect === "DENY") === !isAllowed);
  const failing = (one) => one.conditions.filter((each) => !each.holds).length;
  return holding ?? candidates.filter((one) => one.effect !== "DENY").sort((one, other) => failing(one) - failing(other))[0];
}

function holderSteps(env, { held_by: holder }) {
  const steps = [];
  if (holder?.group) steps.push({ kind: "group", name: elementLink(env, "groups", holder.group), link: "is a member of" });
  if (holder?.role) steps.push({ kind: "role", name: elementLink(env, "roles", holder.role), link: "holds" });
  return steps;
}

function ruleStep(env, one, isAllowed) {
  const isGrant = one.kind === "grant";
  const name = elementLink(env, isGrant ? "grants" : "policies", one.id);
  const failing = one.conditions.filter((each) => !each.holds).length;
  const link = isGrant ? "has" : one.held_by?.role ? "is named by" : "is one of all, whom this is about:";
  if (isAllowed) return { kind: isGrant ? "grant" : "policy", name, link };
  if (one.effect === "DENY") return { kind: "policy", name, broken: "is denied by" };
  return { kind: isGrant ? "grant" : "policy", name, broken: failing ? `${counted(failing, "condition does", "conditions do")} not hold in` : "is not enough:" };
}

const elementLink = (env, page, id) => html`<a class="name" href=${placeLink(env, page, [id])}>${id}</a>`;
const nameOf = (entity) => entity.id ?? entity.external_id ?? entity.name ?? "";

function subjectStep(env, subject) {
  const name = nameOf(subject);
  return { kind: subject.type, name: subject.id === undefined ? html`<code>${name}</code>` : html`<a class="name" href=${placeLink(env, "subjects", [subject.type, subject.id])}>${name}</a>` };
}

function resourceStep(env, resource, typeIdOf) {
  const name = nameOf(resource);
  const page = placeLink(env, "resources", [typeIdOf(resource.type), resource.id ?? ""]);
  return { kind: resource.type, name: resource.id === undefined ? html`<code>${name}</code>` : html`<a class="name" href=${page}>${name}</a>`, link: "about" };
}
