// A question that is asked with the change of a draft. Nothing is written.

import { html } from "../core/html.js";
import { tried } from "../core/asking.js";
import { Awaited } from "../parts/awaited.js";
import { verdict } from "../parts/proof.js";

export class Trial {
  // `question` is an evaluation, as pages ask it.
  constructor(draft, question) {
    this.found = new Awaited("the answer with this change", (signal) => tried(draft.env, [draft.change()], question, signal));
  }

  // Asks again, with what the draft is now.
  again() {
    return this.found.again();
  }

  // Returns the drawing of the answer. The preview tells the errors of the change.
  view() {
    return html`<h3>The question, with this change</h3>
      ${this.found.view(({ answer }) => (answer ? verdict(told(answer)) : html`<p class="soft">It can't be asked: the change has errors.</p>`))}`;
  }
}

// An id that a new element gets would say nothing, and is another one when it is saved.
const told = (answer) => (answer.decision ? { ...answer, context: { reason: "with this change, the answer is another one" } } : answer);

// Returns whether a draft would allow a question that is denied now. Refusals of the draft's change are a no.
/** @type {(draft: Draft, question: any, signal?: AbortSignal) => Promise<boolean>} */
export const flips = async (draft, question, signal) => (await tried(draft.env, [draft.change()], question, signal)).answer?.decision === true;

