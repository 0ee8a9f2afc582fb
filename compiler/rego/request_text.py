"""The Rego that reads a request, the package `writ.request`: rules E1 to E9."""

TEXT = r"""# Reads the evaluation request in `input`.
#
# Written by `writ export --as rego`. It is the same for every model.
package writ.request

import data.writ.model
import data.writ.values

# Whether Writ would decide the request. It refuses any other one.
is_well_formed if {
	is_name(input.subject.type)
	is_name(input.action.name)
	is_name(input.resource.type)
	is_identified(input.subject, ["id", "external_id"])
	is_identified(input.resource, ["id", "external_id", "name"])
	is_object_or_null(input, "context")
	is_object_or_null(input, "options")
	is_object_or_null(input.action, "properties")
	every owner in [input.subject, input.resource] {
		is_object_or_null(owner, "properties")
		is_object_or_null(owner, "attributes")
	}
	is_boolean_or_null(object.get(input, ["options", "explain"], null))
	not asks_registry
	not is_on_behalf
	not asks_strict
	not has_unreadable_number
}

# A bundle has no registry, so it can't answer with registered attributes (E9).
asks_registry if object.get(input, ["options", "attributes"], null) != null

# Writ would decide for the actor too (A1).
is_on_behalf if object.get(input, ["options", "actor"], null) != null

# Writ would look for slips (E8).
asks_strict if {
	asked := object.get(input, ["options", "strict"], null)
	asked != null
	asked != false
}

is_name(value) if {
	is_string(value)
	value != ""
	count(value) <= 512
}

# An entity is named by exactly one member. Null and an empty string count as missing (E2).
is_identified(entity, members) if {
	given := [value |
		some member in members
		value := entity[member]
		not value in {null, ""}
	]
	count(given) == 1
	is_name(given[0])
}

is_object_or_null(owner, member) if object.get(owner, member, null) == null

is_object_or_null(owner, member) if is_object(owner[member])

is_boolean_or_null(value) if value in {null, true, false}

# A real that no double can represent, or an integer with too many digits. No value of `input` may be one.
has_unreadable_number if {
	walk(input, [_, value])
	is_number(value)
	is_unreadable(value, json.marshal(value))
}

is_unreadable(number, text) if {
	values.is_real(text)
	abs(number) >= 1.797693134862315807937289714053e308 # half a step above the largest double
}

is_unreadable(_, text) if count(text) > 4300

# The id of the subject. It is undefined if its external id resolves to nothing (E3).
subject_id := input.subject.id if {
	is_name(input.subject.id)
} else := model.subject_ids[input.subject.type][input.subject.external_id]

resource_id := input.resource.id if {
	is_name(input.resource.id)
} else := model.resource_ids[resource_type.id].external_id[input.resource.external_id] if {
	is_name(input.resource.external_id)
} else := model.resource_ids[resource_type.id].name[input.resource.name]

# The declared type. A request calls it by its name (E7).
resource_type := model.types[input.resource.type]

# The attributes of each part of the request: `attributes`, updated with `properties`, even with a null in it (E4).
attributes := {
	"subject": merged("subject"),
	"resource": merged("resource"),
	"action": object_in("action", "properties"),
	"context": context,
}

# `object.union` alone would merge the values of a member, too.
merged(owner) := object.union(object.remove(below, above), above) if {
	below := object_in(owner, "attributes")
	above := object_in(owner, "properties")
}

object_in(owner, member) := input[owner][member] if {
	is_object(input[owner][member])
} else := {}

context := input.context if {
	is_object(input.context)
} else := {}
"""
"""The file `writ/request.rego`."""
