// A subject that becomes a member of a group: the other members stay, also if others change the group meanwhile.

import { call, get, path } from "../core/api.js";
import { GROUP } from "../core/kinds.js";
import { noteDone } from "../parts/done.js";
import { Draft, elementLink, elementPath } from "./draft.js";

const CREATED = 201;

export class Membership extends Draft {
  // `group` is the stored one. `subject` is {type, id}.
  constructor(env, group, subject) {
    super(env, GROUP, { stored: group });
    this.subject = subject;
    this.body = { ...group, members: [...(group.members ?? []), subject] };
  }

  // Returns whether the subject is a member already.
  get isThere() {
    return (this.stored?.members ?? []).some((one) => one.type === this.subject.type && one.id === this.subject.id);
  }

  // Writes this member alone. Returns the answer, or undefined if the service refused it.
  /** @override */
  async save() {
    const { env, subject } = this;
    const id = this.stored?.id;
    const where = path`/v1/environments/${env}/groups/${id}/members/${subject.type}/${subject.id}`;
    const answer = await this.act.run(() => call("PUT", where));
    if (answer === undefined) return undefined;
    const isNew = answer.status === CREATED;
    const text = `${subject.id} is ${isNew ? "now" : "already"} a member of ${id}`;
    noteDone({ link: elementLink(env, GROUP, [id]), text, undo: isNew ? () => call("DELETE", where) : null });
    return answer;
  }
}

// Returns the membership that a subject would get in a stored group.
/** @type {(env: string, id: string, subject: any, signal?: AbortSignal) => Promise<Membership>} */
export const membershipIn = async (env, id, subject, signal) => new Membership(env, await get(elementPath(env, GROUP, [id]), { signal }), subject);
