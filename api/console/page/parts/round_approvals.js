// Changes that go round the approvals of their environment: those made in place, without a promotion. Their pages say so.

import { html, nothing } from "../core/html.js";
import { environmentOf } from "../core/environments.js";
import { notice } from "./notice.js";

// Returns whether changes in place go round approvals in an environment.
export const hasApprovals = (env) => Boolean(environmentOf(env)?.approvals);

// Returns what stands above the preview of a change in place, or nothing where no approvals are asked for.
export const goesRound = (env) => hasApprovals(env) ? notice("warn", html`<p>This change goes round the approvals of
  <span class="name">${env}</span>: it takes effect at once, and nobody else has to look at it. Only promotions, restorations and
  gateway settings wait.</p>`) : nothing;

// Returns the mark of a revision in place, where approvals are asked for now. A revision does not tell whether they were then.
export const wentRound = (env, revision) => hasApprovals(env) && !revision.promotion && !revision.changes.gateway
  ? html`<span class="tag warn">! without approval</span>` : nothing;
