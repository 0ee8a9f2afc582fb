// The operators of conditions: their words, the kind of their constant, the declared types that they can compare, and
// whether they need a value. Written from `bundles/conditions/operators.py` by `pytest --update-golden`.

export const OPERATORS = {
  eq: { label: "is", constant: "any", reads: ["string", "number", "boolean", "array", "object"], isNegation: false },
  ne: { label: "is not", constant: "any", reads: ["string", "number", "boolean", "array", "object"], isNegation: true },
  lt: { label: "is less than", constant: "ordered", reads: ["string", "number"], isNegation: false },
  lte: { label: "is at most", constant: "ordered", reads: ["string", "number"], isNegation: false },
  gt: { label: "is greater than", constant: "ordered", reads: ["string", "number"], isNegation: false },
  gte: { label: "is at least", constant: "ordered", reads: ["string", "number"], isNegation: false },
  in: { label: "is one of", constant: "list", reads: ["string", "number", "boolean", "array", "object"], isNegation: false },
  nin: { label: "is none of", constant: "list", reads: ["string", "number", "boolean", "array", "object"], isNegation: true },
  regex: { label: "matches", constant: "pattern", reads: ["string"], isNegation: false },
};
