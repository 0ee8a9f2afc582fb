// Who is signed in. The credential stays in the memory of this page: never in a store of the browser, nor in an address.

import { update } from "./update.js";

const SCOPES = ["read", "write", "admin"];

let held = null; // the API key or the access token
let caller = null; // what the service says of it
let ended = null; // why the last session ended

// Returns the credential to send, or null.
export function credential() {
  return held;
}

// Returns the answer of `GET /v1/caller`, or null if nobody is signed in.
export function signedIn() {
  return caller;
}

// Returns why the last session ended, or null.
export function endedBecause() {
  return ended;
}

// Takes a credential for the calls that follow. The session begins with `begin`.
export function present(text) {
  held = text;
}

// Begins the session of the credential that was presented.
export function begin(found) {
  caller = found;
  ended = null;
  update();
}

// Ends the session. The page that was open opens again after the next sign-in.
export function end(reason = null) {
  held = null;
  caller = null;
  ended = reason;
  update();
}

// Notes that the service refused the credential. A session that had begun is over.
export function refuse(message) {
  if (caller !== null) end(`Your session has ended: ${message}`);
}

// Returns whether the session's credential has a scope.
export function may(scope) {
  const best = Math.max(-1, ...(caller?.scopes ?? []).map((one) => SCOPES.indexOf(one)));
  return best >= SCOPES.indexOf(scope);
}
