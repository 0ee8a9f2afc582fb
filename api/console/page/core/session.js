// The user's sign-in. The credential stays in the memory of this page: never in a store of the browser, nor in an address.

import { update } from "./update.js";

const SCOPES = ["read", "write", "admin"];

// The time between a sign-in and its end. Calls, pages and actions belong to the session that began them: they
// end with it, so that nothing of one caller goes on as the next one.
export class Session {
  // `credential` is the API key or the access token, or null for a call that needs none.
  /** @param {string | null} credential */
  constructor(credential) {
    this.credential = credential;
    /** @type {any} */
    this.caller = null; // what the service says of it
    this.ending = new AbortController();
  }

  get isOver() {
    return this.ending.signal.aborted;
  }

  // Returns a signal that gives up when this session ends, or when `signal` does.
  /** @param {AbortSignal} [signal] */
  until(signal) {
    return AbortSignal.any(signal ? [this.ending.signal, signal] : [this.ending.signal]);
  }
}

const SIGNED_OUT = new Session(null);
SIGNED_OUT.ending.abort();

/** @type {((isSignOut: boolean) => void)[]} */
const forgetting = [];
let current = SIGNED_OUT;
/** @type {string | null} */
let ended = null; // why the last session ended

// Returns the session of now. If no user is signed in, it is one that is over.
export function session() {
  return current;
}

// Returns the answer of `GET /v1/caller`, or null if no user is signed in.
export function signedIn() {
  return current.caller;
}

// Returns why the last session ended, or null.
export function endedBecause() {
  return ended;
}

// Begins a session, as the caller that the service found for it.
export function begin(next, caller) {
  next.caller = caller;
  current = next;
  ended = null;
  update();
}

// Ends the session at the user's wish. Nothing of it stays.
export function signOut() {
  end(null);
}

// Notes that the service refused the credential of a session. If that is the one of now, it is over. The page that was
// open opens again after the next sign-in.
export function refuse(refused, message) {
  if (refused === current) end(`Your session has ended: ${message}`);
}

// Tells what a module does when a session ends: it forgets what it knows of it. `forget(isSignOut)` is told whether the
// user wished it; else the credential has expired or is revoked.
/** @param {(isSignOut: boolean) => void} forget */
export function whenSessionEnds(forget) {
  forgetting.push(forget);
}

function end(reason) {
  const { ending } = current;
  current = SIGNED_OUT;
  ended = reason;
  ending.abort();
  for (const forget of forgetting) forget(reason === null);
  update();
}

// Returns whether the session's credential has a scope.
export function may(scope) {
  const best = Math.max(-1, ...(current.caller?.scopes ?? []).map((one) => SCOPES.indexOf(one)));
  return best >= SCOPES.indexOf(scope);
}
