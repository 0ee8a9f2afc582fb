// Calls the HTTP API with the credential of the session that asks.

import { told } from "./clock.js";
import { parseJson } from "./exact.js";
import { refuse, session } from "./session.js";

const BASE = new URL("../", document.baseURI); // the service may stand below a path of a proxy
const JSON_TYPE = "application/json";

const AWAY = [502, 503, 504]; // a proxy answers one of these for a service that it does not reach

// A call that the service refused, or that did not reach it. `message` is the sentence of the service, `details` are
// its findings ({code, path, message, line, column}), and `status` is 0 if there was no answer.
export class Refused extends Error {
  /**
   * @param {string} message
   * @param {number} status
   * @param {Fault[]} details
   * @param {string | null} requestId
   */
  constructor(message, status, details, requestId) {
    super(message);
    this.status = status;
    this.details = details;
    this.requestId = requestId;
  }
}

// Returns the path of a call, with each value as one segment: path`/v1/environments/${env}/policies/${id}`.
// Throws Refused for a value that no browser sends: it takes `..` for the folder above, escaped or not.
/** @type {(texts: TemplateStringsArray, ...values: unknown[]) => string} */
export const path = (texts, ...values) => texts.reduce((all, text, at) => all + segment(values[at - 1]) + text);

function segment(value) {
  const text = String(value);
  if (text === "." || text === "..") {
    throw new Refused(`A browser can't ask for the id \`${text}\`. Use the HTTP API or the command line.`, 0, [], null);
  }
  return encodeURIComponent(text);
}

// Calls the service and returns {data, etag, revision, requestId, status}. `data` is parsed JSON, text, or null if there is no body.
// Throws Refused. With an `AbortSignal` as `signal`, the call can be given up; then it throws an AbortError. A call belongs
// to the session that began it, and is given up when that one ends, even if its answer is here already.
/**
 * @param {string} method
 * @param {string} where
 * @param {{body?: unknown, query?: Record<string, any>, headers?: Record<string, string>, signal?: AbortSignal, type?: string, by?: Session}} [options]
 * @returns {Promise<{data: any, etag: string | null, revision: string, requestId: string, status: number}>}
 */
export async function call(method, where, { body, query, headers = {}, signal, type = JSON_TYPE, by = session() } = {}) {
  const url = new URL(`.${where}`, BASE);
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== "") url.searchParams.set(name, value);
  }
  const sent = { ...headers, "X-Request-ID": newRequestId(), ...authorization(by, method) };
  if (body !== undefined) sent["Content-Type"] = type;
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const until = by.until(signal);
  const credentials = by.hasCookie ? "same-origin" : "omit";
  const answer = await reach(url, { method, headers: sent, body: text, signal: until, credentials });
  told(answer.headers.get("Date"));
  const requestId = answer.headers.get("X-Request-ID") ?? sent["X-Request-ID"];
  const data = await read(answer);
  until.throwIfAborted();
  if (!answer.ok) throw refusal(by, method, answer, data, requestId);
  const revision = (answer.headers.get("Writ-Revision") ?? "").split(".").at(-1) ?? "";
  return { data, etag: answer.headers.get("ETag"), revision, requestId, status: answer.status };
}

// The data of a call, for those who need nothing else of its answer.
/** @type {(where: string, options?: Parameters<typeof call>[2]) => Promise<any>} */
export const get = async (where, options) => (await call("GET", where, options)).data;
/** @type {(where: string, body: unknown, options?: Parameters<typeof call>[2]) => Promise<any>} */
export const post = async (where, body, options) => (await call("POST", where, { body, ...options })).data;

// No other site can send the header of a session.
function authorization({ credential, hasCookie }, method) {
  if (hasCookie) return method === "GET" ? {} : { "X-Writ-Session": "1" };
  return credential === null ? {} : { Authorization: `Bearer ${credential}` };
}

async function reach(url, options) {
  try {
    return await fetch(url, { ...options, cache: "no-store", redirect: "error" });
  } catch (problem) {
    if (problem.name === "AbortError") throw problem;
    throw away(options.method);
  }
}

// Returns the problem of a service that does not answer. A change may have reached it all the same.
export function away(method = "GET", status = 0, requestId = null) {
  const what = status ? `The service is away: a proxy before it answered ${status}.` : "The service is away: it does not answer, or this network does not reach it.";
  const next = method === "GET" ? "What you wrote on this page stays. Try again in a moment." : "It may have taken what you sent, or not: look before you send it again. What you wrote on this page stays.";
  return new Refused(`${what} ${next}`, status, [], requestId);
}

async function read(answer) {
  const text = await answer.text();
  if (text === "") return null;
  if (!(answer.headers.get("Content-Type") ?? "").startsWith(JSON_TYPE)) return text;
  try {
    return parseJson(text);
  } catch {
    return text;
  }
}

function refusal(by, method, answer, data, requestId) {
  if (AWAY.includes(answer.status) && !data?.error) return away(method, answer.status, requestId);
  const message = data?.error ?? `The service answered ${answer.status}.`;
  if (answer.status === 401) refuse(by, message);
  return new Refused(message, answer.status, data?.details ?? [], requestId);
}

function newRequestId() {
  const bytes = crypto.getRandomValues(new Uint8Array(8));
  return `console-${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}
