// Small charts, drawn as SVG: each has its figures as text, for people who can't see it.

import { html, svg } from "../vendor/lit-html.js";
import { counted, instant, number } from "../core/words.js";

const HEIGHT = 96;
const STEP = 10;

// Returns a chart of minutes [{at, permitted, denied}]: the permitted ones below, the denied ones above them.
export function minutesChart(minutes) {
  const most = Math.max(1, ...minutes.map((one) => one.permitted + one.denied));
  const scale = (HEIGHT - 2) / most;
  const told = `Decisions by minute, at most ${counted(most, "decision")} in one.`;
  return html`<svg class="chart" viewBox="0 0 ${minutes.length * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${told}>
    ${svg`<line x1="0" x2=${minutes.length * STEP} y1=${HEIGHT - 0.5} y2=${HEIGHT - 0.5}></line>`}
    ${minutes.map((one, at) => bar(one, at, scale))}
  </svg>`;
}

function bar(minute, at, scale) {
  const [permitted, denied] = [minute.permitted * scale, minute.denied * scale];
  return svg`<g><title>${instant(minute.at)}: ${counted(minute.permitted, "permission")}, ${counted(minute.denied, "denial")}</title>
    <rect class="permitted" x=${at * STEP + 1} y=${HEIGHT - permitted} width=${STEP - 2} height=${permitted}></rect>
    <rect class="denied" x=${at * STEP + 1} y=${HEIGHT - permitted - denied} width=${STEP - 2} height=${denied}></rect></g>`;
}

// Returns named counts as bars: [[name, count]], the largest first.
export function shares(counts) {
  const most = counts[0][1];
  return html`<div class="share">${counts.map(
    ([name, count]) => html`<code>${name}</code>
      <meter min="0" max=${most} value=${count} aria-label=${name}></meter><span>${number(count)}</span>`,
  )}</div>`;
}
