// The operators of conditions: their words, the kind of their constant, the declared types that they can compare,
// whether they need a value, and whether they compare the elements of an array. `pytest --update-golden` writes this
// file from `bundles/conditions/operators.py`.

export const OPERATORS = {
  eq: { label: "is", constant: "any", reads: ["string", "number", "boolean", "instant", "array", "object"], isNegation: false, isOfElements: false },
  ne: { label: "is not", constant: "any", reads: ["string", "number", "boolean", "instant", "array", "object"], isNegation: true, isOfElements: false },
  lt: { label: "is less than", constant: "ordered", reads: ["string", "number", "instant"], isNegation: false, isOfElements: false },
  lte: { label: "is at most", constant: "ordered", reads: ["string", "number", "instant"], isNegation: false, isOfElements: false },
  gt: { label: "is greater than", constant: "ordered", reads: ["string", "number", "instant"], isNegation: false, isOfElements: false },
  gte: { label: "is at least", constant: "ordered", reads: ["string", "number", "instant"], isNegation: false, isOfElements: false },
  in: { label: "is one of", constant: "list", reads: ["string", "number", "boolean", "instant", "array", "object"], isNegation: false, isOfElements: false },
  nin: { label: "is none of", constant: "list", reads: ["string", "number", "boolean", "instant", "array", "object"], isNegation: true, isOfElements: false },
  regex: { label: "matches", constant: "pattern", reads: ["string", "instant"], isNegation: false, isOfElements: false },
  has: { label: "contains", constant: "any", reads: ["array"], isNegation: false, isOfElements: true },
  has_any: { label: "contains any of", constant: "list", reads: ["array"], isNegation: false, isOfElements: true },
  has_none: { label: "contains none of", constant: "list", reads: ["array"], isNegation: false, isOfElements: true },
};
