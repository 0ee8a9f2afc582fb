// JSON without loss: an integer that a double can't hold stays as it was written, so that saving an element keeps it.

const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

// Returns the value of a JSON text. Throws SyntaxError.
export const parseJson = (text) => JSON.parse(text, keepLong);

function keepLong(name, value, context) {
  const isRounded = typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value);
  return isRounded && context?.source && JSON.rawJSON ? JSON.rawJSON(context.source) : value;
}

// Returns whether a value of JSON is a number, also one that a double can't hold.
export const isNumber = (value) => typeof value === "number" || isLong(value);

// Returns whether a value is an object with members. A number that a double can't hold is none.
export const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value) && !isLong(value);

// Returns the number that a text names, or undefined.
export const numberIn = (text) => (NUMBER.test(text.trim()) ? parseJson(text.trim()) : undefined);

// Returns whether two values of JSON have the same members, in whatever order, and the same elements.
export function isSame(one, other) {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return Array.isArray(other) && one.length === other.length && one.every((item, at) => isSame(item, other[at]));
  }
  if (!isObject(one) || !isObject(other)) return JSON.stringify(one) === JSON.stringify(other);
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => name in other && isSame(one[name], other[name]));
}

function isLong(value) {
  return Boolean(JSON.isRawJSON?.(value));
}
