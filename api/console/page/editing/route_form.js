// The form of a route: which requests it matches, what they mean, and its place among the routes.

import { html, nothing } from "../core/html.js";
import { update } from "../core/update.js";
import { choiceField, faultsAt, flagField, textField } from "./fields.js";
import { idList } from "./id_list.js";
import { idField } from "./references.js";
import { options } from "./suggestions.js";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "*"].map((one) => [one]);
/** @type {Choice[]} */
const NAMES = [["none", "the capture {id}, or none"], ["resource_id", "an id"], ["external_id", "an external id"]];

// Returns the drawing of a route's form.
export function routeForm(draft, faults, suggestions) {
  const { body } = draft;
  const put = (name) => (value) => draft.set(name, value === "" ? undefined : value);
  const text = (name, label, more) => textField({ label, at: `$.${name}`, value: body[name], faults, set: (value) => draft.set(name, value), ...more });
  const declared = suggestions.of("resource-types").find((one) => one.id === body.resource_type)?.actions ?? [];
  return html`${draft.isNew ? text("id", "Id") : nothing}
    ${idList({ label: "Methods", at: "$.methods", values: body.methods ?? [], faults, noun: "a method", list: "methods", hint: "In upper case, or * for any.", set: (methods) => draft.set("methods", methods) })}
    ${options("methods", METHODS)}
    ${text("path", "Path", { hint: html`<code>{name}</code> matches one segment, <code>*</code> at the end the rest.` })}
    ${idList({ label: "Hosts", at: "$.hosts", values: body.hosts ?? [], faults, noun: "a host", hint: "Without any, the route is for all hosts.", set: (hosts) => draft.set("hosts", hosts.length ? hosts : undefined) })}
    ${idField({ label: "Resource type", at: "$.resource_type", value: body.resource_type, faults, suggestions, segment: "resource-types", set: (value) => draft.set("resource_type", value) })}
    ${text("action", "Action", { list: "route-actions", hint: html`Or <code>header:NAME</code>, a header that the gateway sets.` })}${options("route-actions", declared.map((one) => [one]))}
    ${resource()}${sources()}${anonymous()}
    ${idField({ label: draft.isNew ? "Comes before" : "Move before", at: "before", value: draft.query.before, suggestions, segment: "routes", hint: draft.isNew ? "Empty means: it comes last." : "Empty means: it stays where it is.", set: (value) => move(draft, value) })}
    ${faultsAt(faults, "$", true)}`;

  function resource() {
    const kind = body.resource_id !== undefined ? "resource_id" : body.external_id !== undefined ? "external_id" : "none";
    const turn = (next) => {
      for (const name of ["resource_id", "external_id"]) draft.set(name, next === name ? "" : undefined);
    };
    return html`${choiceField({ label: "The resource is named by", at: "names", value: kind, options: NAMES, set: turn })}
      ${kind === "none" ? nothing : text(kind, kind === "resource_id" ? "Resource id" : "External id", { hint: html`A text with one capture at most, such as <code>doc-{id}</code>, or <code>header:NAME</code>.` })}`;
  }

  function anonymous() {
    const hint = "The policies then decide for the anonymous subject of the gateway settings. Without one there, it changes nothing.";
    return flagField({ label: "Also for requests without a credential", value: body.anonymous === true, hint, set: (isOn) => draft.set("anonymous", isOn || undefined) });
  }

  function sources() {
    const all = Object.entries(body.attributes ?? {});
    const lines = all.map(([name, source]) => `${name} = ${source}`);
    const set = (next) => put("attributes")(next.length ? Object.fromEntries(next.map(parted)) : undefined);
    return idList({ label: "Attributes of the resource", at: "$.attributes", values: lines, faults, noun: "one, like page = query:page", hint: html`A source is <code>{capture}</code>, <code>query:NAME</code> or <code>header:NAME</code>.`, set });
  }
}

function parted(line) {
  const at = line.indexOf("=");
  return at < 0 ? [line.trim(), ""] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
}

function move(draft, before) {
  draft.query = before ? { before } : {};
  update();
}
