// The pages of the console, in the order of the navigation. No other module knows them all.
//
// `key` opens a page after `g`. `kind` is the list of the model whose count stands beside the name. `scope` is what a
// credential needs. `open` loads the page's file, which exports `page(place)`: it returns {title, view(), isUnsaved?()}.
// A title names the element of the page, as its address does.

const lists = () => import("../pages/model_lists.js");

/** @type {{name: string, pages: PageRow[]}[]} */
export const GROUPS = [
  {
    name: "Understand",
    pages: [
      { id: "overview", name: "Overview", key: "o", open: () => import("../pages/overview.js") },
      { id: "try", name: "Try a decision", key: "t", open: () => import("../pages/try.js") },
      { id: "who-can", name: "Who can…", key: "w", open: () => import("../pages/who_can.js") },
      { id: "what-can", name: "What can they see", key: "s", open: () => import("../pages/what_can.js") },
      { id: "matrix", name: "Matrix", key: "x", open: () => import("../pages/matrix.js") },
      { id: "review", name: "Access review", key: "v", open: () => import("../pages/review.js") },
      { id: "ending", name: "Ending access", key: "f", open: () => import("../pages/ending.js") },
    ],
  },
  {
    name: "Model",
    pages: [
      { id: "policies", name: "Policies", key: "p", kind: "policies", open: () => import("../pages/policies.js") },
      { id: "roles", name: "Roles", key: "r", kind: "roles", open: lists },
      { id: "groups", name: "Groups", key: "u", kind: "groups", open: lists },
      { id: "subjects", name: "Subjects", key: "b", kind: "subjects", open: lists },
      { id: "resource-types", name: "Resource types", key: "y", kind: "resource_types", open: lists },
      { id: "resources", name: "Resources", key: "e", kind: "resources", open: lists },
      { id: "assignments", name: "Assignments", key: "a", kind: "assignments", open: lists },
      { id: "grants", name: "Grants", key: "n", kind: "grants", open: lists },
      { id: "routes", name: "Routes", key: "k", kind: "routes", open: lists },
      { id: "attributes", name: "Attributes", key: "j", open: () => import("../pages/attributes.js") },
      { id: "extensions", name: "Extensions", key: "q", open: () => import("../pages/extensions.js") },
      { id: "tests", name: "Policy tests", key: "i", open: () => import("../pages/policy_tests.js") },
    ],
  },
  {
    name: "Change",
    pages: [
      { id: "history", name: "History", key: "h", open: () => import("../pages/history.js") },
      { id: "promotion", name: "Promotion", key: "m", scope: "admin", open: () => import("../pages/promotion.js") },
    ],
  },
  {
    name: "Service",
    pages: [
      { id: "environments", name: "Environments", key: "z", scope: "admin", open: () => import("../pages/environments.js") },
      { id: "clients", name: "Clients and keys", key: "c", scope: "admin", open: () => import("../pages/clients.js") },
      { id: "sessions", name: "Sessions", key: "g", scope: "admin", open: () => import("../pages/sessions.js") },
      { id: "audit", name: "Audit", key: "l", scope: "admin", open: () => import("../pages/audit.js") },
      { id: "denials", name: "Recent denials", key: "d", scope: "admin", open: () => import("../pages/denials.js") },
    ],
  },
];

export const PAGES = GROUPS.flatMap((group) => group.pages);

const UNKNOWN = { open: () => import("../pages/unknown.js") };

// Returns the page with an id. An id that no page has leads to the page that says so.
export const pageOf = (id) => PAGES.find((page) => page.id === id) ?? UNKNOWN;
