// Groups as a tree: a group opens to show the groups and the subjects in it, which are read only then.

import { html } from "../vendor/lit-html.js";
import { elementPages } from "../editing/element_page.js";
import { GroupTree } from "../editing/group_tree.js";
import { GROUP } from "../editing/kinds.js";
import { link, term } from "../editing/phrases.js";
import { related } from "../editing/related.js";
import { pager } from "../parts/list.js";

const LIMIT = 50; // groups of a page: each comes with all its members

export function page(place) {
  const { env } = place;
  let [tree, drawn] = [null, null];
  return elementPages(place, GROUP, {
    list: {
      about: "Groups hold subjects and other groups. A role that is assigned to a group is held by everyone in it.",
      limit: LIMIT,
      draw: (items, found) => {
        if (drawn !== found) [tree, drawn] = [new GroupTree(env, items), found];
        return html`${tree.view()}${pager(place, found.next_cursor)}`;
      },
      columns: [],
      filters: [
        { name: "name", label: "Name" },
        { name: "members.type", label: "Has a subject of type" },
        { name: "members.id", label: "Has a subject of id" },
        { name: "members.group", label: "Has the group" },
      ],
      empty: "There are no groups yet. A group lets many subjects hold a role together.",
    },
    beside: (group) =>
      related(env, [
        {
          ...{ title: "Roles of the group", segment: "assignments", query: { group: group.id } },
          row: (one) => html`${link(env, "roles", one.role)} <span class="soft">by ${link(env, "assignments", one.id, "assignment")}</span> ${term(one)}`,
          empty: "No role is assigned to this group itself.",
        },
        {
          ...{ title: "Groups that contain it", segment: "groups", query: { "members.group": group.id } },
          row: (one) => link(env, "groups", one.id, one.name ?? one.id),
          empty: "No group contains it.",
        },
      ]),
  });
}
