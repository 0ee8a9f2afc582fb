// The groups and roles around one element as a picture: columns from members to roles, and a line for each membership and assignment.
//
// Each box is a link, and says for readers what the lines from it show.

import { html, nothing, svg } from "../core/html.js";
import { get, path } from "../core/api.js";
import { isInForce } from "../core/clock.js";
import { placeLink } from "../core/place.js";
import { Awaited } from "./awaited.js";

const WIDE = 144;
const HIGH = 40;
const GAP = 40;
const ROW = HIGH + 12;
const MOST = 60; // boxes, so that people can follow the lines
const SEGMENTS = { subject: "subjects", group: "groups", role: "roles" };

// Returns a function that draws the graph around an element, which `query` names: {group}, {role}, or the two of a subject.
export function graph(env, query) {
  /** @type {Awaited<any> | null} */
  let found = null;
  return () => {
    found ??= new Awaited("the groups and roles around it", (signal) => get(path`/v1/environments/${env}/graph`, { query, signal }));
    return html`<section><h2>Groups and roles around it</h2>${found.view((answer) => drawn(env, answer))}</section>`;
  };
}

// The nearest elements are the first ones, so these are connected without the others.
function drawn(env, { nodes: all, links: allLinks, truncated }) {
  if (!allLinks.length) return html`<p class="soft">It is in no group, and no assignment names it.</p>`;
  const nodes = all.slice(0, MOST);
  const links = allLinks.filter(({ lower, upper }) => lower < MOST && upper < MOST);
  const places = placed(nodes, links);
  const wide = Math.max(...places.map((one) => one.x)) + WIDE;
  const high = Math.max(...places.map((one) => one.y)) + HIGH;
  const isPartly = links.some((one) => !isInForce(one));
  return html`<div class="scroll"><svg class="graph" role="group" aria-label="Groups and roles" width=${wide + 2} height=${high + 2} viewBox=${`-1 -1 ${wide + 2} ${high + 2}`}>
      <g aria-hidden="true">${links.map((one) => line(places[one.lower], places[one.upper], one))}</g>
      ${nodes.map((one, at) => box(env, one, places[at], at, nodes, links))}</svg></div>
    <p class="soft">A line leads from a member to its group, or from a holder to its role.${isPartly ? " A dashed one is an assignment that does not count now." : nothing}
      ${truncated || all.length > MOST ? "There are more elements than are drawn." : nothing}</p>`;
}

// Members stand left of their groups, and roles on the right. In a circle of groups, the nearest way counts. A role that is held
// over the heads of other groups stands below them, so that no line runs behind a box.
function placed(nodes, links) {
  const columns = columnsOf(nodes, links);
  const isFar = (at) => links.some(({ lower, upper }) => upper === at && columns[at] - columns[lower] > 1);
  const first = Math.min(...columns);
  const rows = columns.map((column, at) => columns.slice(0, at).filter((one) => one === column).length);
  const lowest = 1 + Math.max(...rows.filter((_, at) => nodes[at].kind !== "role"));
  const far = nodes.map((_, at) => at).filter((at) => nodes[at].kind === "role" && isFar(at));
  const near = nodes.map((_, at) => at).filter((at) => nodes[at].kind === "role" && !isFar(at));
  near.forEach((at, row) => (rows[at] = row));
  far.forEach((at, row) => (rows[at] = Math.max(lowest, near.length) + row));
  return columns.map((column, at) => ({ x: (column - first) * (WIDE + GAP), y: rows[at] * ROW }));
}

function columnsOf(nodes, links) {
  const levels = [0, ...nodes.slice(1).map(() => NaN)];
  for (const step of [1, -1]) spread(nodes, links, levels, step);
  if (nodes[0].kind === "role") return levels;
  const last = Math.max(...levels.filter((level) => !Number.isNaN(level))) + 1;
  return levels.map((level, at) => (nodes[at].kind === "role" ? last : level));
}

function spread(nodes, links, levels, step) {
  for (const todo = [0]; todo.length; ) {
    const at = todo.shift() ?? 0;
    for (const { lower, upper } of links) {
      const [from, to] = step > 0 ? [lower, upper] : [upper, lower];
      if (from !== at || !Number.isNaN(levels[to]) || nodes[to].kind === "role") continue;
      levels[to] = levels[at] + step;
      todo.push(to);
    }
  }
}

// A line leaves a box to the right, goes to the row of the other one at once, and along it.
function line(from, to, link) {
  if (link.lower === link.upper) return nothing;
  const [x, y, end] = [from.x + WIDE, from.y + HIGH / 2, to.y + HIGH / 2];
  const way = to.x > from.x
    ? `M${x} ${y} C${x + GAP / 2} ${y} ${x + GAP / 2} ${end} ${x + GAP} ${end} L${to.x} ${end}`
    : `M${x} ${y} C${x + GAP} ${y} ${to.x - GAP} ${end} ${to.x} ${end}`;
  return svg`<path class=${isInForce(link) ? "" : "later"} d=${way}></path>`;
}

function box(env, one, { x, y }, at, nodes, links) {
  const key = one.kind === "subject" ? [one.type, one.id] : [one.id];
  const told = links.filter((link) => link.lower === at).map((link) => said(nodes[link.upper], link));
  const name = html`<span class="name">${one.name ?? one.id}</span>`;
  return svg`<foreignObject x=${x} y=${y} width=${WIDE} height=${HIGH}><div class=${at ? "stop" : "stop here"}>
    <span class="soft">${one.type ?? one.kind}</span>${at ? html`<a href=${placeLink(env, SEGMENTS[one.kind], key)}>${name}</a>` : name}
    ${told.length ? html`<span class="hidden">${told.join(", ")}</span>` : nothing}</div></foreignObject>`;
}

const said = (upper, link) =>
  `${link.assignment === null ? "is a member of" : "holds"} ${upper.name ?? upper.id}${isInForce(link) ? "" : ", but not now"}`;
