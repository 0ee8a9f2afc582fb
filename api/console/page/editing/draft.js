// An element that is being edited: what is stored, what the user wants, and how to write the one over the other.

import { call, path, Refused } from "../core/api.js";
import { isSame } from "../core/exact.js";
import { placeLink } from "../core/place.js";
import { update } from "../core/update.js";
import { Act } from "../parts/act.js";
import { noteDone } from "../parts/done.js";
import { successorOf } from "./order.js";

// Returns the path of an element in the API. `key` are the values of its key. Throws Refused for an address that has more
// or fewer of them: its path would lead to something else.
export function elementPath(env, kind, key) {
  if (key.length !== kind.key.length) {
    throw new Refused(`This address names no ${kind.noun}: after the page come ${kind.key.join(" and ")}.`, 0, [], null);
  }
  return path`/v1/environments/${env}/${kind.segment}` + key.map((one) => path`/${one}`).join("");
}

// Returns whether a refusal says that there is no such element. Any other thing on the way may be missing as well, and
// such a refusal says nothing about the element.
export const isAbsent = (problem, kind) => problem.status === NOT_FOUND && problem.message.startsWith(`there is no ${kind.noun} \``);

// Returns the key of an element: ["editor"], or ["user", "alice"].
export const keyOf = (kind, body) => kind.key.map((name) => body[name]);

// Returns the address of an element's page.
export const elementLink = (env, kind, key) => placeLink(env, kind.page ?? kind.segment, key);

const CREATED = 201;
const NOT_FOUND = 404;

export class Draft {
  // `stored` and `etag` are those of the element in the service, or null for a new element, which begins as `blank`.
  /**
   * @param {string} env
   * @param {Kind} kind
   * @param {{stored?: ModelElement | null, etag?: string | null, blank?: ModelElement}} given
   */
  constructor(env, kind, { stored = null, etag = null, blank = {} }) {
    this.env = env;
    this.kind = kind;
    /** @type {ModelElement | null} */
    this.stored = stored;
    /** @type {string | null} */
    this.etag = etag;
    this.body = stored ?? blank;
    this.began = this.body;
    /** @type {Map<string, string>} */
    this.local = new Map(); // what can't be sent, by the path of its field
    /** @type {Map<string, {text: string, value: any}>} */
    this.words = new Map(); // what is written for an instant, by the path of its field
    /** @type {Record<string, any>} */
    this.query = {}; // what goes with the write: a route's `before`
    /** @type {{stored: ModelElement, etag: string | null} | null} */
    this.theirs = null; // {stored, etag} of an element that somebody else has changed meanwhile
    this.act = new Act();
    this.changed = () => {}; // called after each change of the body by a field
  }

  get isNew() {
    return this.stored === null;
  }

  get isChanged() {
    return !isSame(this.body, this.began) || this.local.size > 0 || Object.keys(this.query).length > 0;
  }

  // Gives a member another value; undefined leaves it out. Objects are replaced, never changed, so drawings notice.
  set(name, value) {
    this.body = withMember(this.body, name, value);
    this.changed();
    update();
  }

  // Returns the change that the draft is, as the API takes it to preview or to try it. `element` is what the stored one becomes.
  /** @type {(element?: ModelElement | null) => any} */
  change(element = this.body) {
    const key = this.isNew ? {} : Object.fromEntries(this.kind.key.map((name) => [name, this.stored?.[name]]));
    return { kind: this.kind.name, ...key, element };
  }

  // Gives the whole body another value, which is no object.
  replace(body) {
    this.body = body;
    this.changed();
    update();
  }

  // Notes that a field's text can't be read, or that it can be now (null).
  /** @type {(at: string, message: string | null) => void} */
  fault(at, message) {
    if (message === null) this.local.delete(at);
    else this.local.set(at, message);
  }

  // Returns the faults: those that the page found itself, and those of the last answer.
  /** @returns {Fault[]} */
  faults() {
    const own = Array.from(this.local, ([at, message]) => ({ path: at, message }));
    return [...own, ...(this.act.problem?.details ?? [])];
  }

  // Writes the draft. Returns the answer, or undefined if the service refused it. Notes how to undo it.
  async save() {
    let follows = null; // the route before which a moved one stood
    const answer = await this.act.run(async () => {
      if (this.stored && this.query.before) follows = await successorOf(this.env, this.kind, this.stored.id);
      return this.write();
    });
    if (answer === undefined) {
      if (this.act.problem?.status === 412) await this.readTheirs();
      return undefined;
    }
    const [former, made] = [this.stored, answer.data];
    const link = elementLink(this.env, this.kind, keyOf(this.kind, made));
    noteDone({ link, ...this.undoing(former, answer, follows) });
    [this.stored, this.body, this.began, this.etag, this.query] = [made, made, made, answer.etag, {}];
    this.words.clear();
    return answer;
  }

  write() {
    const { query } = this;
    if (this.isNew && this.kind.isOne) {
      return call("PUT", elementPath(this.env, this.kind, []), { body: JSON.stringify(this.body), headers: { "If-None-Match": "*" } });
    }
    if (this.isNew) {
      return call("POST", path`/v1/environments/${this.env}/${this.kind.segment}`, { body: this.body, query });
    }
    const where = elementPath(this.env, this.kind, keyOf(this.kind, this.stored));
    return call("PUT", where, { body: JSON.stringify(this.body), query, headers: { "If-Match": this.etag ?? "" } });
  }

  undoing(former, { data: made, etag, status }, follows) {
    const where = elementPath(this.env, this.kind, keyOf(this.kind, made));
    const headers = { "If-Match": etag ?? "" };
    if (former === null && status !== CREATED) return { text: `This ${this.kind.noun} was there already` };
    if (former === null) {
      const leadsTo = this.kind.isOne ? null : placeLink(this.env, this.kind.segment); // it stands on the page that is open
      return { text: `The ${this.kind.noun} is created`, undo: () => call("DELETE", where, { headers }), leadsTo };
    }
    const isLast = this.query.before && follows === null; // nothing puts a route behind all others
    const undo = () => call("PUT", where, { body: JSON.stringify(former), headers, query: { before: follows } });
    return { text: `The ${this.kind.noun} is saved`, undo: isLast ? null : undo };
  }

  async readTheirs() {
    const where = elementPath(this.env, this.kind, keyOf(this.kind, this.stored));
    try {
      const found = await call("GET", where);
      this.theirs = { stored: found.data, etag: found.etag };
    } catch (problem) {
      this.act.problem = problem; // it may be deleted
    }
    update();
  }

  // Takes the element as it is stored now, and drops the draft.
  takeTheirs() {
    this.meetTheirs();
    this.body = this.began;
    this.local.clear();
    this.words.clear();
    this.changed();
  }

  // Keeps the draft, which the next write puts over what is stored now.
  meetTheirs() {
    if (this.theirs) [this.stored, this.began, this.etag] = [this.theirs.stored, this.theirs.stored, this.theirs.etag];
    this.theirs = null;
    this.act.problem = null;
    update();
  }

  // Deletes the element, which must be as it was read. Rejects with what refers to it.
  async remove(cascade = false) {
    const where = elementPath(this.env, this.kind, keyOf(this.kind, this.stored));
    const before = this.kind.isOrdered ? await successorOf(this.env, this.kind, this.stored?.id) : null;
    const { revision } = await call("DELETE", where, { headers: { "If-Match": this.etag ?? "" }, query: cascade ? { cascade: true } : {} });
    const link = elementLink(this.env, this.kind, []);
    const former = this.stored;
    const undo = () => call("PUT", where, { body: JSON.stringify(former), headers: { "If-None-Match": "*" }, query: { before } });
    const undoAll = () => call("POST", path`/v1/environments/${this.env}/revisions/${revision}/undo`, { body: {} });
    noteDone({ link, text: `The ${this.kind.noun} is deleted`, undo: cascade ? undoAll : undo });
    this.began = this.body;
    this.local.clear();
  }
}

// Returns the draft of the element with a key. If there is none, and that may be, the draft is a new one with this key.
/** @type {(env: string, kind: Kind, key: string[], mayBeAbsent: boolean, signal?: AbortSignal) => Promise<Draft>} */
export async function draftOf(env, kind, key, mayBeAbsent, signal) {
  try {
    const found = await call("GET", elementPath(env, kind, key), { signal });
    return new Draft(env, kind, { stored: found.data, etag: found.etag });
  } catch (problem) {
    if (!mayBeAbsent || !isAbsent(problem, kind)) throw problem;
    return new Draft(env, kind, { blank: Object.fromEntries(kind.key.map((name, at) => [name, key[at]])) });
  }
}

// Returns the draft of an element of which an environment has one. If there is none, the draft is a new one.
/** @type {(env: string, kind: Kind, signal: AbortSignal) => Promise<Draft>} */
export async function readOnly(env, kind, signal) {
  try {
    const found = await call("GET", elementPath(env, kind, []), { signal });
    return new Draft(env, kind, { stored: found.data, etag: found.etag });
  } catch (problem) {
    if (problem.status !== NOT_FOUND) throw problem;
    await call("GET", path`/v1/environments/${env}`, { signal }); // an environment that is not there is another matter
    return new Draft(env, kind, { blank: kind.blank });
  }
}

// Returns an object with another value of a member, in its place; undefined leaves it out.
export function withMember(object, name, value) {
  const all = { ...object, [name]: value };
  if (value === undefined) delete all[name];
  return all;
}
