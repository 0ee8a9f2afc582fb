// An answer that a page waits for: it shows that it waits, lets the user give up, and shows the error where the answer would be.

import { html, nothing } from "../core/html.js";
import { failure } from "./notice.js";
import { session } from "../core/session.js";
import { update } from "../core/update.js";

const SHOWN_AFTER = 300; // milliseconds
const ENDED_AFTER = 10_000; // milliseconds until the user may give up

// An answer that is on its way. `ask` gets an AbortSignal and returns a promise. `what` names it: "the policies".
/** @template T */
export class Awaited {
  /**
   * @param {string} what
   * @param {(signal: AbortSignal) => Promise<T>} ask
   */
  constructor(what, ask) {
    this.session = session();
    this.what = what;
    this.ask = ask;
    /** @type {T | undefined} */
    this.value = undefined;
    /** @type {any} */
    this.problem = null;
    /** @type {AbortController | null} */
    this.given = null;
    this.again();
  }

  // Asks (again). What was there stays until the new answer comes.
  again() {
    this.given?.abort();
    this.given = new AbortController();
    this.problem = null;
    this.waitedFor = 0;
    this.asked = this.run(this.given);
    return this.asked;
  }

  // Returns the newest answer once it is there, for those who ask something else with it. Asks again if the last one
  // failed. Throws the problem.
  async answer() {
    if (this.problem) this.again();
    let waitedFor;
    do {
      waitedFor = this.asked;
      await waitedFor;
    } while (waitedFor !== this.asked);
    if (this.problem) throw this.problem;
    return this.value;
  }

  async run(given) {
    const timers = [SHOWN_AFTER, ENDED_AFTER].map((after) => setTimeout(() => this.waited(after, given), after));
    try {
      this.value = await this.ask(this.session.until(given.signal));
    } catch (problem) {
      if (given === this.given) this.problem = problem;
    } finally {
      timers.forEach(clearTimeout);
    }
    if (given !== this.given) return;
    this.given = null;
    update();
  }

  // Returns whether an answer is on its way.
  get isBusy() {
    return this.given !== null;
  }

  waited(after, given) {
    if (given !== this.given) return;
    this.waitedFor = after;
    update();
  }

  // Returns the drawing of the answer by `draw(value)`, or of the waiting for it, or of the problem.
  /** @param {(value: T) => Drawing} draw
   * @returns {Drawing} */
  view(draw) {
    if (this.problem) return failure(this.problem, () => (this.again(), update()));
    if (this.value !== undefined) return draw(this.value);
    return this.given ? waiting(this.what, this.waitedFor, () => this.given?.abort()) : nothing;
  }
}

// Returns the drawing of a wait that takes `waited` milliseconds already.
export function waiting(what, waited, giveUp) {
  if (waited < SHOWN_AFTER) return nothing;
  return html`<p class="waiting" role="status">
    Reading ${what}…
    ${waited >= ENDED_AFTER ? html`<button class="quiet" type="button" @click=${giveUp}>Cancel</button>` : nothing}
  </p>`;
}
