// ESLint's rules for the console's modules and their tests. TypeScript's checker finds names that do not exist.

import { createRequire } from "node:module";

const require = createRequire(new URL("../../../../build/node/package.json", import.meta.url)); // where `.ci/run` installs it
const STORES = ["localStorage", "sessionStorage", "indexedDB", "caches"];
const RAW = ["innerHTML", "outerHTML", "insertAdjacentHTML", "cookie"];

export default [
  require("@eslint/js").configs.recommended,
  {
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-undef": "off", // the type checker knows the names of browsers
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-new-func": "error",
      "no-restricted-globals": ["error", ...STORES.map((name) => ({ name, message: "Nothing of a session stays in the browser." }))],
      "no-restricted-properties": ["error", ...RAW.map((property) => ({ property, message: "Text of the model is never markup, and no cookie is set." }))],
      "no-shadow": "error",
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": ["error", { destructuring: "all" }],
      "prefer-template": "error",
    },
  },
  { files: ["api/console/page/**"], languageOptions: { sourceType: "module" } },
  {
    // It keeps the place to go on at after a sign-in, and nothing that is secret.
    files: ["api/console/page/app/tabs.js"],
    rules: { "no-restricted-globals": ["error", ...STORES.filter((name) => name !== "sessionStorage")] },
  },
  { ignores: ["api/console/page/vendor/**", "**/*.d.ts"] },
];
