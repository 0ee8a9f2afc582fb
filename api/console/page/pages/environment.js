// One environment: its settings, its gateway settings, and its end.

import { html, nothing } from "../core/html.js";
import { call, get, path } from "../core/api.js";
import { goTo, placeLink } from "../core/place.js";
import { signedIn } from "../core/session.js";
import { update } from "../core/update.js";
import { number } from "../core/words.js";
import { Act } from "../parts/act.js";
import { Awaited } from "../parts/awaited.js";
import { confirmEnd } from "../parts/dialog.js";
import { doneNotice, forgetDone, noteDone } from "../parts/done.js";
import { refusalOf } from "../parts/fault.js";
import { heading } from "../parts/heading.js";
import { when } from "../parts/when.js";
import { deed } from "./client_end.js";
import { PATHS, changedSettings, settingsFields, settingsOf } from "./environment_fields.js";
import { GatewayEditor } from "./environment_gateway.js";

const DEFAULT = "default"; // the environment that is always there

// Returns the page of the environment that a place names.
export function onePage(place) {
  const [id] = place.given;
  const where = path`/v1/environments/${id}`;
  const link = placeLink(place.env, place.page, [id]);
  /** @type {any} */
  const state = { place, where, link, act: new Act(), edit: null, isGone: false };
  state.one = new Awaited("the environment", async (signal) => {
    const found = await get(where, { signal });
    const unsaved = state.one.value ? changedSettings(state.one.value, state.edit) : {};
    state.edit = { ...settingsOf(found), ...unsaved };
    return found;
  });
  const gateway = new GatewayEditor(id, where, link);
  const again = () => (state.one.again(), gateway.again());
  return {
    title: `${id} · Environment`,
    isUnsaved: () => !state.isGone && (isChanged(state) || gateway.isUnsaved()),
    view: () => html`<div class="top">${heading(id, "An environment of the service", listOf(place))}
        ${id === place.env ? nothing : html`<a class="button plain" href=${placeLink(id, "overview")}>Go to this environment</a>`}</div>
      ${doneNotice(place, again)}
      ${state.one.view((one) => html`<div class="columns wide-first">
        <div class="stack"><section><h2>Settings</h2>${editor(state, one)}</section>
          <section><h2>Gateway settings</h2>${gateway.view()}</section></div>
        <div class="stack"><section><h2>What it is</h2>${facts(one)}</section>
          <section><h2>End</h2><ul class="deeds">
            ${deed("Delete environment", "deletes its model, its history and its policy tests, for good.", () => remove(state, one))}</ul></section></div>
      </div>`)}`,
  };
}

const listOf = (place) => ({ link: placeLink(place.env, place.page), name: "Environments" });

const isChanged = ({ one, edit }) => Boolean(one.value && edit) && Object.keys(changedSettings(one.value, edit)).length > 0;

function facts(one) {
  const history = placeLink(one.id, "history");
  return html`<dl>
      <dt>Revision</dt><dd><a href=${history}>${number(one.revision)}</a></dd>
      <dt>Last promotion</dt><dd>${one.baseline === null ? "none yet" : html`revision <a href=${placeLink(one.id, "history", [one.baseline])}>${number(one.baseline)}</a>`}</dd>
      <dt>Created</dt><dd>${when(one.created)}</dd>
    </dl>`;
}

function editor(state, one) {
  const { act, edit } = state;
  const save = async (event) => {
    event.preventDefault();
    forgetDone();
    const wanted = changedSettings(one, edit);
    const former = changedSettings(edit, one);
    const answer = await act.run(() => call("PATCH", state.where, { body: wanted }));
    if (!answer) return;
    state.one.value = answer.data;
    state.edit = settingsOf(answer.data);
    noteDone({ link: state.link, text: "The settings are saved", undo: () => call("PATCH", state.where, { body: former }) });
  };
  return html`<form @submit=${save}>
    ${settingsFields(edit, act.problem)}
    ${signedIn().kind === "admin_key" ? nothing : html`<p class="meta">Only the administrator's key takes away promotion only and approvals.</p>`}
    ${refusalOf(act.problem, PATHS)}
    <p class="actions"><button type="submit" ?disabled=${act.isBusy || !isChanged(state)}>Save</button>
      ${isChanged(state) ? html`<button class="quiet" type="button"
        @click=${() => ((state.edit = settingsOf(one)), (act.problem = null), update())}>Cancel</button>` : nothing}</p>
  </form>`;
}

function remove(state, one) {
  const { place } = state;
  confirmEnd({
    title: "Delete this environment?",
    text: "Its model, its history and its policy tests end for good, and every request to it is refused. The audit log keeps its entries.",
    name: one.id,
    button: "Delete environment",
    act: async () => {
      await call("DELETE", state.where);
      state.isGone = true;
      const link = placeLink(one.id === place.env ? DEFAULT : place.env, place.page);
      noteDone({ link, text: `The environment ${one.id} is deleted` });
      goTo(link);
    },
  });
}
