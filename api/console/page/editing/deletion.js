// The end of an element: it asks for the name, and shows what refers to the element if that prevents it.

import { html, nothing } from "../core/html.js";
import { KINDS, nameOf } from "../core/kinds.js";
import { goTo, placeLink } from "../core/place.js";
import { update } from "../core/update.js";
import { confirmEnd } from "../parts/dialog.js";
import { elementLink } from "./draft.js";
import { Preview } from "./preview.js";

const IN_USE = 409;

// Returns the ways to end a draft's element: `button()` begins it, `references(place)` draws what refers to it.
// `removed()` is called when it has ended.
export function deletion(draft, removed = () => goTo(placeLink(draft.env, draft.kind.segment))) {
  /** @type {any} */
  let inUse = null; // the refusal that names what refers to the element
  const { noun } = draft.kind;
  const refused = (problem) => {
    if (problem.status === IN_USE && problem.details.length) inUse = problem;
    update();
  };
  const remove = async (cascade) => {
    try {
      await draft.remove(cascade);
    } catch (problem) {
      refused(problem);
      throw problem;
    }
    removed();
  };
  const ask = (cascade, words) => {
    const preview = draft.kind.isOutside ? null : new Preview(draft.env, () => ({ ...draft.change(null), ...(cascade ? { cascade } : {}) }), refused);
    const text = () => html`<div class="wide"><p>${words}</p>${preview ? preview.view() : nothing}</div>`;
    confirmEnd({ title: `Delete this ${noun}?`, text, name: nameOf(draft.kind, draft.stored)[1], button: `Delete the ${noun}`, act: () => remove(cascade) });
  };
  return {
    button: () => html`<button class="danger" type="button" @click=${() => ask(false, draft.kind.ending ?? `Requests are decided without this ${noun} from then on.`)}>Delete</button>`,
    references: (place) =>
      inUse === null
        ? nothing
        : html`<section><h2>What refers to it</h2>
            <ul class="plain">${inUse.details.map((one) => html`<li>${reference(place.env, one)}</li>`)}</ul>
            <p class="actions"><button class="danger" type="button"
              @click=${() => ask(true, `What refers to it is deleted too, and a policy that loses its last role or type. An undo brings all of it back.`)}>Delete it with these references</button></p>
          </section>`,
  };
}

// An element that refers to another one, by its path in the API. The message has an assignment or a grant as a sentence, since
// an id that the service made says nothing to people.
function reference(env, { path, message }) {
  const [segment, ...key] = path.split("/").map(decodeURIComponent);
  const kind = KINDS.find((one) => one.segment === segment);
  if (!kind || kind.key.length !== key.length) return html`<code>${path}</code>`;
  const words = kind.said ? html`<span class="mono">${unquoted(message.replace(/ refers to it$/, ""))}</span>` : html`<code>${key.join(" ")}</code>`;
  return html`${kind.noun}: <a href=${elementLink(env, kind, key)}>${words}</a>`;
}

// The service puts a text in backticks, or in quotation marks if it has a backtick itself.
const unquoted = (text) => (text.startsWith('"') ? text.slice(1, -1).replace(/\\(["\\])/g, "$1") : text.slice(1, -1));
