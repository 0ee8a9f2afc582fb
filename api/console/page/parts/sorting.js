// The order of a list, which stands in the address: the heads of its table lead to other orders, and a field where there are no heads.

import { html, nothing } from "../core/html.js";
import { placeLink } from "../core/place.js";

const NAMES = { id: "id", name: "name", expires_at: "end" };
const DEFAULT = "id";

export class Sorting {
  // `members` are those that the list can be sorted by. With `hasTypes`, its types come first in each order.
  /** @param {Place} place
   * @param {string[]} members
   * @param {boolean} hasTypes */
  constructor(place, members, hasTypes) {
    this.place = place;
    this.members = members;
    this.hasTypes = hasTypes;
    const asked = place.query.get("sort") ?? "";
    /** The order for the API. What has a part of a text comes in the order of the list. */
    this.asked = place.query.get("q") || asked === DEFAULT ? null : asked || null;
  }

  // Returns "ascending" or "descending" if the list is sorted by a member, "none" if it can be, and null if it can't.
  state(member) {
    if (!this.members.includes(member) || this.place.query.get("q")) return null;
    const order = this.asked ?? DEFAULT;
    if (order === `-${member}`) return "descending";
    return order === member ? "ascending" : "none";
  }

  // Returns the address of the list by a member, or the other way round if it is sorted by that.
  link(member) {
    const sort = this.state(member) === "ascending" ? `-${member}` : member === DEFAULT ? undefined : member;
    return placeLink(this.place.env, this.place.page, [], { ...Object.fromEntries(this.place.query), cursor: undefined, sort });
  }

  // Returns a sentence, if types come before what the list is sorted by.
  caption() {
    if (!this.asked || !this.hasTypes) return undefined;
    return `Sorted by ${this.words(this.asked)}.`;
  }

  words(sort) {
    const word = NAMES[sort.replace("-", "")] ?? sort;
    return `${this.hasTypes ? `type, then ${word}` : word}${sort.startsWith("-") ? ", backwards" : ""}`;
  }

  // Returns the drawing of the field: where a list has no table it is the only way, and where it has one, a phone shows it.
  field(hasHeads) {
    if (!this.members.length) return nothing;
    const choices = this.members.flatMap((one) => [one, `-${one}`]);
    return html`<div class=${hasHeads ? "without-heads" : ""}><label for="by-sort">Order</label><select id="by-sort" name="sort">${choices.map(
      (one) => html`<option value=${one === DEFAULT ? "" : one} .selected=${one === (this.asked ?? DEFAULT)}>by ${this.words(one)}</option>`,
    )}</select></div>`;
  }
}
