// Pages of lists of the API: a row for each list says where it is and what its table shows.

import { html, nothing } from "../core/html.js";
import { get } from "../core/api.js";
import { Awaited } from "./awaited.js";
import { doneNotice } from "./done.js";
import { heading } from "./heading.js";
import { listPage } from "./list.js";
import { fileButtons, listFiles } from "./list_files.js";

// Returns the page of the lists `rows`. `action` stands beside its heading, and `filter` below it.
/** @type {(place: Place, page: {title: string, about: string, action?: Drawing, filter?: Drawing}, ...rows: ApiList[]) => Page} */
export function pageOfLists(place, { title, about, action, filter = nothing }, ...rows) {
  const lists = rows.map(({ what, where, limit, query: asked, file, ...shape }) => {
    const query = { ...asked, limit, cursor: place.query.get(shape.cursor ?? "cursor") };
    const read = (more, signal) => get(where, { query: { ...asked, ...more }, signal });
    return { ...shape, shape, files: file ? listFiles(file.name, file.members, read) : [], found: new Awaited(what, (signal) => get(where, { query, signal })) };
  });
  const top = heading(title, about);
  return {
    title,
    view: () => html`${action ? html`<div class="top">${top}${action}</div>` : top}
      ${doneNotice(place, () => lists.forEach(({ found }) => found.again()))}
      ${filter}
      ${lists.map(({ label = nothing, above = nothing, shape, found, files }) => html`<section aria-label=${label}>
        ${above}${found.view((one) => html`${listPage(place, one, shape)}${one.items.length && files.length ? fileButtons(files) : nothing}`)}</section>`)}`,
  };
}
