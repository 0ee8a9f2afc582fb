// The smallest sets of changes that would allow a denied request (D11), by who can make them, with the ways to make them.

import { html, nothing } from "../core/html.js";
import { questionLink } from "../core/asking.js";
import { isObject } from "../core/exact.js";
import { placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { counted, joined, value } from "../core/words.js";
import { askingWords } from "./window_words.js";

const SHOWN_SETS = 10;
const NAMES = { caller: "the caller", owner: "the owner of the resource", administrator: "an administrator", person: "another person" };
const TOGETHER = "By several together";

// Returns the drawing of a `why_not`. `asked` is {request, typeIdOf(name)}: the request that was denied, and the way to a type's id.
// Its `repairs` may make single changes in place.
/** @type {(env: string, found: any, asked: any) => Drawing} */
export function whyNot(env, found, asked) {
  if (found.undeclared) return nothing;
  const { sets } = found;
  if (!sets.length) return html`${found.complete ? html`<p class="soft">No set of up to ${counted(found.up_to, "change")} would allow it.</p>` : untried}`;
  const [first, more] = [sets.slice(0, SHOWN_SETS), sets.slice(SHOWN_SETS)];
  return html`<div class="todo"><p><b>To allow it</b>, ${sets.length > 1 ? "each of these alone is enough" : "this is enough"}:</p>
    ${grouped(env, first, asked)}
    ${more.length ? html`<details><summary>Show ${counted(more.length, "more", "more")}</summary>${grouped(env, more, asked)}</details>` : nothing}
    ${found.complete ? nothing : untried}</div>`;
}

const untried = html`<p class="soft">There may be other changes: not all were tried.</p>`;

function grouped(env, sets, asked) {
  const titleOf = ({ who }) => (who.length > 1 ? TOGETHER : `By ${NAMES[who[0]]}`);
  return [...new Set(sets.map(titleOf))].map((title) => [title, sets.filter((one) => titleOf(one) === title)]).map(([title, members]) => html`<h3>${title}</h3>
    <ul>${members.map((one) => html`<li><p>${words(env, one)}.</p><p class="actions">${ways(env, one, asked)}</p></li>`)}</ul>`);
}

function words(env, { who, changes }) {
  const nameOf = (name, at) => (at ? NAMES[name] : NAMES[name][0].toUpperCase() + NAMES[name].slice(1));
  return joined(who.map((name, at) => html`${nameOf(name, at)} ${joined(changes.filter((one) => one.who === name).map((one) => change(env, one)))}`));
}

function change(env, one) {
  const link = (page, id) => html`<a class="name" href=${placeLink(env, page, [id])}>${id}</a>`;
  if (one.kind === "person") return one.id === undefined ? "with the same roles asks" : html`with the same roles, such as <code>${one.id}</code>, asks`;
  if (one.kind === "time") return time(one);
  if (one.kind === "address") return html`asks from ${one.blocks.length ? joined(one.blocks.map((block) => html`<code>${block}</code>`), "or") : "another address"}`;
  if (one.kind === "attribute" && one.value_hidden) return html`sets <code>${one.path}</code> to a value that is not shown here`;
  if (one.kind === "attribute" && one.value === null) return html`takes <code>${one.path}</code> away`;
  if (one.kind === "attribute") return html`sets <code>${one.path}</code> to <code>${value(one.value)}</code>`;
  if (one.kind === "role") return one.change === "take" ? html`takes the role ${link("roles", one.role)} from the subject` : html`gives the subject the role ${link("roles", one.role)}`;
  if (one.kind === "policy") return html`disables the policy ${link("policies", one.policy)}`;
  return one.kind === "register" ? "registers the resource" : "grants the action on the resource to the subject";
}

// Returns the time at which to ask: the windows of policies, or else an instant that suffices.
function time({ windows, value: instant, value_hidden: isHidden }) {
  if (windows.length) return html`asks ${joined(windows.map(askingWords))}`;
  return isHidden ? "asks at another time" : html`asks at another time, such as <time datetime=${instant}>${instant}</time>`;
}

// The ways to make the changes of a set: the request with all of its attributes, and a form for each other change.
function ways(env, one, { request, typeIdOf, repairs }) {
  const { changes } = one;
  const attributes = changes.filter((each) => each.kind === "attribute" && !each.value_hidden);
  const isOfAnother = changes.some((each) => each.kind === "person");
  const filled = questionLink(env, "try", withAttributes(request, attributes));
  return html`${attributes.length ? html`<a class="button quiet" href=${filled}>Fill in the request</a>` : nothing}
    ${isOfAnother && may("read") ? html`<a class="button quiet" href=${questionLink(env, "who-can", ofAnyone(request))}>See who can</a>` : nothing}
    ${may("write") ? (repairs?.of(one) ?? changes.map((each) => form(env, each, request, typeIdOf))) : nothing}`;
}

// The question of whom to ask, for those who may read the model: a name of it would tell the others about people.
const ofAnyone = ({ subject, ...request }) => ({ ...request, subject: { type: subject.type } });

function form(env, one, { subject, action, resource }, typeIdOf) {
  const way = (name, page, given, query = {}) => html`<a class="button quiet" href=${placeLink(env, page, given, query)}>${name}</a>`;
  const holder = { "subject.type": subject.type, "subject.id": subject.id };
  const type = typeIdOf(resource.type);
  if (one.kind === "policy") return way("Edit the policy", "policies", [one.policy], { edit: "yes", enabled: "no" });
  if (one.kind === "register") return way("Register the resource", "resources", [], { new: "yes", type, id: resource.id });
  if (one.kind === "grant") {
    return way("Grant it", "grants", [], { new: "yes", ...holder, "resource.type": type, "resource.id": resource.id, actions: action.name });
  }
  if (one.kind === "role" && one.change === "give") return way("Give the role", "assignments", [], { new: "yes", role: one.role, ...holder });
  if (subject.id === undefined || one.who !== "administrator") return nothing;
  return way(one.kind === "role" ? "Open what the subject holds" : "Edit the subject", "subjects", [subject.type, subject.id]);
}

// Returns a request with attributes under their whole keys, which count before paths (C1). Null takes one away (C2).
export function withAttributes(request, changes) {
  let changed = { ...request };
  for (const { path, value: given } of changes) {
    const at = path.indexOf(".");
    const [owner, key] = [path.slice(0, at), path.slice(at + 1)];
    if (owner === "context") changed = { ...changed, context: { ...members(changed.context), [key]: given } };
    else {
      const { attributes, properties, ...entity } = changed[owner];
      changed = { ...changed, [owner]: { ...entity, properties: { ...members(attributes), ...members(properties), [key]: given } } };
    }
  }
  return changed;
}

const members = (given) => (isObject(given) ? given : {});
