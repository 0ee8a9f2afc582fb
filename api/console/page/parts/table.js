// A table: dense, with a head that stays. On a phone, each row is a card, and each cell has the name of its column beside it.
//
// The roles stand in the page, since some readers forget them where the look of a table is another one.

import { html, nothing } from "../core/html.js";

// Returns the drawing of a table. `columns` are {title, cell(row, env), isNumber?, isHeader?, look?(row)}: `isHeader` makes a cell name
// its row, and `look` returns classes. `link(row)` is the address of a row's page. With `sorting`, heads of columns with a `sort` lead to
// that order, see sorting.js.
/** @type {(given: {caption?: string, columns: Column[], rows: any[], link?: (row: any) => string, env?: string, sorting?: Sorting | null}) => Drawing} */
export function table({ caption, columns, rows, link, env, sorting = null }) {
  return html`<div class="scroll" tabindex="0"><table role="table">
    ${caption ? html`<caption>${caption}</caption>` : nothing}
    <thead role="rowgroup"><tr role="row">${columns.map((one) => head(one, sorting))}</tr></thead>
    <tbody role="rowgroup">${rows.map((row) => html`<tr role="row">${columns.map((one, at) => cell(one, row, env, at === 0, link))}</tr>`)}</tbody>
  </table></div>`;
}

const MARKS = { ascending: "▲", descending: "▼", none: "" };

function head(one, sorting) {
  const state = one.sort ? sorting?.state(one.sort) : null;
  const words = state ? html`<a class="sort" href=${sorting.link(one.sort)}>${one.title}<span aria-hidden="true"> ${MARKS[state]}</span></a><span class="unlinked">${one.title}</span>` : one.title;
  return html`<th role="columnheader" scope="col" class=${one.isNumber ? "number" : ""} aria-sort=${!state || state === "none" ? nothing : state}>${words}</th>`;
}

// Lets tables that are wider than their place scroll by themselves, and the others with the page. Called once a page is drawn.
export function fitTables() {
  for (const one of document.querySelectorAll(".scroll")) one.classList.toggle("large", one.scrollWidth > one.clientWidth);
}

// The first cell is the head of its card.
function cell(column, row, env, isFirst, link) {
  const found = column.cell(row, env);
  const content = isFirst && link ? html`<a href=${link(row)}>${found}</a>` : found;
  const look = [column.isNumber ? "number" : "", isFirst ? "top" : "", column.look?.(row) ?? ""].filter(Boolean).join(" ");
  if (column.isHeader) return html`<th role="rowheader" scope="row" class=${look}>${content}</th>`;
  if (isFirst || !column.title) return html`<td role="cell" class=${look}>${content}</td>`;
  return html`<td role="cell" class=${look} data-label=${column.title}><div>${content}</div></td>`;
}
