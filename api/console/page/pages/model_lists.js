// The lists of the model and the pages of their elements: a row for each kind says what they show.

import { html, nothing } from "../core/html.js";
import { ASSIGNMENT, GRANT, GROUP, RESOURCE, RESOURCE_TYPE, ROLE, ROUTE, SUBJECT, nameOf } from "../core/kinds.js";
import { counted } from "../core/words.js";
import { elementPages } from "../editing/element_page.js";
import { openForm } from "../editing/open_form.js";
import { actions, entity, holder, link, term } from "../editing/phrases.js";
import * as sides from "./model_sides.js";

const ID = { title: "Id", sort: "id", cell: (one) => html`<code>${one.id}</code>` };
const NAME = { title: "Name", sort: "name", cell: (one) => html`<span class="name">${one.name ?? one.id}</span>`, csv: (one) => one.name };
const EXTERNAL_ID = {
  title: "External id",
  cell: (one) => (one.external_id ? html`<code>${one.external_id}</code>` : nothing),
  csv: (one) => one.external_id,
};
const TERM = { title: "Term", sort: "expires_at", cell: (one) => term(one), csv: ({ starts_at: from, expires_at: to }) => (from || to ? `${from ?? ""}/${to ?? ""}` : "") };
const holderText = ({ group, subject }) => (group === undefined ? `${subject.type} ${subject.id}` : `group ${group}`);
/** @type {[string, string]} */
const BY_TYPE = ["type", "Type"];
/** @type {[string, string]} */
const BY_NAME = ["name", "Name"];
/** @type {[string, string]} */
const BY_EXTERNAL_ID = ["external_id", "External id"];
/** @type {[string, string][]} */
const BY_SUBJECT = [["subject.type", "Subject type"], ["subject.id", "Subject id"]];
/** @type {[string, string][]} */
const BY_RESOURCE = [["resource.type", "Resource type"], ["resource.id", "Resource id"]];
/** @type {Choice[]} */
const CLOSED = [["true", "closed"], ["false", "open"]];
const BY_NAME_TOO = ["id", "name"];
const BY_END_TOO = ["id", "expires_at"];
const GROUPS_OF_A_PAGE = 50; // each comes with all its members

/** @type {ListRow[]} */
const ROWS = [
  {
    kind: ROLE,
    sorts: BY_NAME_TOO,
    about: "Policies give rights to roles, and assignments give roles to subjects and groups.",
    columns: [NAME, ID],
    filters: [BY_NAME],
    empty: "There are no roles yet. A role is what policies give rights to.",
    beside: sides.ofRole,
  },
  {
    kind: GROUP,
    sorts: BY_NAME_TOO,
    about: "Groups hold subjects and other groups. A role that is assigned to a group is held by everyone in it.",
    limit: GROUPS_OF_A_PAGE,
    draw: sides.groupTree,
    columns: [],
    filters: [BY_NAME, ["members.type", "Has a subject of type"], ["members.id", "Has a subject of id"], ["members.group", "Has the group"]],
    empty: "There are no groups yet. A group lets many subjects hold a role together.",
    beside: sides.ofGroup,
  },
  {
    kind: SUBJECT,
    sorts: BY_NAME_TOO,
    about: "Who asks: people, services and devices that have an entry, or that a group, an assignment or a grant names. Sorted by name, the list has entries alone.",
    above: (place) => openForm(place, "subject"),
    columns: [
      { title: "Name", sort: "name", cell: (one) => (one.listed === false ? html`<span class="soft">no entry</span>` : html`<span class="name">${nameOf(SUBJECT, one)[0]}</span>`), csv: (one) => one.attributes?.name },
      ID,
      { title: "Type", cell: (one) => html`<span class="name">${one.type}</span>` },
      EXTERNAL_ID,
    ],
    filters: [BY_TYPE, BY_EXTERNAL_ID],
    empty: "There are no subjects yet: none has an entry, and no assignment, group or grant names one.",
    absent: "This subject has no entry, and needs none to hold something. An entry has its external id and its attributes.",
    before: sides.ofSubject,
  },
  {
    kind: RESOURCE_TYPE,
    sorts: BY_NAME_TOO,
    about: "The kinds of things that policies are about, with their actions.",
    columns: [
      ID,
      { title: "Name in requests", sort: "name", cell: (one) => html`<code>${one.name ?? one.id}</code>`, csv: (one) => one.name ?? one.id },
      { title: "Actions", cell: (one) => actions(one.actions), csv: (one) => one.actions.join(" ") },
      { title: "Attributes", cell: (one) => declared(one) },
      { title: "", cell: (one) => (one.closed ? html`<span class="badge">closed</span>` : nothing) },
    ],
    filters: [BY_NAME, ["closed", "Closed", CLOSED]],
    empty: "There are no resource types yet. A type names a kind of thing and the actions on it: begin here.",
    beside: sides.ofResourceType,
  },
  {
    kind: RESOURCE,
    sorts: BY_NAME_TOO,
    about: "Registered things. Searches find these; a decision needs none, unless its type is closed.",
    above: (place) => openForm(place, "resource"),
    columns: [
      NAME,
      ID,
      { title: "Type", cell: (one, env) => link(env, "resource-types", one.type) },
      EXTERNAL_ID,
    ],
    filters: [BY_TYPE, BY_NAME, BY_EXTERNAL_ID],
    empty: "No resources are registered. Searches list registered resources.",
    absent: "This resource has no entry. Searches find it only once it has one.",
    beside: sides.ofResource,
  },
  {
    kind: ASSIGNMENT,
    sorts: BY_END_TOO,
    about: "Who holds which role: a subject itself, or everyone in a group.",
    above: sides.endingAssignments,
    columns: [
      { title: "Assignment", cell: (one) => html`<span class="name">${nameOf(ASSIGNMENT, one)[0]}</span>` },
      { title: "Role", cell: (one, env) => link(env, "roles", one.role), csv: (one) => one.role },
      { title: "Holder", cell: (one, env) => holder(env, one), csv: holderText },
      TERM,
    ],
    filters: [["role", "Role"], ["group", "Group"], ...BY_SUBJECT],
    empty: "There are no assignments yet, so no subject holds a role.",
    beside: sides.ofAssignment,
  },
  {
    kind: GRANT,
    sorts: BY_END_TOO,
    about: "What one subject, or everyone in a group, may do with one resource, beside the policies. A policy that denies wins.",
    above: sides.endingGrants,
    columns: [
      { title: "Grant", cell: (one) => html`<span class="name">${nameOf(GRANT, one)[0]}</span>` },
      { title: "Holder", cell: (one, env) => holder(env, one), csv: holderText },
      { title: "Actions", cell: (one) => actions(one.actions), csv: (one) => one.actions.join(" ") },
      { title: "Resource", cell: (one, env) => entity(env, "resources", one.resource), csv: ({ resource }) => `${resource.type} ${resource.id}` },
      TERM,
    ],
    filters: [["group", "Group"], ...BY_SUBJECT, ...BY_RESOURCE],
    empty: "There are no direct grants. A grant gives one subject or one group something on one resource.",
    beside: sides.ofGrant,
  },
  {
    kind: ROUTE,
    about: "What a request to a backend is about. They stand in their order: the first that matches counts.",
    columns: [
      ID,
      { title: "Methods", cell: (one) => (one.methods.includes("*") ? "any" : one.methods.join(", ")), csv: (one) => one.methods.join(" ") },
      { title: "Path", cell: (one) => html`<code>${one.path}</code>`, csv: (one) => one.path },
      { title: "Hosts", cell: (one) => one.hosts?.map((host) => html`<div><code>${host}</code></div>`) ?? html`<span class="soft">any</span>` },
      { title: "Means", cell: (one, env) => sides.meaningOf(env, one) },
      { title: "", cell: (one) => (one.anonymous ? html`<span class="badge">anonymous</span>` : nothing) },
    ],
    filters: [["resource_type", "Resource type"], ["action", "Action"]],
    empty: "There are no routes. They tell gateways what a path is about.",
    beside: sides.ofRoute,
  },
];

const ROW_OF = Object.fromEntries(ROWS.map((row) => [row.kind.segment, row]));

export const page = (place) => elementPages(place, ROW_OF[place.page]);

function declared({ attributes }) {
  if (!attributes) return html`<span class="soft">none declared</span>`;
  return html`<span title=${Object.entries(attributes).map(([name, type]) => `${name}: ${type}`).join("\n")}>${counted(Object.keys(attributes).length, "attribute")}</span>`;
}
