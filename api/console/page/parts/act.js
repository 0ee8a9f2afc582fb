// An action of the user that calls the API: it runs once at a time, and its error stands where it happened.

import { nothing } from "../core/html.js";
import { session } from "../core/session.js";
import { update } from "../core/update.js";
import { failure } from "./notice.js";

export class Act {
  constructor() {
    this.session = session();
    this.isBusy = false;
    /** @type {any} */
    this.problem = null;
  }

  // Does `work()`, which returns a promise. Returns its value, or undefined if it failed, if another one still runs, or
  // if the session has ended in which the action was offered.
  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T | undefined>}
   */
  async run(work) {
    if (this.isBusy || this.session.isOver) return undefined;
    [this.isBusy, this.problem] = [true, null];
    update();
    try {
      return await work();
    } catch (found) {
      this.problem = found;
      return undefined;
    } finally {
      this.isBusy = false;
      update();
    }
  }

  // Returns the drawing of the error, if there is one. `retry` does it again.
  /** @param {(() => unknown) | null} retry */
  trouble(retry = null) {
    return this.problem ? failure(this.problem, retry) : nothing;
  }
}
