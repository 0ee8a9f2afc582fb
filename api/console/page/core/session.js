// The user's sign-in. A key stays in the memory of this page: never in a store of the browser, nor in an address. The secret
// of a person's session is in a cookie that no script can read.

import { hasUnsaved } from "./unsaved.js";
import { update } from "./update.js";

const SCOPES = ["read", "write", "admin"];

// The time between a sign-in and its end. Calls, pages and actions belong to the session that began them: they
// end with it, so that nothing of one caller goes on as the next one.
export class Session {
  // `credential` is the API key or the access token, or null for a call that needs none. `hasCookie`: it is a person's.
  /** @param {string | null} credential @param {boolean} hasCookie */
  constructor(credential, hasCookie = false) {
    this.credential = credential;
    this.hasCookie = hasCookie;
    this.isAsleep = false; // it has ended, and the page keeps unsaved text until the same person signs in again
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
  return current.isAsleep ? null : current.caller;
}

// Returns why the last session ended, or null.
export function endedBecause() {
  return ended;
}

// Begins a session, as the caller that the service found for it.
export function begin(next, caller) {
  if (current.isAsleep) end(null); // its text belongs to somebody else
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
// open opens again after the next sign-in. Unsaved text of a person stays, unseen, for the same person.
export function refuse(refused, message) {
  if (refused !== current || current.isAsleep) return;
  const reason = `Your session has ended: ${message}`;
  if (!current.hasCookie || !hasUnsaved()) return end(reason);
  [current.isAsleep, ended] = [true, reason];
  update();
}

// Goes on with a person's sign-in: with the page as it was, if the same person wrote on it, or else as a new session.
export function goOn(next, caller) {
  if (!current.isAsleep || current.caller.id !== caller.id) return begin(next, caller);
  [current.isAsleep, current.caller, ended] = [false, caller, null];
  update();
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
