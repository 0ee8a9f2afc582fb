// One policy: a sentence that says what it does, its text beside it, and the editor of both.

import { html, nothing } from "../core/html.js";
import { call, post, path } from "../core/api.js";
import { POLICY } from "../core/kinds.js";
import { goTo, placeLink } from "../core/place.js";
import { may } from "../core/session.js";
import { Declared } from "../editing/declared.js";
import { deletion } from "../editing/deletion.js";
import { pastLink } from "../editing/element_changes.js";
import { Draft, elementLink, elementPath } from "../editing/draft.js";
import { effectTag, offTag } from "../editing/effect.js";
import { actions, holders, link } from "../editing/phrases.js";
import { policyForm } from "../editing/policy_form.js";
import { review } from "../editing/review.js";
import { Suggestions } from "../editing/suggestions.js";
import { TwoForms } from "../editing/two_forms.js";
import { writText } from "../editing/writ_text.js";
import { Awaited } from "../parts/awaited.js";
import { doneNotice, forgetDone } from "../parts/done.js";
import { failure, notice } from "../parts/notice.js";
import { finding } from "../parts/findings.js";
import { heading } from "../parts/heading.js";
import { prose } from "../parts/prose.js";

const convert = (env, policy, signal) => post(path`/v1/environments/${env}/policies:convert`, { policy }, { signal });
const trail = (env) => ({ link: placeLink(env, "policies"), name: "Policies" });

async function stored(place, signal) {
  const found = await call("GET", elementPath(place.env, POLICY, place.given), { signal });
  return new Draft(place.env, POLICY, { stored: found.data, etag: found.etag });
}

// Returns the page on which a policy is read.
export function policyPage(place) {
  const { env } = place;
  const one = new Awaited("the policy", async (signal) => {
    const draft = await stored(place, signal);
    return { policy: draft.body, ending: deletion(draft) };
  });
  const forms = new Awaited("its sentence and its text", async (signal) => convert(env, (await stored(place, signal)).stored, signal));
  const again = () => (one.again(), forms.again());
  const edit = placeLink(env, "policies", place.given, { edit: "yes" });
  const name = () => one.value?.policy.name ?? place.given[0];
  return {
    get title() {
      return `${name()} · Policy`;
    },
    view: () => html`${heading(name(), html`policy <code>${place.given[0]}</code>`, trail(env))}
      ${doneNotice(place, again)}
      ${one.view(({ policy, ending }) => html`<div class="columns wide-first">
        <section><h2>What it does</h2>
          <p>${effectTag(policy)}${offTag(policy)}</p>
          ${forms.view((found) => html`<p class="sentence name">${prose(found.sentence)}</p>`)}
          ${policy.description ? html`<p class="soft name">${policy.description}</p>` : nothing}
          ${facts(env, policy)}
          ${may("write")
            ? html`<p class="actions"><a class="button" href=${edit}>Edit</a>${ending.button()}
                <a href=${pastLink(env, { kind: "policies", type: undefined, id: place.given[0] })}>History of this policy</a></p>`
            : html`<p class="soft">This credential may only read, so it can't change the policy.</p>`}
        </section>
        <div class="stack"><section><h2>As text</h2>${forms.view((found) => html`<pre dir="ltr">${found.text}</pre>${found.diagnostics.map(finding)}`)}</section>
          ${ending.references(place)}</div>
      </div>`)}`,
  };
}

const facts = (env, policy) => html`<dl>
  <dt>For</dt><dd>${holders(env, policy)}</dd>
  ${policy.resource_types.map((one) => html`<dt>Covers</dt><dd>${
    one.resource_type_id === "*" ? "every type" : link(env, "resource-types", one.resource_type_id)}: ${actions(one.actions)}</dd>`)}
  <dt>Priority</dt><dd>${policy.priority ?? 0}</dd></dl>`;

// Returns the page on which a policy is edited: a stored one, or a new one.
export function editorPage(place) {
  const { env } = place;
  const suggestions = new Suggestions(env);
  const declared = new Declared(env, suggestions);
  const one = new Awaited("the policy", async (signal) => {
    const draft = place.given.length ? await stored(place, signal) : new Draft(env, POLICY, { blank: POLICY.blank });
    if (place.query.get("enabled") === "no") draft.body = { ...draft.body, enabled: false }; // a link that proposes it
    const begun = { draft, forms: new TwoForms(draft), before: null };
    if (!draft.isNew) convert(env, draft.stored).then((told) => (begun.before = told.sentence), () => {});
    return begun;
  });
  const title = place.given.length ? `Edit ${place.given[0]}` : "New policy";
  const back = placeLink(env, "policies", place.given);
  return {
    title,
    isUnsaved: () => Boolean(one.value && (one.value.draft.isChanged || one.value.forms.isTextFaulty)),
    view: () => html`${heading(title, "", place.given.length ? { link: back, name: place.given[0] } : trail(env))}
      ${one.view((begun) => editor({ env, ...begun, suggestions, declared, back, said: () => sentences(begun.before, begun.forms.sentence) }))}`,
  };
}

function editor({ env, draft, forms, suggestions, declared, back, said }) {
  const faults = [...draft.faults(), ...(forms.isTextFaulty ? [] : forms.diagnostics)];
  const submit = (event) => {
    event.preventDefault();
    if (!forms.isSound) return;
    forgetDone();
    draft.act.problem = null;
    review(draft, (answer) => goTo(elementLink(env, POLICY, [answer.data.id])), said);
  };
  return html`<section><h2>What it does</h2>
      ${forms.sentence ? html`<p class="sentence name">${prose(forms.sentence)}</p>` : html`<p class="soft">The sentence appears when the policy has no errors.</p>`}
    </section>
    <form class="columns halved" @submit=${submit} novalidate>
      <section><h2>As a form</h2>
        ${forms.isTextFaulty ? stale(forms) : nothing}
        <fieldset class="all" ?disabled=${forms.isTextFaulty || !may("write")}>${policyForm(draft, faults, suggestions, declared)}</fieldset>
      </section>
      <div class="stack beside"><section><h2>As text</h2>
          ${writText({ text: forms.text, diagnostics: forms.diagnostics, isDisabled: !may("write"), set: (text) => forms.write(text) })}
          ${forms.problem ? failure(forms.problem) : nothing}
          <p class="hint">The form follows the text, and the text the form. Comments are not stored.</p>
          ${draft.act.trouble()}
          <p class="actions"><button type="submit" ?disabled=${!forms.isSound || !draft.isChanged || draft.act.isBusy}>Review and save</button>
            <a class="button quiet" href=${back}>Stop editing</a></p>
          ${forms.isSound || forms.isDue ? nothing : html`<p class="soft">What has errors can't be saved.</p>`}
        </section></div>
    </form>`;
}

const stale = (forms) => notice(
  "warn",
  html`<p>The text has errors, so the form shows the policy before them.
    <button class="link" type="button" @click=${() => forms.dropText()}>Drop the text</button></p>`,
);

const sentences = (before, after) => html`${before && before !== after ? html`<h3>Now</h3><p class="name soft">${prose(before)}</p>` : nothing}
  ${after ? html`<h3>From then on</h3><p class="sentence name">${prose(after)}</p>` : nothing}`;
