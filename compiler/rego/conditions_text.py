"""The Rego of conditions on attributes and addresses, the package `writ.conditions`: rules C1 to C7, C9 and E6."""

from typing import Final

from ...bundles.conditions.operators import Operator

FUNCTIONS: Final[dict[Operator, str]] = {
    Operator.EQ: "equals",
    Operator.NE: "differs",
    Operator.GT: "greater",
    Operator.GTE: "at_least",
    Operator.LT: "less",
    Operator.LTE: "at_most",
    Operator.IN: "one_of",
    Operator.NIN: "none_of",
    Operator.REGEX: "matches",
}
"""The function below for each operator. Those of elements are refused (X6)."""

TEXT = r"""# What the conditions of policies mean.
#
# Written by `writ export --as rego`. It is the same for every model.
package writ.conditions

import data.writ.request
import data.writ.values

# The attributes. They are undefined if they are absent or null (C2), and then every comparison is false.
# The keys `id` and `type` read the entity's own key (E6). A value comes with its text, as in `writ.values`.
subject("id") := text_of(request.subject_id)

subject("type") := text_of(input.subject.type)

subject(key) := read("subject", key) if not key in {"id", "type"}

resource("id") := text_of(request.resource_id)

resource("type") := text_of(input.resource.type)

resource(key) := read("resource", key) if not key in {"id", "type"}

action(key) := read("action", key)

context(key) := read("context", key)

text_of(string) := {"value": string, "text": string}

# The whole key as one name, or else the path, one name per step (C1).
read(owner, key) := {"value": value, "text": json.marshal(value)} if {
	value := request.attributes[owner][key]
	value != null
} else := {"value": value, "text": json.marshal(value)} if {
	value := object.get(request.attributes[owner], split(key, "."), null)
	value != null
}

equals(sent, constant) if values.equals(sent, constant)

differs(sent, constant) if not values.equals(sent, constant)

greater(sent, constant) if values.greater(sent, constant)

at_least(sent, constant) if values.at_least(sent, constant)

less(sent, constant) if values.less(sent, constant)

at_most(sent, constant) if values.at_most(sent, constant)

# Whether the value is one of a set of strings, or equals one of the other constants (C5).
one_of(sent, strings, _) if sent.value in strings

one_of(sent, _, others) if {
	some other in others
	values.equals(sent, other)
}

none_of(sent, strings, others) if not one_of(sent, strings, others)

# Whether the pattern is found anywhere in a string (C6).
matches(sent, pattern) if {
	is_string(sent.value)
	regex.match(pattern, sent.value)
}

# Whether the address of the request is in one of the blocks (C9).
address_in(blocks) if {
	some block in blocks
	net.cidr_contains(block, address)
}

# The same for a DENY, which an unreadable address does not switch off (C7).
address_in_or_unreadable(blocks) if address_in(blocks)

address_in_or_unreadable(_) if {
	sent_address
	not address
}

# The text of the address that the request sent, if it is one. To OPA, an IPv4-mapped address is its IPv4 address too.
address := text if {
	text := sent_address.value
	is_string(text)
	count(text) <= 45
	regex.match("^[0-9A-Fa-f.:]+$", text)
	some everything in ["0.0.0.0/0", "::/0"]
	net.cidr_contains(everything, text)
}

sent_address := {"value": request.attributes.context.ip} if {
	request.attributes.context.ip != null
} else := {"value": request.attributes.context.ip_address} if {
	request.attributes.context.ip_address != null
}
"""
"""The file `writ/conditions.rego`."""
