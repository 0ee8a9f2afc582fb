// The fields of an evaluation request: who, what, on what, the facts of the moment, and perhaps the options.

import { html, nothing } from "../vendor/lit-html.js";
import { get, path } from "../core/api.js";
import { isObject } from "../core/exact.js";
import { update } from "../core/update.js";
import { optionFields, optionsIn, takeOptions } from "./request_options.js";
import { typeName } from "./rights.js";

const MOST_TYPES = 100;

// Returns the request that the text in an address says, or null if it says none: anybody can write an address.
export function requestIn(text) {
  try {
    const found = JSON.parse(text);
    return isObject(found) ? found : null;
  } catch {
    return null;
  }
}

// The texts that the user types into the fields. The objects are JSON texts until they are sent.
export class RequestFields {
  constructor(env, request = {}) {
    this.types = [];
    this.take(request);
    this.suggest(env);
  }

  // Fills the fields from a request.
  take(request) {
    const shown = (object) => (object && Object.keys(object).length ? JSON.stringify(object, null, 1) : "");
    const attributes = (entity) => shown({ ...entity?.attributes, ...entity?.properties });
    this.subjectType = request.subject?.type ?? "user";
    this.subjectId = request.subject?.id ?? request.subject?.external_id ?? "";
    this.subjectProperties = attributes(request.subject);
    this.action = request.action?.name ?? "";
    this.actionProperties = shown(request.action?.properties);
    this.resourceType = request.resource?.type ?? "";
    this.resourceId = request.resource?.id ?? request.resource?.external_id ?? request.resource?.name ?? "";
    this.resourceProperties = attributes(request.resource);
    this.context = shown(request.context);
    this.byExternalId = Boolean(request.subject?.external_id);
    takeOptions(this, request.options, attributes);
    /** @type {Record<string, string>} */
    this.faults = {};
  }

  // Returns the request, or null if a text is not a JSON object. Then `faults` says where.
  request() {
    this.faults = {};
    const read = (name) => this.objectIn(name);
    const object = (name) => ((found) => (found ? { properties: found } : {}))(read(name));
    const context = read("context");
    const id = this.byExternalId ? "external_id" : "id";
    const request = {
      subject: { type: this.subjectType, [id]: this.subjectId, ...object("subjectProperties") },
      action: { name: this.action, ...object("actionProperties") },
      resource: { type: this.resourceType, id: this.resourceId, ...object("resourceProperties") },
      ...(context ? { context } : {}),
      ...optionsIn(this, object),
    };
    return Object.keys(this.faults).length ? null : request;
  }

  objectIn(name) {
    const text = this[name].trim();
    if (!text) return null;
    try {
      const found = JSON.parse(text);
      if (typeof found === "object" && found !== null && !Array.isArray(found)) return found;
      this.faults[name] = 'Write a JSON object, like {"status": "draft"}.';
    } catch (problem) {
      this.faults[name] = `This is not JSON: ${problem.message}.`;
    }
    return null;
  }

  // Returns the id of a resource type by the name that requests say, for the address of its elements.
  typeIdOf(name) {
    return this.types.find((one) => typeName(one) === name)?.id ?? name;
  }

  async suggest(env) {
    const query = { limit: MOST_TYPES };
    try {
      this.types = (await get(path`/v1/environments/${env}/resource-types`, { query })).items;
      update();
    } catch {
      // The fields work without suggestions, and what is typed is checked when it is sent.
    }
  }

  // Returns the drawing of the fields. `subject` and `resource` are "whole", or "type" where a search looks for them.
  // `hasOptions` is true where the options of a request can be chosen.
  view({ subject = "whole", resource = "whole", hasOptions = false } = {}) {
    const actions = this.types.find((one) => typeName(one) === this.resourceType)?.actions ?? [];
    return html`
      ${subject === "whole" ? this.subjectFields() : this.line("subjectType", "Subject type")}
      ${this.line("action", "Action", "the-actions")}
      ${resource === "whole" ? this.resourceFields() : this.line("resourceType", "Resource type", "the-types")}
      ${this.area("context", "Context")}
      ${hasOptions ? optionFields(this) : nothing}
      <datalist id="the-types">${this.types.map((one) => html`<option value=${typeName(one)}></option>`)}</datalist>
      <datalist id="the-actions">${actions.map((one) => html`<option value=${one}></option>`)}</datalist>`;
  }

  subjectFields() {
    return html`<label for="subjectId">Subject: type and id</label>
      <div class="pair">${this.input("subjectType", "Subject type")}${this.input("subjectId", "Subject id")}</div>
      <label><input type="checkbox" .checked=${this.byExternalId}
        @change=${(event) => ((this.byExternalId = event.target.checked), update())}> The id is an external id</label>
      ${this.area("subjectProperties", "Subject properties")}`;
  }

  resourceFields() {
    return html`<label for="resourceId">Resource: type and id</label>
      <div class="pair">${this.input("resourceType", "Resource type", "the-types")}${this.input("resourceId", "Resource id")}</div>
      ${this.area("resourceProperties", "Resource properties")}`;
  }

  line(name, label, list) {
    return html`<label for=${name}>${label}</label>${this.input(name, label, list)}`;
  }

  input(name, label, list) {
    return html`<input id=${name} class="mono" aria-label=${label} list=${list ?? nothing} autocomplete="off"
      spellcheck="false" required .value=${this[name]} @input=${(event) => ((this[name] = event.target.value), update())}>`;
  }

  area(name, label) {
    const fault = this.faults[name];
    return html`<label for=${name}>${label} <span>(JSON, may be empty)</span></label>
      <textarea id=${name} rows="3" spellcheck="false" aria-invalid=${fault ? "true" : "false"}
        aria-describedby=${fault ? `${name}-fault` : nothing} .value=${this[name]}
        @input=${(event) => ((this[name] = event.target.value), update())}></textarea>
      ${fault ? html`<p class="fault" id="${name}-fault">${fault}</p>` : nothing}`;
  }
}
