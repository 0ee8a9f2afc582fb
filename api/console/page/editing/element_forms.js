// The form of each kind of element: a row is a function that draws the fields of a draft.

import { html, nothing } from "../core/html.js";
import { typedAttributes, valuedAttributes } from "./attributes.js";
import { declarationForm } from "./declaration_form.js";
import { extensionsForm } from "./extensions_form.js";
import { choiceField, faultsAt, flagField, textField } from "./fields.js";
import { idList } from "./id_list.js";
import { instantField } from "./instant_field.js";
import { membersField } from "./members.js";
import { policyTestsForm } from "./policy_tests_form.js";
import { actionsField, entityField, idField } from "./references.js";
import { routeForm } from "./route_form.js";

const orNothing = (text) => (text === "" ? undefined : text);

// Returns a field for a text member, which is left out if it is empty.
const member = (draft, faults, name, label, more = {}) =>
  textField({ label, at: `$.${name}`, value: draft.body[name], faults, set: (text) => draft.set(name, orNothing(text)), ...more });

const id = (draft, faults, hint) => (draft.isNew ? member(draft, faults, "id", "Id", { hint }) : nothing);
const MADE = "Left empty, the service makes one.";
const name = (draft, faults) => member(draft, faults, "name", "Name", { isName: true, hint: "For people. Left empty, the id is shown." });
const externalId = (draft, faults) => member(draft, faults, "external_id", "External id", { hint: "Another identifier, unique within the type." });

// By the list of the model. A policy has another page.
export const FORMS = {
  roles: (draft, faults) => html`${id(draft, faults, "Policies and assignments name the role by it.")}${name(draft, faults)}`,
  groups: (draft, faults, suggestions) => html`${id(draft, faults, "Assignments and other groups name it by this.")}${name(draft, faults)}
    ${membersField(draft, faults, suggestions)}`,
  resource_types: (draft, faults) => html`${id(draft, faults, "Other elements of the model name the type by it.")}
    ${member(draft, faults, "name", "Name", { hint: "Requests name the type by it. Left empty, it is the id." })}
    ${idList({ label: "Actions", at: "$.actions", values: draft.body.actions ?? [], faults, noun: "an action", set: (actions) => draft.set("actions", actions) })}
    ${flagField({
      ...{ label: "Closed", value: draft.body.closed === true, set: (isOn) => draft.set("closed", isOn || undefined) },
      hint: "Only registered resources count: a request about any other one is denied.",
    })}
    ${typedAttributes(draft, faults)}<p class="hint">Once attributes are declared, a condition on any other one is an error.</p>`,
  subjects: (draft, faults) => html`${entityKey(draft, faults)}${externalId(draft, faults)}${registered(draft, faults)}`,
  resources: (draft, faults, suggestions) => html`${draft.isNew
      ? html`${idField({ label: "Type", at: "$.type", value: draft.body.type, faults, suggestions, segment: "resource-types", set: (text) => draft.set("type", text) })}
        ${member(draft, faults, "id", "Id", { set: (text) => draft.set("id", text) })}`
      : nothing}
    ${externalId(draft, faults)}${member(draft, faults, "name", "Name", { isName: true, hint: "Another identifier, unique within the type." })}
    ${registered(draft, faults)}`,
  assignments: (draft, faults, suggestions) => html`${id(draft, faults, MADE)}
    ${idField({ label: "Role", at: "$.role", value: draft.body.role, faults, suggestions, segment: "roles", set: (text) => draft.set("role", text) })}
    ${holder(draft, faults, suggestions)}${term(draft, faults)}`,
  grants: (draft, faults, suggestions) => {
    const { body } = draft;
    const entity = (label, at, segment) =>
      entityField({ label, at: `$.${at}`, value: body[at], faults, suggestions, segment, set: (value) => draft.set(at, value) });
    const declared = suggestions.of("resource-types").find((one) => one.id === body.resource?.type)?.actions;
    return html`${id(draft, faults, MADE)}${holder(draft, faults, suggestions)}${entity("Resource", "resource", "resources")}
      ${actionsField({ at: "$.actions", values: body.actions ?? [], faults, declared, set: (actions) => draft.set("actions", actions) })}
      ${term(draft, faults)}`;
  },
  routes: routeForm,
  attributes: declarationForm,
  extensions: extensionsForm,
  tests: policyTestsForm,
};

const registered = (draft, faults) => html`${valuedAttributes(draft, faults)}
  <p class="hint">Searches read these attributes. A decision reads only those that its request sends.</p>`;

const entityKey = (draft, faults) =>
  draft.isNew
    ? html`<div class="pair wide-first">${["type", "id"].map((one) =>
        member(draft, faults, one, one === "type" ? "Type" : "Id", { set: (text) => draft.set(one, text) }))}</div>`
    : nothing;

function holder(draft, faults, suggestions) {
  const { body } = draft;
  const isGroup = body.group !== undefined;
  const turn = (kind) => {
    draft.set("group", kind === "group" ? "" : undefined);
    draft.set("subject", kind === "group" ? undefined : { type: "user", id: "" });
  };
  return html`${choiceField({ label: "Holder", at: "holder", value: isGroup ? "group" : "subject", options: [["subject", "a subject"], ["group", "a group"]], set: turn })}
    ${isGroup
      ? idField({ label: "Group", at: "$.group", value: body.group, faults, suggestions, segment: "groups", set: (text) => draft.set("group", text) })
      : entityField({ label: "Subject", at: "$.subject", value: body.subject, faults, suggestions, segment: "subjects", set: (value) => draft.set("subject", value) })}
    ${faultsAt(faults, "$", true)}`;
}

const term = (draft, faults) => html`${instantField({ label: "Starts", at: "$.starts_at", value: draft.body.starts_at, faults, written: draft, without: "it counts at once", set: (text) => draft.set("starts_at", text) })}
  ${endField(draft, faults)}`;

// Returns the field of the end of an assignment or a grant.
export const endField = (draft, faults) =>
  instantField({ label: "Ends", at: "$.expires_at", value: draft.body.expires_at, faults, written: draft, isEnd: true, without: "it never ends", set: (text) => draft.set("expires_at", text) });
