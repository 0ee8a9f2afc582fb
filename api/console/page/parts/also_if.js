// The resources on which a subject may do an action only if a request says more of its context: an answer with open gates has them, and
// the answer to the question as it stands does not.

import { html, nothing } from "../core/html.js";
import { search, searchOpen } from "../core/asking.js";
import { joined } from "../core/words.js";
import { Awaited } from "./awaited.js";
import { table } from "./table.js";

const KIND = "resource";
const PAGE_ROWS = 1_000;
const MOST_PAGES = 5; // of each answer
const MOST_SHOWN = 500;
const CONTEXT = "context.";

// Returns a function that draws them, or null for a question with a context: open gates would leave that out too. `columns` and
// `link(row)` are those of the table of the answer.
/** @type {(env: string, body: any, shape: {columns: Column[], link: (row: any) => string}) => ((isEmpty: boolean, open: string[]) => Drawing) | null} */
export function alsoIf(env, body, shape) {
  if (Object.keys(body.context ?? {}).length) return null;
  /** @type {Awaited<any> | null} */
  let found = null;
  return (_, open) => {
    const names = open.filter((one) => one.startsWith(CONTEXT));
    if (!names.length) return nothing;
    found ??= new Awaited("what depends on the context", (signal) => onlyIf(env, body, signal));
    return found.view((answer) => drawn(answer, names, shape));
  };
}

function drawn({ rows, isCut }, names, shape) {
  if (!rows.length && !isCut) return nothing;
  const shown = rows.slice(0, MOST_SHOWN);
  return html`<div class="also" role="region" aria-label="If the request says more"><h3><span class="tag warn">if …</span>Perhaps these too, if the request says more: ${joined(names.map((one) => html`<code>${one}</code>`))}</h3>
    ${shown.length ? table({ ...shape, rows: shown }) : nothing}
    ${isCut || shown.length < rows.length ? html`<p class="soft">There may be more of them. Say more in the question to see all.</p>` : nothing}</div>`;
}

// Returns the rows of the open answer that the decided one does not have. `isCut` says that there may be others.
/** @type {(env: string, body: any, signal: AbortSignal) => Promise<{rows: any[], isCut: boolean}>} */
export async function onlyIf(env, body, signal) {
  const [decided, open] = await Promise.all([search, searchOpen].map((ask) => pages((page) => ask(env, KIND, body, page, signal))));
  const ids = new Set(decided.rows.map((one) => one.id));
  const rows = decided.isCut ? upTo(open.rows, decided.rows.at(-1)?.id) : open.rows;
  return { rows: rows.filter((one) => !ids.has(one.id)), isCut: decided.isCut || open.isCut };
}

// Both answers have one order. What comes after the last row of a decided answer that was cut is not known.
function upTo(rows, id) {
  return rows.slice(0, rows.findIndex((one) => one.id === id) + 1);
}

async function pages(ask) {
  /** @type {any[]} */
  const rows = [];
  for (let count = 0, token; count < MOST_PAGES; count += 1) {
    const page = await ask({ limit: PAGE_ROWS, ...(token ? { token } : {}) });
    rows.push(...page.results);
    token = page.page?.next_token;
    if (!token) return { rows, isCut: false };
  }
  return { rows, isCut: true };
}
