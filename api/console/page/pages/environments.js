// The environments of the service: all that the credential may see, and the way to a new one and to each of them.

import { html, nothing } from "../core/html.js";
import { post } from "../core/api.js";
import { goTo, placeLink } from "../core/place.js";
import { signedIn } from "../core/session.js";
import { number } from "../core/words.js";
import { Act } from "../parts/act.js";
import { noteDone } from "../parts/done.js";
import { refusalOf } from "../parts/fault.js";
import { heading } from "../parts/heading.js";
import { pageOfLists } from "../parts/list_page.js";
import { when } from "../parts/when.js";
import { onePage } from "./environment.js";
import { PATHS, idField, newSettings, settingsFields } from "./environment_fields.js";

const ABOUT = "Each environment has its own model, with its policies, its history and its policy tests.";

export function page(place) {
  if (place.given.length) return onePage(place);
  return place.query.get("new") ? newPage(place) : list(place);
}

function list(place) {
  return pageOfLists(place, { title: "Environments", about: ABOUT, action: creation(place) }, {
    what: "the environments", where: "/v1/environments", limit: 25,
    empty: "This credential may see no environment.",
    link: (one) => placeLink(place.env, place.page, [one.id]),
    columns: [
      { title: "Id", cell: (one) => html`<code>${one.id}</code>` },
      { title: "Description", cell: (one) => html`<span class="name">${one.description}</span>` },
      { title: "Protected", cell: (one) => yes(one.protected) },
      { title: "Promotion only", cell: (one) => yes(one.promotion_only) },
      { title: "Tests must pass", cell: (one) => yes(one.tests_must_pass) },
      { title: "Approvals", isNumber: true, cell: (one) => number(one.approvals) },
      { title: "Revision", isNumber: true, cell: (one) => number(one.revision) },
      { title: "Created", cell: (one) => when(one.created) },
    ],
  });
}

function creation(place) {
  if (signedIn().environments) return html`<p class="soft">This credential is bound to environments, so it can't create one.</p>`;
  return html`<a class="button" href=${placeLink(place.env, place.page, [], { new: "yes" })}>Create environment</a>`;
}

const yes = (isSo) => (isSo ? html`<span class="badge">yes</span>` : html`<span class="soft">no</span>`);

function newPage(place) {
  const draft = { id: "", ...newSettings() };
  const act = new Act();
  let isMade = false;
  const create = async (event) => {
    event.preventDefault();
    const made = await act.run(() => post("/v1/environments", draft));
    if (!made) return;
    isMade = true;
    const link = placeLink(place.env, place.page, [made.id]);
    noteDone({ link, text: "The environment is created. It has no model yet, so it denies every request" });
    goTo(link);
  };
  return {
    title: "New environment",
    isUnsaved: () => !isMade && (draft.id !== "" || draft.description !== ""),
    view: () => html`${heading("New environment", ABOUT, { link: placeLink(place.env, place.page), name: "Environments" })}
      <form class="card" @submit=${create}>
        ${idField(draft, act.problem)}${settingsFields(draft, act.problem)}
        ${act.problem ? refusalOf(act.problem, PATHS) : nothing}
        <p class="actions"><button type="submit" ?disabled=${act.isBusy}>Create environment</button>
          <a class="button quiet" href=${placeLink(place.env, place.page)}>Cancel</a></p>
      </form>`,
  };
}
