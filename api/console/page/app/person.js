// The session of a person who signed in with the provider. It is in a cookie, which all tabs share.

import { get, post } from "../core/api.js";
import { html } from "../core/html.js";
import { goOn, Session, session, signedIn, signOut } from "../core/session.js";
import { update } from "../core/update.js";
import { openDialog, showDialogs } from "../parts/dialog.js";
import { failure } from "../parts/notice.js";
import { BEGUN, CHANNEL, ENDED, goAway, goAwayBeside } from "./tabs.js";

/** @type {{open: boolean, provider: string | null, sign_in: string | null, ask: string | null} | null} */
let offer = null;
const tabs = new BroadcastChannel(CHANNEL);

// Returns how people sign in, or null as long as that is not known.
export const offered = () => offer;

// Finds out how people sign in, and goes on with the session of the browser, if there is one.
export async function resume() {
  const by = new Session(null, true);
  try {
    offer = await get("/console/session", { by });
    if (offer?.open && !signedIn()) goOn(by, await get("/v1/caller", { by }));
    showDialogs();
  } catch {
    offer ??= { open: false, provider: null, sign_in: null, ask: null };
  }
  update();
}

// Goes to the provider, and comes back to the place that is open. If the page keeps unsaved text, another window goes.
export function goToProvider() {
  const url = offer?.sign_in ?? "";
  if (session().isAsleep) goAwayBeside(url);
  else goAway(url, location.hash);
}

// Ends the session of the user: of a key here, and of a person in every tab and at every server. Then the provider may ask
// whether to end its own session too.
export async function leave() {
  if (!session().hasCookie) return signOut();
  let answer;
  try {
    answer = await post("/console/sign-out", undefined);
  } catch (problem) {
    if (signedIn()) openDialog({ title: "You are still signed in", view: (close) => html`${failure(problem)}
      <p class="actions"><button type="button" @click=${close}>Close</button></p>` });
    return;
  }
  tabs.postMessage(ENDED);
  signOut();
  if (answer.provider_sign_out) goAway(answer.provider_sign_out, "");
}

tabs.addEventListener("message", ({ data }) => {
  if (data === BEGUN && !signedIn()) resume();
  if (data === ENDED && session().hasCookie) signOut();
});

// The other window may not reach this one: it has been away at the provider.
window.addEventListener("focus", () => {
  if (session().isAsleep) resume();
});
