// Policies: the list with its filters. The page of a policy is in policy.js.

import { html } from "../core/html.js";
import { POLICY } from "../core/kinds.js";
import { effectTag, offTag } from "../editing/effect.js";
import { elementList } from "../editing/element_list.js";
import { actions, holders, link } from "../editing/phrases.js";
import { editorPage, policyPage } from "./policy.js";

/** @type {Choice[]} */
const EFFECTS = [["ALLOW", "allow"], ["DENY", "deny"]];
/** @type {Choice[]} */
const SWITCHES = [["true", "switched on"], ["false", "switched off"]];

export function page(place) {
  const isEdited = place.query.get("edit") || place.query.get("new");
  if (isEdited) return editorPage(place);
  return place.given.length ? policyPage(place) : elementList(place, LIST);
}

/** @type {ListRow} */
const LIST = {
  kind: POLICY,
  sorts: ["id", "name"],
  about: "What is allowed and what is denied. A denial wins over everything that allows.",
  columns: [
    { title: "Name", sort: "name", cell: (one) => html`<span class="name">${one.name ?? one.id}</span>`, csv: (one) => one.name },
    { title: "Effect", cell: (one) => html`${effectTag(one)}${offTag(one)}`, csv: (one) => one.effect },
    { title: "For", cell: (one, env) => holders(env, one) },
    { title: "Covers", cell: (one, env) => one.resource_types.map((scope) => covers(env, scope)) },
    { title: "Conditions", isNumber: true, cell: (one) => conditionsOf(one) },
    { title: "Priority", isNumber: true, cell: (one) => one.priority ?? 0 },
  ],
  filters: [
    ["effect", "Effect", EFFECTS],
    ["enabled", "State", SWITCHES],
    ["role", "Role"],
    ["resource_type", "Resource type"],
    ["name", "Name"],
  ],
  empty: "There are no policies yet, so every request is denied. A policy allows or denies actions.",
};

const covers = (env, scope) => html`<div>${
  scope.resource_type_id === "*" ? "every type" : link(env, "resource-types", scope.resource_type_id)
}: ${actions(scope.actions)}</div>`;

function conditionsOf({ conditions = {} }) {
  const counts = Object.entries(conditions).map(([name, given]) => (Array.isArray(given) && name !== "ip_allowlist" ? given.length : 1));
  return counts.reduce((sum, one) => sum + one, 0) || html`<span class="soft">none</span>`;
}
