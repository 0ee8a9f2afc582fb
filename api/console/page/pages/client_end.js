// The ways to end a client's secret, its tokens, or the client.

import { html, nothing } from "../core/html.js";
import { announce } from "../core/announcement.js";
import { call, post } from "../core/api.js";
import { goTo, placeLink } from "../core/place.js";
import { signedIn } from "../core/session.js";
import { confirmEnd } from "../parts/dialog.js";
import { noteDone } from "../parts/done.js";
import { typable } from "./credential_fields.js";
import { askRotation } from "./rotation.js";

// Returns a function that draws these actions for a client.
export function endings({ place, where, again, showSecret }) {
  const renew = (one) => askRotation({
    title: `Make a new secret for ${one.name}`,
    old: "the old secret",
    about: "Tokens that the client has stay valid until they expire.",
    button: "Make a new secret",
    rotate: async (seconds) => {
      const made = await post(`${where}/secret`, { overlap_seconds: seconds });
      again();
      showSecret(made, "A new secret");
    },
  });
  const revoke = (one) => ask(one, {
    title: "Revoke this client",
    text: "Its secret and its tokens are refused at once, for good. It stays on the list.",
    button: "Revoke client",
    act: async () => {
      await post(`${where}/revoke`, undefined);
      announce("The client is revoked.");
      again();
    },
  });
  const remove = (one) => ask(one, {
    title: "Delete this client",
    text: "Its secret and its tokens are refused at once, for good, and it leaves the list. The audit log keeps its entries.",
    button: "Delete client",
    act: async () => {
      await call("DELETE", where);
      noteDone({ link: placeLink(place.env, place.page), text: `The client ${one.name} is deleted` });
      goTo(placeLink(place.env, place.page));
    },
  });
  return (one) => html`<section><h2>New secret, or end</h2><ul class="deeds">
    ${one.revoked ? nothing : html`
      ${deed("Make a new secret", "in place of the old one, which may work for some time more.", () => renew(one), "")}
      ${deed("Revoke client", "ends its secret and its tokens at once, for good, and keeps it on the list.", () => revoke(one))}`}
    ${deed("Delete client", "does the same and takes it off the list.", () => remove(one))}
  </ul></section>`;
}

// Returns the drawing of a dangerous action with what it does.
export const deed = (name, about, act, look = "danger") => html`<li>
  <button class=${look} type="button" @click=${act}>${name}…</button> <span class="soft">${about}</span></li>`;

function ask(one, given) {
  const own = signedIn().id === one.client_id ? " You are signed in with this client." : "";
  confirmEnd({ ...given, text: given.text + own, name: typable(one.name, one.client_id) });
}
