// The undo of a revision, or of one of its elements: its effect first, then the choice, and what was changed again since.

import { html, nothing } from "../core/html.js";
import { call, path } from "../core/api.js";
import { placeLink } from "../core/place.js";
import { update } from "../core/update.js";
import { Act } from "../parts/act.js";
import { actor } from "../parts/actor.js";
import { Awaited } from "../parts/awaited.js";
import { openDialog } from "../parts/dialog.js";
import { noteDone } from "../parts/done.js";
import { failure, notice } from "../parts/notice.js";
import { goesRound } from "../parts/round_approvals.js";
import { when } from "../parts/when.js";
import { changedText } from "./changed_text.js";
import { difference } from "./difference.js";
import { effect } from "./preview.js";

const CONFLICT = 409;
const PENDING = 202;

// An undo that is asked for. `elements` are those to undo, {kind, id, type?}, or null for all of the revision.
class Undo {
  constructor(env, revision, elements) {
    this.where = path`/v1/environments/${env}/revisions/${revision}/undo`;
    this.env = env;
    /** @type {any[] | null} */
    this.elements = elements;
    this.act = new Act();
    this.preview = new Awaited("what the undo does", (signal) => this.ask(signal));
  }

  async ask(signal) {
    try {
      return await this.post({ dry_run: true }, signal).then(({ data }) => data);
    } catch (problem) {
      if (problem.status !== CONFLICT) throw problem;
      return { problem };
    }
  }

  post(more, signal) {
    const elements = this.elements ? { elements: this.elements } : {};
    return call("POST", this.where, { body: { ...elements, ...more }, signal });
  }

  // Takes the version before the revision all the same, over the one that the user has seen.
  goOver(contested) {
    const seen = contested.map(({ kind, id, type, version }) => ({ kind, id, ...(type === undefined ? {} : { type }), seen: version }));
    const isOf = (one) => (other) => other.kind === one.kind && other.id === one.id && other.type === one.type;
    this.elements = [...(this.elements ?? []).filter((one) => !seen.some(isOf(one))), ...seen];
    this.preview.again();
    update();
  }
}

// Opens the undo with its effect. `all` are the elements of the revision, which a choice among conflicts needs by name.
// `done(revision)` is called when it is in force.
/** @type {(place: Place, revision: number, elements: any[] | null, more: {title: string, all?: any[], done?: () => void}) => void} */
export function undoDialog(place, revision, elements, { title, all = [], done = () => {} }) {
  const undo = new Undo(place.env, revision, elements);
  const run = async (close) => {
    const answer = await undo.act.run(() => undo.post({}));
    if (answer === undefined) {
      if (undo.act.problem?.status === CONFLICT) undo.preview.again();
      return;
    }
    close();
    noteDone({ link: placeLink(place.env, place.page, place.given), ...outcome(place.env, revision, answer) });
    done();
    update();
  };
  openDialog({
    title,
    view: (close) => html`<div class="wide">${undo.preview.view((found) => html`
      ${found.problem ? failure(found.problem) : nothing}
      ${found.conflicts?.length ? conflicts(place.env, undo, found.conflicts, all, close) : content(place.env, found)}
      ${undo.act.trouble()}
      <p class="actions">
        ${canRun(found) ? html`<button type="button" ?disabled=${undo.act.isBusy} @click=${() => run(close)}>${undo.act.isBusy ? "Undoing…" : "Undo the change"}</button>` : nothing}
        <button class="quiet" type="button" @click=${close}>Close</button></p>`)}</div>`,
  });
}

const canRun = (found) => !found.problem && !found.conflicts?.length && !isEmpty(found) && !found.diagnostics.some((one) => one.severity === "error");
const isEmpty = (found) => !found.elements.length && !found.gateway && !found.diagnostics.length && found.tests === null;

function content(env, found) {
  if (found.problem) return nothing;
  if (found.gateway) return html`<h3>The gateway settings</h3>${difference(found.gateway.before, found.gateway.after, ["now", "then"])}`;
  if (isEmpty(found)) return html`<p>Nothing is left to undo: everything is as it was before.</p>`;
  return html`${goesRound(env)}${effect(env, found)}`;
}

function outcome(env, revision, { status, data }) {
  if (status === PENDING) return { text: "The change waits for an approval, on the page Promotion" };
  const undo = () => call("POST", path`/v1/environments/${env}/revisions/${data.revision}/undo`, { body: {} });
  return { text: `The change of revision ${revision} is undone, by revision ${data.revision}`, undo };
}

// The elements that were changed again: by whom, and both versions.
function conflicts(env, undo, found, all, close) {
  const named = () => {
    if (!undo.elements) undo.elements = all.map(({ kind, id, type }) => ({ kind, id, ...(type === undefined ? {} : { type }) }));
    undo.goOver(found);
  };
  return html`${notice("warn", html`<p>${found.length > 1 ? "These were" : "This was"} changed again since. Nothing is undone.</p>`)}
    ${found.map((one) => html`<section><h3>${one.kind.replaceAll("_", " ")} ${one.type ? html`<code>${one.type}</code> ` : nothing}<code>${one.id}</code></h3>
      ${one.revision ? html`<p>${one.stored ? "Changed" : "Deleted"} by ${actor(one.by)} in <a href=${placeLink(env, "history", [one.revision])} @click=${close}>revision ${one.revision}</a>, ${when(one.time)}</p>` : nothing}
      <p class="soft">As it is stored now, and as it was before the change:</p>
      ${one.text.length ? changedText(one.text, ["stored now", "before the change"]) : difference(one.stored, one.wanted, ["stored now", "before the change"])}</section>`)}
    <p class="actions"><button class="quiet" type="button" @click=${close}>Keep what is stored now</button>
      ${undo.elements || all.length ? html`<button class="quiet" type="button" @click=${named}>Take what was before, and show its effect</button>` : nothing}</p>`;
}
