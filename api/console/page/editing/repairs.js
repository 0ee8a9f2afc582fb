// The ways to repair a denial: each gives or changes one thing, is filled in, previewed and tried before it is offered.

import { html, nothing } from "../core/html.js";
import { countsStored } from "../core/asking.js";
import { get, path } from "../core/api.js";
import { ASSIGNMENT, GRANT, RESOURCE, SUBJECT } from "../core/kinds.js";
import { may } from "../core/session.js";
import { value } from "../core/words.js";
import { Act } from "../parts/act.js";
import { readInstant } from "../parts/instant_words.js";
import { Awaited } from "../parts/awaited.js";
import { Draft, draftOf, withMember } from "./draft.js";
import { endField } from "./element_forms.js";
import { membershipIn } from "./membership.js";
import { review } from "./review.js";
import { flips, Trial } from "./trial.js";

const MOST_GROUPS = 5; // that are tried for a question
const MOST_SOUGHT = 10; // changes for which something has to be tried
const MOST_MEMBERS = 10_000; // of a group that is tried, since all of them are sent
const MOST_ASSIGNMENTS = 100; // among which the groups of a role are sought
const UNTIL = "Friday 18:00";
const PAUSE = 400; // milliseconds after the last letter, before a changed draft is previewed again

// Returns the repairs of a denial, or null if there are none to offer. `answer` is that of `…/explain`, and `asked` is
// {request, typeIdOf}. `saved()` is called after one is made. `like` is {role, group}, the holder of another subject's access.
/** @type {(env: string, answer: any, asked: any, saved: () => void, like?: any) => Repairs | null} */
export function repairsOf(env, answer, asked, saved, like = {}) {
  const found = answer.context.explanation?.why_not;
  return answer.decision || !found || found.undeclared || !may("write") ? null : new Repairs(env, found.sets, asked, saved, like);
}

class Repairs {
  constructor(env, sets, { request, typeIdOf }, saved, like) {
    this.env = env;
    this.question = request;
    this.typeIdOf = typeIdOf;
    this.saved = saved;
    this.like = like;
    this.act = new Act();
    this.changes = sets.filter((one) => one.changes.length === 1).map((one) => one.changes[0]);
    this.sure = new Map(this.changes.map((one) => [one, this.proven(one)])); // by D11, they allow it
    this.others = new Awaited("what else would allow it", (signal) => this.seek(signal));
  }

  // Returns the drawing of the ways to make the one change of a set, or null if they are none of these.
  of({ changes: [change, ...more] }) {
    if (more.length || !this.isGiven(change)) return null;
    const offers = [...(this.sure.get(change) ?? []), ...(this.others.value?.get(change) ?? [])];
    return offers.map((one) => html`<button class="quiet" type="button" ?disabled=${this.act.isBusy} @click=${() => this.open(one)}>${one.name}…</button>`);
  }

  isGiven({ kind, change }) {
    return kind === "grant" || kind === "attribute" || (kind === "role" && change === "give");
  }

  // Returns the drawing of what went wrong, and of the words that there is nothing to offer.
  rest() {
    const isAny = (found) => [...this.sure.values(), ...found.values()].some((one) => one.length);
    const why = this.question.subject.id === undefined
      ? "To give access here, name the subject by its id."
      : "No role, no group, no grant and no stored attribute alone would allow it.";
    return html`${this.act.trouble()}${this.others.view((found) => (isAny(found) ? nothing : html`<p class="soft">${why}</p>`))}`;
  }

  proven(change) {
    const { env, question: { subject, action, resource }, typeIdOf } = this;
    if (subject.id === undefined) return [];
    const holder = { type: subject.type, id: subject.id };
    if (change.kind === "role" && change.change === "give") {
      const blank = { role: change.role, subject: holder };
      return [{ name: "Give the role until", button: "Give the role", title: `Give the role ${change.role}?`, hasEnd: true, make: async () => ending(new Draft(env, ASSIGNMENT, { blank })) }];
    }
    if (change.kind !== "grant" || resource.id === undefined) return [];
    const blank = { subject: holder, resource: { type: typeIdOf(resource.type), id: resource.id }, actions: [action.name] };
    return [{ name: "Grant it until", button: "Grant it", title: `Grant ${action.name} on ${resource.id}?`, hasEnd: true, make: async () => ending(new Draft(env, GRANT, { blank })) }];
  }

  // Returns the offers that had to be tried, by the change that they make: groups, and stored attributes.
  async seek(signal) {
    const found = new Map();
    const tried = new Set();
    for (const one of this.changes.filter((change) => this.isGiven(change)).slice(0, MOST_SOUGHT)) {
      found.set(one, one.kind === "attribute" ? await this.stored(one, signal) : await this.groups(one, tried, signal));
    }
    return found;
  }

  // A group that the role is assigned to, or that has another subject's grant.
  async groups({ kind, role }, tried, signal) {
    const { env, question, like } = this;
    const { subject } = question;
    if (subject.id === undefined) return [];
    const near = like.group && (kind === "role" ? like.role === role : !like.role) ? [like.group] : [];
    const offers = [];
    for (const id of new Set([...near, ...(kind === "role" ? await holding(env, role, signal) : [])])) {
      if (tried.has(id) || tried.size === MOST_GROUPS) continue;
      tried.add(id);
      const make = (until) => membershipIn(env, id, { type: subject.type, id: subject.id }, until);
      const draft = await make(signal);
      if (draft.isThere || draft.body.members.length > MOST_MEMBERS || !(await flips(draft, question, signal))) continue;
      offers.push({ name: `Add to the group ${id}`, button: "Add to the group", title: `Add ${subject.id} to ${id}?`, make });
    }
    return offers;
  }

  // A stored attribute, if the question counts it, and does not send another value.
  async stored({ path: member, value: wanted }, signal) {
    const at = member.indexOf(".");
    const [owner, key] = [member.slice(0, at), member.slice(at + 1)];
    const kind = { subject: SUBJECT, resource: RESOURCE }[owner];
    const { attributes, properties, type, id } = this.question[owner] ?? {};
    if (!kind || id === undefined || !countsStored(this.question) || key in { ...attributes, ...properties }) return [];
    const named = [owner === "resource" ? this.typeIdOf(type) : type, id];
    const make = async (until) => {
      const draft = await draftOf(this.env, kind, named, true, until);
      draft.body = withMember(draft.body, "attributes", withMember(draft.body.attributes ?? {}, key, wanted ?? undefined));
      return draft;
    };
    if (!(await flips(await make(signal), this.question, signal))) return [];
    const words = wanted === null ? `Take ${key} away from ${id}` : `Set ${key} of ${id} to ${value(wanted)}`;
    return [{ name: "Change the stored attribute", button: "Change the attribute", title: `${words}?`, make }];
  }

  // Opens the review of an offer, with the answer that it would give.
  async open({ make, title, button, hasEnd = false }) {
    const draft = await this.act.run(() => make());
    if (!draft) return;
    const trial = new Trial(draft, this.question);
    const extra = () => html`${hasEnd ? endField(draft, draft.faults()) : nothing}${trial.view()}`;
    const preview = review(draft, this.saved, extra, { title, button, back: "Cancel" });
    let timer = 0;
    draft.changed = () => {
      clearTimeout(timer);
      timer = setTimeout(() => (trial.again(), preview?.again()), PAUSE);
    };
  }
}

function ending(draft) {
  const { instant } = readInstant(UNTIL, { isEnd: true });
  draft.body = withMember(draft.body, "expires_at", instant);
  draft.words.set("$.expires_at", { text: UNTIL, value: instant });
  return draft;
}

// Returns the ids of groups that a role is assigned to.
async function holding(env, role, signal) {
  const { items } = await get(path`/v1/environments/${env}/assignments`, { query: { role, limit: MOST_ASSIGNMENTS }, signal });
  return items.filter((one) => one.group !== undefined).map((one) => one.group);
}
