// The people who gain and who lose by a change: how many, each number with its list, and then the gains and the losses by type and
// action, each with an example that can be tried. The service says which regions are told as one, and which conditions all share.

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
  const { gains, loses, told, reasons = [] } = people;
  const isNone = !gains.length && !loses.length && !told.unknown.length;
  return html`<div class="people"><h3>Who gains and who loses</h3>
    ${isNone ? html`<p><span class="mark yes" aria-hidden="true">✓</span>No effect: no subject gains or loses anything.</p>` : nothing}
    ${total(env, gains, GAINS, isApart)}${total(env, loses, LOSES, isApart)}
    ${told.shared.length ? html`<p>Each change below happens only</p>${conditionList(told.shared.map(prose))}` : nothing}
    ${regions(env, toldOf(people, GAINS), GAINS, isApart)}${regions(env, toldOf(people, LOSES), LOSES, isApart)}
    ${told.unknown.length ? html`<p><span class="tag warn">! not known</span>This part could not be worked out, so there may be more:</p>
      <ul>${told.unknown.map((one) => html`<li>${prose(one.pairs)}: ${prose(one.reason)}</li>`)}</ul>` : nothing}
    ${reasons.length ? html`<p class="soft">Only the reason of the answer changes ${joined(reasons.map((one) => html`for ${pair(one)} (${one.count === null ? "not counted" : number(one.count)})`))}.</p>` : nothing}
  </div>`;
}

// Returns the drawing of the regions of `…/who-can`: who can do it, under which conditions.
export const regionsOf = (env, found) => found.map((one) => region(env, one, false));

const GAINS = { mood: "allow", mark: "+", verb: "gains", many: "gain" };
const LOSES = { mood: "deny", mark: "−", verb: "loses", many: "lose" };

// A type of subjects that is no plain word is drawn as code, so that it says nothing else.
const typeName = (type) => (/^[\p{L}\p{N}_.:/-]{1,80}$/u.test(type) ? type : html`<code>${type}</code>`);
const pair = (one) => html`<code>${one.action}</code> on <code>${one.resource_type}</code>`;

// Returns the regions that gain, or lose: those that are told as one by the first, with the resources of all.
const toldOf = ({ told, ...people }, { verb }) => told.regions.filter((one) => one.verb === verb)
  .map(({ regions: [first], pairs, when, resources }) => ({ ...people[verb][first], pairs, when, resources }));

const MOST_NAMES = 500; // of a list of people, so that a browser stays quick

// Returns how many people gain, or lose, anything: each once, whatever they gain. The number opens their list. Where the answer
// leaves names out, some of them may be the same in two regions, so it says "at least".
function total(env, found, { mood, mark, verb, many }, isApart) {
  const named = new Map(found.flatMap(({ subjects }) => subjects).map((one) => [JSON.stringify([one.type, one.id]), one]));
  if (!named.size) return nothing;
  const cut = found.filter((one) => one.subject_count > one.subjects.length);
  const isCut = cut.length > 0 && found.length > 1;
  const least = Math.max(named.size, ...cut.map((one) => one.subject_count));
  const shown = [...named.values()].slice(0, MOST_NAMES).map((one) => personName(env, one, isApart));
  const left = least - shown.length;
  const rest = [...(left || isCut ? [left > 0 ? `${number(left)} more` : "perhaps more"] : []), ...(found.some((one) => one.others) ? ["others, as below"] : [])];
  return html`<details class="total"><summary><span class="tag ${mood}">${mark}</span>${isCut ? "at least " : ""}${counted(least, "subject")}
      ${least === 1 ? verb : many} something</summary><p class="name">${joined([...shown, ...rest])}</p></details>`;
}

function regions(env, all, sign, isApart) {
  const [first, more] = [all.slice(0, SHOWN_REGIONS), all.slice(SHOWN_REGIONS)];
  return html`${byPair(env, first, sign, isApart)}
    ${more.length ? html`<details><summary>Show ${counted(more.length, "more", "more")}</summary>${byPair(env, more, sign, isApart)}</details>` : nothing}`;
}

function byPair(env, all, { mood, mark, verb }, isApart) {
  return [...new Set(all.map((one) => one.pairs))].map((pairs) => all.filter((one) => one.pairs === pairs)).map((found) => html`<h4><span
      class="tag ${mood}">${mark} ${verb}</span>${prose(found[0].pairs)}</h4>
    ${found.map((one) => region(env, one, isApart))}`);
}

const region = (env, one, isApart) => html`<div class="region">${who(env, one, isApart)}
  ${conditions(one)}
  <p class="soft">${one.roles.length ? html`By the role ${joined(one.roles.map((role) => html`<code>${role}</code>`), "or")}. ` : nothing}
    ${one.resources === null ? nothing : `On ${counted(one.resources, "registered resource")}. `}${example(env, one, isApart)}</p></div>`;

function conditions({ when, resource_name: name }) {
  const all = when.map(prose);
  if (name) all.push(html`the request names the resource by the ${name.kind.replaceAll("_", " ")} <code>${name.value}</code>`);
  return all.length ? conditionList(all) : nothing;
}

const conditionList = (all) => html`<ul>${all.map((one, at) => html`<li>${at ? "and" : "if"} ${one}</li>`)}</ul>`;

// Returns who changes: the first names, and a number that opens the others. It says how many names the answer leaves out.
function who(env, { subjects, subject_count: count, others, everyone: all }, isApart) {
  const name = (one) => personName(env, one, isApart);
  const [first, more] = [subjects.slice(0, SHOWN_SUBJECTS), subjects.slice(SHOWN_SUBJECTS, MOST_NAMES)];
  const cut = count - first.length - more.length;
  const everyone = others ? [count ? "everyone else" : all ? "Everyone" : "Everyone else"] : [];
  const unnamed = cut ? [`${number(cut)} more`] : [];
  if (!more.length) return html`<p class="name">${joined([...first.map(name), ...unnamed, ...everyone])}</p>`;
  return html`<p class="name">${joined([...first.map(name), ...everyone])}</p>
    <details><summary>and ${number(count - first.length)} more</summary>
      <p class="name">${joined([...more.map(name), ...unnamed])}</p></details>`;
}

const personName = (env, one, isApart) => html`${typeName(one.type)} ${isApart ? html`<code>${one.id}</code>` : link(env, "subjects", [one.type, one.id])}${
  one.external_id === undefined ? nothing : html` as external id <code>${one.external_id}</code>`}`;

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
