// The options of a request beside the decision: the registered attributes, and an actor that asks for the subject.

import { html, nothing } from "../core/html.js";
import { countsStored } from "../core/asking.js";
import { isObject } from "../core/exact.js";
import { update } from "../core/update.js";

// Fills the fields of a request's options. `shown` writes the attributes of an entity.
export function takeOptions(fields, options, shown) {
  const actor = isObject(options?.actor) ? options.actor : null;
  fields.isRegistered = countsStored({ options });
  fields.hasActor = actor !== null;
  fields.actorBy = actor?.external_id ? "external_id" : "id";
  fields.actorType = actor?.type ?? "service";
  fields.actorId = actor?.id ?? actor?.external_id ?? "";
  fields.actorProperties = shown(actor);
}

// Returns the options that the fields ask for, or nothing if they ask for none. `object` reads a field as properties.
export function optionsIn(fields, object) {
  const options = {
    ...(fields.isRegistered ? { attributes: "registered" } : {}),
    ...(fields.hasActor ? { actor: { type: fields.actorType, [fields.actorBy]: fields.actorId, ...object("actorProperties") } } : {}),
  };
  return Object.keys(options).length ? { options } : {};
}

// Returns the drawing of the fields.
export function optionFields(fields) {
  return html`${mark(fields, "isRegistered", "Add the registered attributes that the request does not send")}
    ${mark(fields, "hasActor", "An actor asks on behalf of the subject")}
    ${fields.hasActor
      ? html`<label for="actorId">Actor: type and id</label>
          <div class="pair">${fields.input("actorType", "Actor type")}${fields.naming("actor", "subjects", fields.actorType)}</div>
          ${fields.identifier("actorBy", "The actor's id is an external id")}
          ${fields.attributes("actor", "Actor properties")}`
      : nothing}`;
}

const mark = (fields, name, label) =>
  html`<label><input type="checkbox" .checked=${fields[name]} @change=${(event) => ((fields[name] = event.target.checked), update())}> ${label}</label>`;
