// The pages of the console, in the order of the navigation. `key` opens a page after `g`. `kind` is the list of the
// model whose count stands beside the name. `scope` is what the credential needs; `open` loads the page's file, which
// exports `page(place)`: it returns {title, view(), isUnsaved?()}.

export const GROUPS = [
  {
    name: "Understand",
    pages: [
      { id: "overview", name: "Overview", key: "o", open: () => import("../pages/overview.js") },
      { id: "try", name: "Try a decision", key: "t", open: () => import("../pages/try.js") },
    ],
  },
];

// Returns the page with an id, or undefined.
export function pageOf(id) {
  return GROUPS.flatMap((group) => group.pages).find((page) => page.id === id);
}
