// The form of a policy: what it is called, what it covers, for whom, and under which conditions.

import { html, nothing } from "../core/html.js";
import { numberIn } from "../core/exact.js";
import { comparisons } from "./conditions.js";
import { areaField, choiceField, faultsAt, flagField, textField } from "./fields.js";
import { gates } from "./gates.js";
import { idList } from "./id_list.js";
import { scopes } from "./scopes.js";

/** @type {Choice[]} */
const EFFECTS = [["ALLOW", "Allow"], ["DENY", "Deny, whatever else allows"]];
/** @type {Choice[]} */
const EVERYONE = [["roles", "holders of these roles"], ["everyone", "everyone"]];

// Returns the drawing of a policy's form. `declared` knows the attributes that conditions may name.
export function policyForm(draft, faults, suggestions, declared) {
  return html`${draft.isNew ? text(draft, faults, "id", "Id", { hint: "Decisions name the policy by it." }) : nothing}
    ${text(draft, faults, "name", "Name", { isName: true, hint: "For people. Left empty, the id is shown." })}
    ${areaField({ label: "Description", at: "$.description", value: draft.body.description, faults, rows: 2, isName: true, set: (given) => draft.set("description", given === "" ? undefined : given) })}
    <h3>What it covers</h3>
    ${choiceField({ label: "Effect", at: "$.effect", value: draft.body.effect, options: EFFECTS, faults, set: (effect) => draft.set("effect", effect) })}
    ${holders(draft, faults, suggestions)}
    ${scopes(draft, faults, suggestions)}
    <h3>When it holds</h3>
    ${comparisons(draft, faults, declared)}${gates(draft, faults)}
    ${faultsAt(faults, "$.conditions", true)}
    <h3>Beside other policies</h3>
    ${textField({ label: "Priority", at: "$.priority", value: String(draft.body.priority ?? ""), faults, placeholder: "0", hint: "If several hold, the decision reports the highest. A denial wins whatever the priorities are.", set: (given) => draft.set("priority", given === "" ? undefined : (numberIn(given) ?? given)) })}
    ${flagField({ label: "Switched on", value: draft.body.enabled !== false, set: (isOn) => draft.set("enabled", isOn ? undefined : false), hint: "A policy that is switched off counts for nothing." })}
    ${faultsAt(faults, "$", true)}`;
}

const text = (draft, faults, name, label, more) =>
  textField({ label, at: `$.${name}`, value: draft.body[name], faults, set: (given) => draft.set(name, given === "" && name !== "id" ? undefined : given), ...more });

function holders(draft, faults, suggestions) {
  const { roles } = draft.body;
  return html`${choiceField({ label: "For", at: "for", value: roles === undefined ? "everyone" : "roles", options: EVERYONE, set: (who) => draft.set("roles", who === "everyone" ? undefined : []) })}
    ${roles === undefined
      ? nothing
      : html`${idList({ label: "Roles", at: "$.roles", values: roles, faults, noun: "a role", list: "$.roles-list", set: (next) => draft.set("roles", next) })}
          ${suggestions.list("$.roles", "roles")}`}
    ${idList({ label: "Except", at: "$.except_roles", values: draft.body.except_roles ?? [], faults, noun: "a role", list: "$.except_roles-list", set: (next) => draft.set("except_roles", next.length ? next : undefined) })}
    ${suggestions.list("$.except_roles", "roles")}`;
}
