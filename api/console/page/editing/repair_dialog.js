// A question that is asked in a dialog: its answer, and the ways to repair a denial. Also “give it to someone else”.

import { html, nothing } from "../core/html.js";
import { explained, resourceTypes } from "../core/asking.js";
import { placeLink } from "../core/place.js";
import { update } from "../core/update.js";
import { Awaited } from "../parts/awaited.js";
import { openDialog } from "../parts/dialog.js";
import { doneNotice, tellDoneAt } from "../parts/done.js";
import { allowing, verdict } from "../parts/proof.js";
import { typeName } from "../parts/rights.js";
import { entityField } from "./references.js";
import { repairsOf } from "./repairs.js";
import { Suggestions } from "./suggestions.js";

class Asked {
  // `place` is the page below the dialog. `like` is as in `repairsOf`.
  constructor(place, question, like = {}) {
    this.place = place;
    this.found = new Awaited("the answer", async (signal) => {
      const [answer, types] = await Promise.all([explained(place.env, question, signal), resourceTypes(place.env, signal)]);
      const asked = { request: question, typeIdOf: (name) => types.find((one) => typeName(one) === name)?.id ?? name };
      return { answer, asked: { ...asked, repairs: repairsOf(place.env, answer, asked, () => this.repaired(), like) } };
    });
  }

  repaired() {
    tellDoneAt(placeLink(this.place.env, this.place.page, this.place.given));
    this.found.again();
  }

  view() {
    return html`${doneNotice(this.place, () => this.found.again())}${this.found.view(({ answer, asked }) => html`${verdict(answer)}${
      answer.decision ? nothing : allowing(this.place.env, answer, asked)}`)}`;
  }
}

// Opens the answer to a question as it is now, with the ways to repair a denial.
/** @type {(place: Place, question: any) => void} */
export function openRepair(place, question) {
  const asked = new Asked(place, question);
  openDialog({
    title: "Repair a denial",
    view: (close) => html`<div class="wide">${asked.view()}
      <p class="actions"><button class="quiet" type="button" @click=${close}>Close</button></p></div>`,
  });
}

// Opens the ways to give another subject an access that one has. `question` is that access.
/** @type {(place: Place, question: any, like?: any) => void} */
export function giveAnother(place, question, like = {}) {
  const suggestions = new Suggestions(place.env);
  let subject = { type: question.subject.type, id: "" };
  /** @type {Asked | null} */
  let asked = null;
  const ask = (event) => {
    event.preventDefault();
    if (subject.type && subject.id) asked = new Asked(place, { ...question, subject }, like);
    update();
  };
  openDialog({
    title: "Give it to someone else",
    view: (close) => html`<div class="wide"><form @submit=${ask}>
      ${entityField({ label: "Subject", at: "other", value: subject, suggestions, segment: "subjects", set: (given) => ((subject = given), (asked = null), update()) })}
      <p class="actions"><button type="submit" ?disabled=${!subject.type || !subject.id}>Look for a way</button>
        <button class="quiet" type="button" @click=${close}>Close</button></p></form>
      ${asked ? asked.view() : nothing}</div>`,
  });
}

// Returns through what a subject has the access of an answer: {role, group}, as far as there are such.
export const heldBy = (answer) => answer.context.explanation?.candidates.find((one) => one.holds && one.effect !== "DENY")?.held_by ?? {};
