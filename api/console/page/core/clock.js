// The clock of the service, which decides what has started and what has expired. That of the browser may be wrong.

const HALF_SECOND = 500; // milliseconds: the service tells whole seconds

/** @type {number | null} */
let began = null; // what the clock of the service said when this page's own began, in milliseconds

// Takes the time of an answer, the text of its header `Date`.
export function told(date) {
  const at = Date.parse(date ?? "");
  if (!Number.isNaN(at)) began = at + HALF_SECOND - performance.now();
}

// Returns the time of the service in milliseconds since 1970: to a second, once it has answered something.
export const now = () => (began === null ? Date.now() : began + performance.now());

// Returns whether an assignment or a grant counts now (P4).
export const isInForce = ({ starts_at: start, expires_at: end }) => !(start && Date.parse(start) > now()) && !(end && Date.parse(end) <= now());
