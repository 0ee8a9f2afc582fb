// The kinds of elements that have pages: their places in the model, in the API and in addresses.
//
// `name` is the list in the model, `segment` its place in the API and in addresses, `key` names the members of its key, and
// `blank` is a new element.

/** @type {(name: string, noun: string, plural: string, key: string[], blank: any, more?: Partial<Kind>) => Kind} */
const kind = (name, noun, plural, key, blank, more = {}) => ({ name, segment: name.replaceAll("_", "-"), noun, plural, key, blank, ...more });

const USER = { type: "user", id: "" };
const NEW_POLICY = { id: "", effect: "ALLOW", roles: [], resource_types: [{ resource_type_id: "", actions: [] }] };
const NEW_ROUTE = { id: "", methods: ["GET"], path: "/", resource_type: "", action: "" };

export const POLICY = kind("policies", "policy", "Policies", ["id"], NEW_POLICY);
export const ROLE = kind("roles", "role", "Roles", ["id"], { id: "" });
export const GROUP = kind("groups", "group", "Groups", ["id"], { id: "" });
export const SUBJECT = kind("subjects", "subject", "Subjects", ["type", "id"], USER);
export const RESOURCE_TYPE = kind("resource_types", "resource type", "Resource types", ["id"], { id: "", actions: [] });
export const RESOURCE = kind("resources", "resource", "Resources", ["type", "id"], { type: "", id: "" });
const holder = (one) => (one.group === undefined ? `${one.subject.type} ${one.subject.id}` : `group ${one.group}`);

export const ASSIGNMENT = kind("assignments", "assignment", "Assignments", ["id"], { role: "", subject: USER }, {
  said: (one) => [`${holder(one)} holds ${one.role}`, one.role],
});
export const GRANT = kind("grants", "grant", "Grants", ["id"], { subject: USER, resource: { type: "", id: "" }, actions: [] }, {
  said: (one) => [`${holder(one)} on ${one.resource.type} ${one.resource.id}`, one.resource.id],
});
export const ROUTE = kind("routes", "route", "Routes", ["id"], NEW_ROUTE, { isOrdered: true }); // their order has a meaning
export const DECLARATION = kind("attributes", "declaration", "Attributes", [], {}, {
  isOne: true, // an environment has one
  ending: "Conditions may then name any attribute of subjects, of the context and of actions. Decisions stay as they are.",
});
// An environment has one of each of these, and both stand on one page.
export const EXTENSIONS = kind("extensions", "list of extensions", "Extensions", [], [], {
  ...{ isOne: true, page: "extensions" },
  ending: "The model then uses no extension. That is refused while a policy needs one.",
});
export const REQUESTS = kind("requests", "strict mode", "Strict requests", [], "strict", {
  ...{ isOne: true, page: "extensions" },
  ending: "Requests are then decided even if they do not fit what the model declares.",
});
export const TESTS = kind("tests", "set of tests", "Policy tests", ["id"], { id: "", tests: [] }, {
  isOutside: true, // of the model: a change of it previews nothing
});

const MADE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/; // by the service

// Returns the words for an element (a subject's are its attribute `name`), and the short name of it that people type: its id, unless that is a made one, which says
// nothing to people.
/** @type {(of: Kind, body: ModelElement) => [words: string, name: string]} */
export function nameOf(of, body) {
  const id = of.isOne ? of.name : body[of.key.at(-1) ?? ""];
  if (of.said && MADE_ID.test(id)) return of.said(body);
  const name = body.name ?? (of === SUBJECT ? body.attributes?.name : undefined);
  return [typeof name === "string" ? name : id, id];
}

// The lists of the model.
export const KINDS = [POLICY, ROLE, GROUP, SUBJECT, RESOURCE_TYPE, RESOURCE, ASSIGNMENT, GRANT, ROUTE, DECLARATION, EXTENSIONS, REQUESTS];

// Returns the kind of a list of the model, or undefined for one without pages.
export const kindOf = (name) => KINDS.find((one) => one.name === name);
