// Marks of policies: what one does, and that it is switched off.

import { html, nothing } from "../core/html.js";

// Returns the mark of a policy's effect.
export const effectTag = (one) => html`<span class="tag ${one.effect === "DENY" ? "deny" : "allow"}">${one.effect}</span>`;

// Returns the mark of a policy that is switched off.
export const offTag = (one) => (one.enabled === false ? html`<span class="tag warn">! switched off</span>` : nothing);
