// A policy in two forms that follow each other: the form, and the `.writ` text. The service turns one into the other.

import { call, path } from "../core/api.js";
import { session } from "../core/session.js";
import { update } from "../core/update.js";

const PAUSE = 300; // milliseconds after the last key before the service is asked

export class TwoForms {
  // `draft` is the policy that is edited. A new policy has no text, and no errors, before something is filled in.
  constructor(draft) {
    this.session = session();
    this.draft = draft;
    this.text = "";
    this.sentence = null;
    this.diagnostics = [];
    this.isTextFaulty = false; // then the form shows the last text that could be read
    this.isDue = false; // whether the other form is behind
    this.problem = null;
    draft.changed = () => this.soon({ policy: draft.body });
    this.asked = 0;
    if (!draft.isNew) this.convert({ policy: draft.body });
  }

  // Takes a text that the user has typed.
  write(text) {
    this.text = text;
    this.soon({ text });
    update();
  }

  // Drops the text, and writes the form's policy again.
  dropText() {
    this.isTextFaulty = false;
    this.soon({ policy: this.draft.body });
  }

  soon(given) {
    clearTimeout(this.timer);
    this.given?.abort();
    this.isDue = true;
    this.timer = setTimeout(() => this.convert(given), PAUSE);
  }

  async convert(given) {
    const asked = ++this.asked;
    this.isDue = true;
    this.given = new AbortController();
    try {
      const where = path`/v1/environments/${this.draft.env}/policies:convert`;
      const { data } = await call("POST", where, { body: given, signal: this.session.until(this.given.signal) });
      if (asked === this.asked) this.take(given, data);
    } catch (problem) {
      if (problem.name === "AbortError" || asked !== this.asked) return;
      this.problem = problem;
      this.isDue = false;
    }
    update();
  }

  take(given, found) {
    this.problem = null;
    this.isDue = false;
    this.diagnostics = found.diagnostics;
    this.sentence = found.sentence;
    if (given.policy) {
      this.isTextFaulty = false;
      if (found.text !== null) this.text = found.text;
      return;
    }
    this.isTextFaulty = found.policy === null;
    if (found.policy !== null) this.follow(found.policy);
  }

  // The form takes the policy of the text.
  follow(policy) {
    const { draft } = this;
    draft.local.clear();
    draft.body = policy;
    const isOther = !draft.isNew && policy.id !== draft.stored.id;
    if (isOther) draft.fault("$.id", `the id of a stored policy stays; this one is \`${draft.stored.id}\``);
  }

  // Returns whether the policy can be saved as it is shown.
  get isSound() {
    const hasError = this.diagnostics.some((one) => one.severity === "error");
    return !hasError && !this.isTextFaulty && !this.isDue && this.draft.local.size === 0;
  }
}
