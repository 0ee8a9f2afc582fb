// Small charts, drawn as SVG: each has its figures as text, for people who can't see it.

import { html, svg } from "../core/html.js";
import { counted, instant, number } from "../core/words.js";

const HEIGHT = 96;
const STEP = 10;
const MINUTES = 60;

// Returns a chart of the last hour's minutes [{at, permitted, denied}]: the permitted ones below, the denied ones above
// them. The newest is on the right; a service that is younger than an hour leaves the left empty.
export function minutesChart(minutes) {
  const shown = minutes.slice(-MINUTES);
  const most = Math.max(1, ...shown.map((one) => one.permitted + one.denied));
  const scale = (HEIGHT - 2) / most;
  const first = MINUTES - shown.length;
  const told = `Decisions by minute, at most ${counted(most, "decision")} in one.`;
  return html`<svg class="chart" viewBox="0 0 ${MINUTES * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${told}>
    ${svg`<line x1="0" x2=${MINUTES * STEP} y1=${HEIGHT - 0.5} y2=${HEIGHT - 0.5}></line>`}
    ${shown.map((one, at) => bar(one, first + at, scale))}
  </svg>`;
}

function bar(minute, at, scale) {
  const [permitted, denied] = [minute.permitted * scale, minute.denied * scale];
  return svg`<g><title>${instant(minute.at)}: ${counted(minute.permitted, "permission")}, ${counted(minute.denied, "denial")}</title>
    <rect class="permitted" x=${at * STEP + 1} y=${HEIGHT - permitted} width=${STEP - 2} height=${permitted}></rect>
    <rect class="denied" x=${at * STEP + 1} y=${HEIGHT - permitted - denied} width=${STEP - 2} height=${denied}></rect></g>`;
}

// Returns named counts of denials as bars: [[name, count]], the largest first.
export function shares(counts) {
  const most = counts[0][1];
  return html`<div class="share">${counts.map(
    ([name, count]) => html`<span>${name}</span>
      <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true"><rect class="denied" width=${(100 * count) / most} height="10"></rect></svg>
      <span>${number(count)}</span>`,
  )}</div>`;
}
