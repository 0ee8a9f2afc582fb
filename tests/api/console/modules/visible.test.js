// Characters that people can't see: drawings, tables and JSON lines show their numbers, and nothing else changes.

import { markup } from "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { html } from "../../../../api/console/page/core/html.js";
import { escaped, visible } from "../../../../api/console/page/core/visible.js";
import { csv } from "../../../../api/console/page/parts/csv.js";

const TURNED = "\u202egnp.exe";
const BOX = '<span class="unseen">U+202E</span>';

test("a text shows what is not seen in it", () => {
  assert.equal(visible(TURNED), "⟨U+202E⟩gnp.exe");
  for (const one of ["\u200b", "\u00a0", "\u2066", "\u0007", "\u3164", "\u2800", "\ud800", "\u{e0041}"]) assert.match(visible(`a${one}b`), /^a⟨U\+[0-9A-F]{4,6}⟩b$/);
  for (const one of ["Åse Þór", "日本語", "a b", "two\nlines\t!", "x".repeat(512)]) assert.equal(visible(one), one);
});

test("a drawing shows it in texts, in lists of them, and in attributes that people read", () => {
  assert.equal(markup(html`<p>${TURNED}</p>`), `<p>${BOX}gnp.exe</p>`);
  assert.equal(markup(html`<p>${["a", [TURNED]]} → ${3}</p>`), `<p>a${BOX}gnp.exe → 3</p>`);
  assert.equal(markup(html`<p title=${TURNED} class="x ${"\u00a0"}">${"b"}</p>`), '<p title=⟨U+202E⟩gnp.exe class="x \u00a0">b</p>');
  assert.equal(markup(html`<option value=${TURNED}>${TURNED}</option>`), `<option value=${TURNED}>⟨U+202E⟩gnp.exe</option>`);
  assert.equal(markup(html`<a href=${TURNED} aria-label="Open ${TURNED}">${html`<b>${TURNED}</b>`}</a>`), `<a href=${TURNED} aria-label="Open ⟨U+202E⟩gnp.exe"><b>${BOX}gnp.exe</b></a>`);
  assert.equal(markup(html`<input title=${"a"} .value=${TURNED}>`), `<input title=a .value=${TURNED}>`);
});

test("a name shows tabs and ends of lines too", () => {
  assert.equal(markup(html`<code>${"a\nb"}</code>`), '<code>a<span class="unseen">U+000A</span>b</code>');
  assert.equal(markup(html`<p>${"a\nb"}</p>`), "<p>a\nb</p>");
});

test("exports show it: tables by its number, JSON by an escape that means the same", () => {
  assert.equal(csv(["name"], [[TURNED]]), "name\r\n⟨U+202E⟩gnp.exe\r\n");
  const json = JSON.stringify({ id: `${TURNED}\u{e0041}` });
  assert.match(escaped(json), /^[\x20-\x7e]*$/);
  assert.deepEqual(JSON.parse(escaped(json)), JSON.parse(json));
});
