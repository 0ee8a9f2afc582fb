// The people who gain and who lose by a change: the gains first, by type and action, each with an example that can be tried.

import { html, nothing } from "../core/html.js";
import { questionLink } from "../core/asking.js";
import { counted, instant, joined, number, value } from "../core/words.js";
import { prose } from "../parts/prose.js";
import { link } from "./phrases.js";

const SHOWN_SUBJECTS = 10; // of a region, before the others are asked for
const SHOWN_REGIONS = 20;

// Returns the drawing of the `people` of an answer. Where links would leave a dialog with unsaved work, `isApart` opens them
// in another window.
/** @type {(env: string, people: any, how?: {isApart?: boolean}) => Drawing} */
export function effectOnPeople(env, people, { isApart = false } = {}) {
  if (!people) return nothing;
  const { gains, loses, unknown, reasons = [] } = people;
  const isNone = !gains.length && !loses.length && !unknown.length;
  return html`<div class="people"><h3>Who gains and who loses</h3>
    ${isNone ? html`<p><span class="mark yes" aria-hidden="true">✓</span>No effect: no subject gains or loses anything.</p>` : nothing}
    ${regions(env, gains, GAINS, isApart)}${regions(env, loses, LOSES, isApart)}
    ${unknown.length ? html`<p><span class="tag warn">! not known</span>This part could not be worked out, so there may be more:</p>
      <ul>${unknown.map((one) => html`<li>${pair(one)}: ${prose(one.reason)}</li>`)}</ul>` : nothing}
    ${reasons.length ? html`<p class="soft">Only the reason of the answer changes ${joined(reasons.map((one) => html`for ${pair(one)} (${one.count === null ? "not counted" : number(one.count)})`))}.</p>` : nothing}
  </div>`;
}

// Returns the drawing of the regions of `…/who-can`: who can do it, under which conditions.
export const regionsOf = (env, found) => found.map((one) => region(env, one, false));

const GAINS = { mood: "allow", mark: "+", verb: "gains" };
const LOSES = { mood: "deny", mark: "−", verb: "loses" };

// A type of subjects that is no plain word is drawn as code, so that it says nothing else.
const typeName = (type) => (/^[\p{L}\p{N}_.:/-]{1,80}$/u.test(type) ? type : html`<code>${type}</code>`);
const pair = (one) => html`<code>${one.action}</code> on <code>${one.resource_type}</code>`;

function regions(env, all, sign, isApart) {
  const [first, more] = [all.slice(0, SHOWN_REGIONS), all.slice(SHOWN_REGIONS)];
  return html`${byPair(env, first, sign, isApart)}
    ${more.length ? html`<details><summary>Show ${counted(more.length, "more", "more")}</summary>${byPair(env, more, sign, isApart)}</details>` : nothing}`;
}

function byPair(env, all, { mood, mark, verb }, isApart) {
  const keyOf = (one) => JSON.stringify([one.resource_type, one.action]);
  return [...new Set(all.map(keyOf))].map((key) => all.filter((one) => keyOf(one) === key)).map((found) => html`<h4><span
      class="tag ${mood}">${mark} ${verb}</span>${pair(found[0])}</h4>
    ${found.map((one) => region(env, one, isApart))}`);
}

const region = (env, one, isApart) => html`<div class="region">${who(env, one, isApart)}
  ${conditions(one)}
  <p class="soft">${one.roles.length ? html`By the role ${joined(one.roles.map((role) => html`<code>${role}</code>`), "or")}. ` : nothing}
    ${one.resources === null ? nothing : `On ${counted(one.resources, "registered resource")}. `}${example(env, one, isApart)}</p></div>`;

function conditions({ when, resource_name: name }) {
  const all = when.map(prose);
  if (name) all.push(html`the request names the resource by the ${name.kind.replaceAll("_", " ")} <code>${name.value}</code>`);
  return all.length ? html`<ul>${all.map((one, at) => html`<li>${at ? "and" : "if"} ${one}</li>`)}</ul>` : nothing;
}

// Returns who changes: names, those behind the first ones on demand, and the number of those that the answer leaves out.
function who(env, { subjects, subject_count: count, others }, isApart) {
  const name = (one) => html`${typeName(one.type)} ${isApart ? html`<code>${one.id}</code>` : link(env, "subjects", [one.type, one.id])}${
    one.external_id === undefined ? nothing : html` as external id <code>${one.external_id}</code>`}`;
  const [first, more] = [subjects.slice(0, SHOWN_SUBJECTS), subjects.slice(SHOWN_SUBJECTS)];
  const [left, cut] = [count - first.length, count - subjects.length];
  const rest = [...(left ? [`${number(left)} more`] : []), ...(others ? [count ? "everyone else" : "Everyone"] : [])];
  return html`<p class="name">${joined([...first.map(name), ...rest])}</p>
    ${more.length ? html`<details><summary>Show ${number(more.length)} of them</summary>
      <p class="name">${joined([...more.map(name), ...(cut ? [`${number(cut)} more`] : [])])}</p></details>` : nothing}`;
}

// The witness: the old and the new model answer it differently. “Try” answers with the model that is in force.
function example(env, { witness, now }, isApart) {
  const tried = questionLink(env, "try", witness);
  return html`For example, ${asked(witness)}${now === undefined ? nothing : html`, at <time datetime=${now}>${instant(now)}</time>`}:
    <a href=${tried} target=${isApart ? "_blank" : nothing}>try this example</a>`;
}

function asked({ subject, action, resource, context = {} }) {
  const named = (one) => html`${typeName(one.type)} <code>${one.id ?? one.external_id ?? one.name}</code>`;
  const bags = Object.entries({ subject: subject.properties, action: action.properties, resource: resource.properties, context });
  const sent = bags.flatMap(([owner, bag]) => Object.entries(bag ?? {}).map(([key, given]) => html`<code>${owner}.${key}</code> <code>${value(given)}</code>`));
  return html`<code>${action.name}</code> by ${named(subject)} on ${named(resource)}${sent.length ? html` with ${joined(sent)}` : nothing}`;
}
