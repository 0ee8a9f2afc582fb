// A note below a field whose text has characters that people can't see: a field shows none of them.

import { html, nothing } from "../core/html.js";
import { partsOf } from "../core/visible.js";

// Returns the note, or nothing if all of the text is seen.
export function unseenIn(text) {
  const found = [...new Set((partsOf(String(text ?? ""), false) ?? []).flatMap(({ unseen }) => unseen ?? []))];
  return found.length ? html`<p class="hint"><span class="tag warn">! not seen</span>This text has ${found.join(", ")}.</p>` : nothing;
}
