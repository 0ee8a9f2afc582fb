// Begins: draws the page, follows the address, and asks for a sign-in where there is none.

import { away } from "../core/api.js";
import { html, nothing, render } from "../core/html.js";
import { goTo, placeLink, readPlace } from "../core/place.js";
import { session, signedIn, whenSessionEnds } from "../core/session.js";
import { mayLeave, watchUnsaved } from "../core/unsaved.js";
import { drawWith, update } from "../core/update.js";
import { visible } from "../core/visible.js";
import { drawDialogs } from "../parts/dialog.js";
import { failure } from "../parts/notice.js";
import { isSecretShown } from "../parts/secret.js";
import { fitTables } from "../parts/table.js";
import { listenToKeys } from "./keys.js";
import { closeMenu } from "./menu.js";
import { pageOf } from "./pages.js";
import { openPalette } from "./palette.js";
import { keysDialog, shell, watchHead } from "./shell.js";
import { offered, resume } from "./person.js";
import { signIn } from "./sign_in.js";

const LONGEST_TITLE = 80; // characters

let link = location.hash; // of the page that is open: the address may be ahead of it until `hashchange`
let place = readPlace(link);
/** @type {{link: string, page: Page | null} | null} */
let shown = null; // {link, page} that is drawn, with `page` null while its file loads
/** @type {any} */
let problem = null;

drawWith(() => {
  const caller = signedIn();
  if (caller && shown?.link !== link) openPage();
  document.title = caller ? visible(`${clipped(shown?.page?.title ?? "Writ")} · ${place.env} · Writ`) : "Sign in · Writ";
  const outside = offered() ? signIn() : nothing; // first, the browser may have a session
  render(html`${caller ? shell(place, content()) : outside}${session().isAsleep ? nothing : drawDialogs()}`, document.body);
  watchHead();
  fitTables();
});

// The page goes with its session. A secret that is still on the screen is not left without a question.
whenSessionEnds(() => {
  [shown, problem] = [null, null];
  watchUnsaved(isSecretShown);
});

const clipped = (text) => (text.length > LONGEST_TITLE ? `${text.slice(0, LONGEST_TITLE)}…` : text);

/** @type {() => never} */
function notThere() {
  throw away(); // the file of the page did not come
}

async function openPage() {
  /** @type {{link: string, page: Page | null}} */
  const opening = { link, page: null };
  shown = opening;
  problem = null;
  watchUnsaved(null);
  try {
    const file = await pageOf(place.page).open().catch(notThere);
    if (shown !== opening) return;
    opening.page = file.page(place);
    watchUnsaved(opening.page.isUnsaved);
  } catch (found) {
    if (shown === opening) problem = found;
  }
  update();
}

function content() {
  if (problem) return failure(problem, openPage);
  return shown?.page ? shown.page.view() : nothing;
}

window.addEventListener("hashchange", () => {
  if (location.hash === link) return;
  if (!mayLeave()) {
    history.replaceState(null, "", link); // the user stays, and so does the address
    return;
  }
  link = location.hash;
  place = readPlace(link);
  closeMenu();
  update();
  window.scrollTo(0, 0);
  document.querySelector("main")?.focus({ preventScroll: true });
});

window.addEventListener("resize", update);
listenToKeys({ open: (page) => goTo(placeLink(place.env, page.id)), help: () => signedIn() && keysDialog(), find: () => signedIn() && openPalette(place.env) });
update();
resume();
