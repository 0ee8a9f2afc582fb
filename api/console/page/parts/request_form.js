// The fields of an evaluation request: who, what, on what, the facts of the moment, and perhaps the options.

import { html, nothing } from "../core/html.js";
import { countsStored, resourceTypes, withStored } from "../core/asking.js";
import { update } from "../core/update.js";
import { optionFields, optionsIn, takeOptions } from "./request_options.js";
import { typeName } from "./rights.js";
import { StoredAttributes } from "./stored_attributes.js";
import { Typeahead } from "./typeahead.js";
import { unseenIn } from "./unseen.js";

/** @type {[string, string][]} */
const IDENTIFIERS = [["id", "id"], ["external_id", "external id"], ["name", "name"]];
const EMPTY = withStored({});

// The texts that the user types into the fields. The objects are JSON texts until they are sent.
export class RequestFields {
  /** @param {string} env
   * @param {any} [request] */
  constructor(env, request) {
    /** @type {any[]} */
    this.types = [];
    /** @type {any} */
    this.subjectBy = this.resourceBy = this.actorBy = "id";
    this.actorType = this.actorId = "";
    this.isRegistered = true;
    this.hasActor = false;
    this.stored = {
      subject: new StoredAttributes(env, "subjects"),
      resource: new StoredAttributes(env, "resources"),
      actor: new StoredAttributes(env, "subjects"),
    };
    this.typeahead = new Typeahead(env);
    this.typesRead = this.suggest(env);
    this.take(request ?? EMPTY);
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
    this.subjectBy = identifierOf(request.subject);
    this.resourceBy = identifierOf(request.resource);
    takeOptions(this, request.options, attributes);
    /** @type {Record<string, string>} */
    this.faults = {};
    this.readStored();
  }

  // Returns the request, or null if a text is not a JSON object. Then `faults` says where.
  request() {
    this.faults = {};
    const read = (name) => this.objectIn(name);
    const object = (name) => ((found) => (found ? { properties: found } : {}))(read(name));
    const context = read("context");
    const request = {
      subject: { type: this.subjectType, [this.subjectBy]: this.subjectId, ...object("subjectProperties") },
      action: { name: this.action, ...object("actionProperties") },
      resource: { type: this.resourceType, [this.resourceBy]: this.resourceId, ...object("resourceProperties") },
      ...(context ? { context } : {}),
      ...optionsIn(this, object),
    };
    return Object.keys(this.faults).length ? null : request;
  }

  // Returns a request that sends the stored attributes itself, for those who can't look them up.
  spelled(request) {
    if (!countsStored(request)) return request;
    const { attributes, actor, ...others } = request.options;
    const full = (entity, owner) => ({ ...entity, properties: { ...this.stored[owner].attributes, ...entity.properties } });
    const options = { ...others, ...(actor ? { actor: full(actor, "actor") } : {}) };
    return {
      ...request,
      ...{ subject: full(request.subject, "subject"), resource: full(request.resource, "resource") },
      options: Object.keys(options).length ? options : undefined,
    };
  }

  // Reads the stored attributes of what the fields name.
  async readStored() {
    this.stored.subject.read(this.subjectType, this.subjectBy, this.subjectId);
    if (this.hasActor) this.stored.actor.read(this.actorType, this.actorBy, this.actorId);
    await this.typesRead; // requests name a type of resources by its name, and the model by its id
    this.stored.resource.read(this.typeIdOf(this.resourceType), this.resourceBy, this.resourceId);
  }

  // Returns the drawing of an entity's attributes: those that are sent, and the stored ones.
  attributes(owner, label) {
    const name = `${owner}Properties`;
    const sent = this.objectIn(name, {}) ?? {};
    const change = (key, one) => {
      this[name] = JSON.stringify({ ...sent, [key]: one }, null, 1);
      update();
    };
    return html`${this.area(name, label)}${this.stored[owner].view(sent, this.isRegistered, change)}`;
  }

  objectIn(name, faults = this.faults) {
    const text = this[name].trim();
    if (!text) return null;
    try {
      const found = JSON.parse(text);
      if (typeof found === "object" && found !== null && !Array.isArray(found)) return found;
      faults[name] = 'Write a JSON object, like {"status": "draft"}.';
    } catch (problem) {
      faults[name] = `This is not JSON: ${problem.message}.`;
    }
    return null;
  }

  // Returns the id of a resource type by the name that requests say, for the address of its elements.
  typeIdOf(name) {
    return this.types.find((one) => typeName(one) === name)?.id ?? name;
  }

  async suggest(env) {
    try {
      this.types = await resourceTypes(env);
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
      <div class="pair">${this.input("subjectType", "Subject type")}${this.naming("subject", "subjects", this.subjectType)}</div>
      ${this.identifier("subjectBy", "The id is an external id")}
      ${this.attributes("subject", "Subject properties")}`;
  }

  resourceFields() {
    return html`<label for="resourceId">Resource: type and id</label>
      <div class="pair">${this.input("resourceType", "Resource type", "the-types")}${this.naming("resource", "resources", this.typeIdOf(this.resourceType))}</div>
      <label for="resourceBy">What the id is</label>
      <select id="resourceBy" @change=${(event) => this.set("resourceBy", event.target.value)}>
        ${IDENTIFIERS.map(([one, name]) => html`<option value=${one} .selected=${one === this.resourceBy}>${name}</option>`)}</select>
      ${this.attributes("resource", "Resource properties")}`;
  }

  identifier(name, label) {
    return html`<label><input type="checkbox" .checked=${this[name] === "external_id"}
      @change=${(event) => this.set(name, event.target.checked ? "external_id" : "id")}> ${label}</label>`;
  }

  // Takes what names an entity, and reads what is stored for it.
  set(name, text) {
    this[name] = text;
    this.readStored();
    update();
  }

  // Returns the field for the identifier of an entity, with suggestions.
  naming(owner, segment, type) {
    const id = `${owner}Id`;
    const label = `${owner[0].toUpperCase()}${owner.slice(1)} id`;
    return html`${this.input(id, label, `${id}-list`)}${this.typeahead.list(id, segment, { filter: type ? { type } : {}, member: this[`${owner}By`] })}`;
  }

  line(name, label, list) {
    return html`<label for=${name}>${label}</label>${this.input(name, label, list)}`;
  }

  input(name, label, list) {
    return html`<input id=${name} class="mono" aria-label=${label} list=${list ?? nothing} autocomplete="off"
      spellcheck="false" required .value=${this[name]} @input=${(event) => ((this[name] = event.target.value), update())}
      @change=${() => this.readStored()}>${unseenIn(this[name])}`;
  }

  area(name, label) {
    const fault = this.faults[name];
    return html`<label for=${name}>${label} <span>(JSON, may be empty)</span></label>
      <textarea id=${name} rows="3" spellcheck="false" aria-invalid=${fault ? "true" : "false"}
        aria-describedby=${fault ? `${name}-fault` : nothing} .value=${this[name]}
        @input=${(event) => ((this[name] = event.target.value), update())}></textarea>${unseenIn(this[name])}
      ${fault ? html`<p class="fault" id="${name}-fault">${fault}</p>` : nothing}`;
  }
}

// Returns the member of an entity that names it.
export const identifierOf = (entity) => IDENTIFIERS.map(([one]) => one).find((one) => entity?.[one]) ?? "id";
