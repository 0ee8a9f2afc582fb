// A tree of groups: what is in a group is read when the group is opened.

import { html, nothing } from "../core/html.js";
import { get } from "../core/api.js";
import { GROUP } from "../core/kinds.js";
import { update } from "../core/update.js";
import { counted, number } from "../core/words.js";
import { Awaited } from "../parts/awaited.js";
import { elementPath } from "./draft.js";
import { memberLink } from "./members.js";

const STEP = 50; // members that are drawn, and drawn more at a time

export class GroupTree {
  // `groups` are those of a page. A group that is in another one of them stands there alone.
  constructor(env, groups) {
    this.env = env;
    this.known = new Map(groups.map((one) => [one.id, one]));
    this.roots = rootsOf(this.known);
    this.open = new Map(); // by the path of ids from the root: {shown, found}
  }

  view() {
    return html`<ul class="tree">${this.roots.map((id) => this.group(id, []))}</ul>`;
  }

  group(id, above) {
    const path = [...above, id];
    const name = JSON.stringify(path);
    const state = this.open.get(name);
    const known = this.known.get(id);
    const isLoop = above.includes(id);
    return html`<li><div class="node">
      ${isLoop
        ? html`<span class="tag warn">! loop</span>`
        : html`<button class="link turn" type="button" aria-expanded=${state ? "true" : "false"} aria-label=${`Members of ${id}`}
            @click=${() => this.turn(name, id)}>${state ? "▾" : "▸"}</button>`}
      <a href=${memberLink(this.env, { group: id })}><span class="name">${known?.name ?? id}</span></a> <code>${id}</code>
      ${known ? html`<span class="soft">${told(known.members ?? [])}</span>` : nothing}</div>
      ${state ? state.found.view((group) => this.members(group, path, state)) : nothing}</li>`;
  }

  members(group, path, state) {
    const all = group.members ?? [];
    if (!all.length) return html`<p class="soft">It has no members.</p>`;
    const sorted = [...all.filter((one) => one.group !== undefined), ...all.filter((one) => one.group === undefined)];
    const more = sorted.length - state.shown;
    return html`<ul>${sorted.slice(0, state.shown).map((one) =>
        one.group === undefined
          ? html`<li><div class="node"><span class="turn"></span><span class="name">${one.type}</span> <a href=${memberLink(this.env, one)}><code>${one.id}</code></a></div></li>`
          : this.group(one.group, path))}
      ${more > 0 ? html`<li><button class="link" type="button" @click=${() => ((state.shown += STEP), update())}>Show more (${number(more)} left)</button></li>` : nothing}</ul>`;
  }

  turn(name, id) {
    if (this.open.has(name)) this.open.delete(name);
    else this.open.set(name, { shown: STEP, found: new Awaited(`the group`, (signal) => this.read(id, signal)) });
    update();
  }

  async read(id, signal) {
    if (!this.known.has(id)) this.known.set(id, await get(elementPath(this.env, GROUP, [id]), { signal }));
    return this.known.get(id);
  }
}

function told(members) {
  const groups = members.filter((one) => one.group !== undefined).length;
  const parts = [];
  if (groups) parts.push(counted(groups, "group"));
  if (members.length > groups) parts.push(counted(members.length - groups, "subject"));
  return parts.join(", ") || "empty";
}

// The groups that are in no other one, and of those that contain each other the first.
function rootsOf(known) {
  const inner = (group) => (group.members ?? []).map((one) => one.group).filter((id) => known.has(id));
  const contained = new Set(Array.from(known.values(), (one) => inner(one).filter((id) => id !== one.id)).flat());
  const roots = Array.from(known.keys()).filter((id) => !contained.has(id));
  const reached = new Set();
  const reach = (start) => {
    for (const todo = [start]; todo.length; ) {
      const id = todo.pop();
      if (reached.has(id)) continue;
      reached.add(id);
      todo.push(...inner(known.get(id)));
    }
  };
  roots.forEach(reach);
  for (const id of known.keys()) {
    if (reached.has(id)) continue;
    roots.push(id);
    reach(id);
  }
  return roots;
}
