// The overview: what needs attention, what the environment holds, what was decided in the last hour, and what its model warns about.

import { html, nothing } from "../core/html.js";
import { get, path } from "../core/api.js";
import { ASSIGNMENT, GRANT, GROUP, POLICY, RESOURCE, RESOURCE_TYPE, ROLE, SUBJECT } from "../core/kinds.js";
import { placeLink } from "../core/place.js";
import { reasonWords } from "../core/reasons.js";
import { atThisServer, counted, distance, number } from "../core/words.js";
import { Awaited } from "../parts/awaited.js";
import { minutesChart, shares } from "../parts/chart.js";
import { finding } from "../parts/findings.js";
import { nothingYet } from "../parts/notice.js";
import { Together } from "../parts/together.js";
import { attentionView } from "./attention.js";

const COUNTED = [POLICY, ROLE, GROUP, SUBJECT, RESOURCE_TYPE, RESOURCE, ASSIGNMENT, GRANT];
const SHOWN_FINDINGS = 10;

export function page({ env }) {
  const ask = (what, name) => new Awaited(what, (signal) => get(path`/v1/environments/${env}/` + name, { signal }));
  const attention = ask("what needs attention", "attention");
  const counts = ask("the counts", "counts");
  const figures = ask("the last hour", "figures");
  const lints = ask("the warnings", "lints");
  const about = new Awaited("the environment", (signal) => get(path`/v1/environments/${env}`, { signal }));
  const all = new Together(attention, counts, figures, about, lints);
  const halves = () => html`<div class="halves">
        <section><h2>Decisions of the last hour${atThisServer(figures.value)}</h2>${all.view(figures, hour)}</section>
        <section><h2>Why requests were denied${atThisServer(figures.value)}</h2>${all.isTold(figures) ? nothing : figures.view(denials)}</section>
      </div>
      <div class="halves">
        <section><h2>Revision and promotion</h2>${all.view(about, (one) => all.view(attention, (found) => standing(one, found)))}</section>
        <section><h2>Warnings of the model</h2>${all.view(lints, warnings)}</section>
      </div>`;
  return {
    title: "Overview",
    view: () => html`<h1>Overview<small>What needs attention in <span class="name">${env}</span>, and what it holds and decided.</small></h1>
      ${all.notice()}
      ${all.isAll ? nothing : html`<section><h2>What needs attention</h2>${all.view(attention, (found) => attentionView(env, found))}</section>
      <div class="tiles">${all.view(counts, (found) => COUNTED.map((kind) => tile(env, kind, found.counts)))}</div>
      ${halves()}`}`,
  };
}

function tile(env, kind, counts) {
  return html`<a class="card" href=${placeLink(env, kind.segment)}>
    <strong>${number(counts[kind.name] ?? 0)}</strong> <span class="soft">${kind.plural}</span></a>`;
}

function hour(figures) {
  const permitted = figures.minutes.reduce((sum, one) => sum + one.permitted, 0);
  const denied = figures.minutes.reduce((sum, one) => sum + one.denied, 0);
  if (!permitted && !denied) return nothingYet("Nothing was asked in the last hour. Decisions appear here by the minute.");
  return html`<p>
      <span class="mark yes" aria-hidden="true">✓</span>${counted(permitted, "permission")}
      <span class="mark no" aria-hidden="true">✕</span>${counted(denied, "denial")}</p>
    ${minutesChart(figures.minutes)}
    <p class="soft">Counted since ${distance(figures.since)}. Each bar is a minute.</p>`;
}

function denials(figures) {
  const reasons = Object.entries(figures.reasons).filter(([code, count]) => code !== "ALLOWED" && count);
  if (!reasons.length) return nothingYet("Nothing was denied in the last hour.");
  return shares(reasons.sort((one, other) => other[1] - one[1]).map(([code, count]) => [reasonWords(code), count]));
}

function standing(about, { edited }) {
  return html`<dl>
    <dt>Revision</dt><dd>${number(about.revision)}</dd>
    <dt>Last promotion</dt><dd>${about.baseline === null ? "none yet" : `revision ${number(about.baseline)}`}</dd>
    <dt>Drift</dt><dd>${
      edited === null
        ? "Nothing was promoted to this environment."
        : edited
          ? html`<span class="tag warn">! drifted</span>${counted(edited, "change")} since the promotion`
          : "None: the policy model is the promoted one."
    }</dd>
  </dl>`;
}

function warnings(lints) {
  if (!lints.items.length) return nothingYet("No warnings. The lints of the model found nothing.");
  const more = lints.items.length - SHOWN_FINDINGS;
  return html`${lints.items.slice(0, SHOWN_FINDINGS).map(finding)}
    ${more > 0 || lints.truncated ? html`<p class="soft">and ${more > 0 ? number(more) : ""} more</p>` : nothing}`;
}
