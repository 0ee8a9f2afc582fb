// The number of elements of a list, and the list as a file.

import { kindOf } from "../core/kinds.js";
import { session } from "../core/session.js";
import { update } from "../core/update.js";
import { number } from "../core/words.js";
import { csv, Export } from "../parts/csv.js";

// The count of a list: that of its only page, or else the service is asked once, beside the page.
export class ListTotal {
  /** @param {Kind} kind
   * @param {(signal: AbortSignal) => Promise<any>} ask */
  constructor(kind, ask) {
    this.kind = kind;
    this.ask = ask;
    this.session = session();
    /** @type {{count: number, more: boolean} | null} */
    this.found = null;
    this.isAsked = false;
  }

  // Returns the words for a page of the list, or "" while they are not known.
  view(page, cursor) {
    if (!cursor && !page.next_cursor) return this.words({ count: page.items.length, more: false });
    if (!this.isAsked && kindOf(this.kind.name)) this.read();
    return this.found ? this.words(this.found) : "";
  }

  async read() {
    this.isAsked = true;
    try {
      this.found = (await this.ask(this.session.until())).total;
      update();
    } catch {
      // The list is of use without its count.
    }
  }

  words({ count, more }) {
    const noun = count === 1 && !more ? this.kind.noun : this.kind.plural.toLowerCase();
    return `${more ? "More than " : ""}${number(count)} ${noun}`;
  }
}

// Returns the export of a list as it is filtered: ids and the columns that are texts.
/** @type {(kind: Kind, env: string, columns: Column[], ask: (cursor: any, signal: AbortSignal) => Promise<any>) => Export} */
export function listFile(kind, env, columns, ask) {
  const shown = columns.filter((one) => one.csv);
  return new Export({
    name: `${env}-${kind.segment}.csv`,
    type: "text/csv",
    ask: async (next, signal) => {
      const found = await ask(next, signal);
      return { rows: found.items, next: found.next_cursor };
    },
    write: (rows) => csv(
      [...kind.key, ...shown.map((one) => one.title)],
      rows.map((row) => [...kind.key.map((name) => row[name]), ...shown.map((one) => one.csv?.(row))]),
    ),
    button: "Export as CSV",
  });
}
