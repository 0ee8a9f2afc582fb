// The attributes that the model declares: what conditions may compare, and of which type it is.

import { get, path } from "../core/api.js";
import { update } from "../core/update.js";
import { kindOf } from "./attributes.js";

const TEXT = "string";
const OWN = { id: TEXT, type: TEXT };
const GATES = { time: TEXT, ip: TEXT, ip_address: TEXT };

// Returns declared attributes as {name: type}.
const typesOf = (declared) => Object.fromEntries(Object.entries(declared ?? {}).map(([key, one]) => [key, kindOf(one)]));

export class Declared {
  constructor(env, suggestions) {
    this.suggestions = suggestions;
    this.sections = {};
    this.read(env);
  }

  async read(env) {
    try {
      this.sections = await get(path`/v1/environments/${env}/attributes`);
      update();
    } catch {
      // 404: nothing is declared, so anything goes.
    }
  }

  // Returns the attributes that conditions of a section may name, as {name: type}. `scopes` are the policy's types.
  of(section, scopes) {
    if (section === "resource_attrs") return { ...OWN, ...this.ofResources(scopes) };
    if (section === "subject_attrs") return { ...OWN, ...Object.assign({}, ...Object.values(this.sections.subject ?? {}).map(typesOf)) };
    if (section === "context_attrs") return { ...GATES, ...typesOf(this.sections.context) };
    return typesOf(this.sections.action);
  }

  ofResources(scopes) {
    const ids = scopes.map((one) => one.resource_type_id);
    const types = this.suggestions.of("resource-types").filter((one) => ids.includes(one.id) || ids.includes("*"));
    return Object.assign({}, ...types.map((one) => typesOf(one.attributes)));
  }
}
