// The members of a group: subjects and other groups. A group of many members shows those that are sought.

import { html, nothing } from "../core/html.js";
import { elementLink } from "./draft.js";
import { update } from "../core/update.js";
import { counted, number } from "../core/words.js";
import { choiceField, faultsAt, textField } from "./fields.js";
import { entityField, idField } from "./references.js";

const SHOWN = 100;
const SOME = 10; // more members than these can be sought
const states = new WeakMap(); // what is sought and what is about to be added, by the draft

// Returns what names a member: "user alice", or "group sales".
const memberText = (one) => (one.group === undefined ? `${one.type} ${one.id}` : `group ${one.group}`);

// Returns the address of a member's page.
export const memberLink = (env, one) =>
  one.group === undefined ? elementLink(env, { segment: "subjects" }, [one.type, one.id]) : elementLink(env, { segment: "groups" }, [one.group]);

// Returns the drawing of a draft's members, with a way to add and to remove one.
export function membersField(draft, faults, suggestions) {
  const all = draft.body.members ?? [];
  const state = stateOf(draft);
  const found = all.filter((one) => memberText(one).toLowerCase().includes(state.sought.toLowerCase()));
  const remove = (one) => draft.set("members", all.filter((other) => other !== one));
  return html`<fieldset class="rows"><legend>Members (${number(all.length)})</legend>
    ${all.length > SOME ? textField({ label: "Seek a member", at: "members-sought", value: state.sought, set: (text) => ((state.sought = text), update()) }) : nothing}
    ${found.length ? html`<ul class="chips">${found.slice(0, SHOWN).map((one) => html`<li>
      <a href=${memberLink(draft.env, one)}><span class="name">${one.group === undefined ? one.type : "group"}</span> <code>${one.group ?? one.id}</code></a>
      <button class="link" type="button" aria-label=${`Remove ${memberText(one)}`} @click=${() => remove(one)}>✕</button></li>`)}</ul>` : nothing}
    ${found.length > SHOWN ? html`<p class="soft">and ${counted(found.length - SHOWN, "more member")}. Seek some by their ids.</p>` : nothing}
    ${faultsAt(faults, "$.members")}
    ${adding(draft, state, all, suggestions)}
  </fieldset>`;
}

function adding(draft, state, all, suggestions) {
  const change = (next) => (Object.assign(state, next), update());
  const given = state.isGroup ? { group: state.group } : state.subject;
  const isWhole = state.isGroup ? state.group : state.subject.type && state.subject.id;
  const isThere = all.some((one) => memberText(one) === memberText(given));
  const add = () => {
    draft.set("members", [...all, given]);
    change({ group: "", subject: { type: state.subject.type, id: "" } });
  };
  return html`<div class="adding-member" @keydown=${(event) => event.key === "Enter" && isWhole && !isThere && (event.preventDefault(), add())}>
    ${choiceField({ label: "Add", at: "member-kind", value: state.isGroup ? "group" : "subject", options: [["subject", "a subject"], ["group", "a group"]], set: (kind) => change({ isGroup: kind === "group" }) })}
    ${state.isGroup
      ? idField({ label: "Group", at: "member-group", value: state.group, suggestions, segment: "groups", set: (group) => change({ group }) })
      : entityField({ label: "Subject", at: "member", value: state.subject, faults: [], suggestions, segment: "subjects", set: (subject) => change({ subject }) })}
    <p><button class="quiet" type="button" ?disabled=${!isWhole || isThere} @click=${add}>Add the member</button>
      ${isThere ? html`<span class="soft">It is a member already.</span>` : nothing}</p>
  </div>`;
}

function stateOf(draft) {
  if (!states.has(draft)) states.set(draft, { sought: "", isGroup: false, group: "", subject: { type: "user", id: "" } });
  return states.get(draft);
}
