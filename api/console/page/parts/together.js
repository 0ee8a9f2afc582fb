// Several answers of one page: a problem that some of them share is told once, with one way to ask all of these again.

import { html, nothing } from "../core/html.js";
import { update } from "../core/update.js";
import { failure } from "./notice.js";

// The answers `parts`, each an Awaited.
export class Together {
  constructor(...parts) {
    this.parts = parts;
  }

  // Returns the problem that several answers have in the same words, or null.
  get problem() {
    const problems = this.parts.map((one) => one.problem).filter((one) => one && one.name !== "AbortError");
    return problems.find((one, at) => problems.some((other, place) => place > at && other.message === one.message)) ?? null;
  }

  // Returns whether the notice tells the problem of an answer.
  isTold(part) {
    return part.problem !== null && part.problem.message === this.problem?.message;
  }

  // Returns whether it tells those of all answers, so that the page has nothing else to show.
  get isAll() {
    return this.parts.every((one) => this.isTold(one));
  }

  // Returns the drawing of the shared problem.
  notice() {
    if (!this.problem) return nothing;
    const told = this.parts.filter((one) => this.isTold(one));
    return failure(this.problem, () => (told.forEach((one) => one.again()), update()));
  }

  // Returns the drawing of one answer, as it does itself, unless the notice tells its problem.
  view(part, draw) {
    return this.isTold(part) ? html`<p class="soft">Not read: see above.</p>` : part.view(draw);
  }
}
