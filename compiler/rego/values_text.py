"""The Rego that compares JSON values, the package `writ.values`: rules C3 and C4."""

TEXT = r"""# Compares JSON values as Writ does, whatever OPA's own numbers are.
#
# Written by `writ export --as rego`. It is the same for every model.
#
# A number with a point or an exponent is the nearest double. Any other one is an integer with all its digits.
#
# OPA remembers the result of a function, and takes equal numbers for the same argument: 1 and 1.0, but also the integer
# 9007199254740993 and 9007199254740993.0, which no double can represent. So a number comes with its JSON text, in the
# argument `sent`, which is {"value": …, "text": …}.
package writ.values

# Deep equality. Integers and reals are one type, and a boolean is not a number (C3).
equals(sent, constant) if identity(sent.value, sent.text) == identity(constant, json.marshal(constant))

# Two values have the same identity if they are equal. For arrays and objects, it is the set of their parts, each with
# its path.
identity(value, _) := value if is_string(value)

identity(value, _) := value if is_boolean(value)

identity(value, text) := {"number": digits(text)} if is_number(value)

identity(value, text) := parts(value, text) if is_array(value)

identity(value, text) := parts(value, text) if is_object(value)

parts(value, _) := {[path, leaf(part, json.marshal(part))] | walk(value, [path, part])}

leaf(part, _) := [] if is_array(part)

leaf(part, _) := {} if is_object(part)

leaf(part, text) := {"number": digits(text)} if is_number(part)

leaf(part, _) := part if is_scalar(part)

is_scalar(part) if is_string(part)

is_scalar(part) if is_boolean(part)

is_scalar(part) if part == null

# The text of a number, the same text for equal numbers: all digits of an integer, the fewest digits of another double.
digits(text) := without_sign_of_zero(text) if not is_real(text)

digits(text) := without_sign_of_zero(sprintf("%v", [number])) if {
	is_real(text)
	number := to_number(text)
	abs(number) < 9007199254740992 # from here on, every double is an integer
}

digits(text) := sprintf("%.0f", [number]) if {
	is_real(text)
	number := to_number(text)
	abs(number) >= 9007199254740992
}

without_sign_of_zero(text) := object.get({"-0": "0"}, text, text)

is_real(text) if regex.match("[.eE]", text)

# Two numbers, or two strings by code point. Any other pair has no order (C4).
greater(sent, constant) if rank(sent.value, sent.text, constant) > rank(constant, json.marshal(constant), sent.value)

at_least(sent, constant) if rank(sent.value, sent.text, constant) >= rank(constant, json.marshal(constant), sent.value)

less(sent, constant) if rank(sent.value, sent.text, constant) < rank(constant, json.marshal(constant), sent.value)

at_most(sent, constant) if rank(sent.value, sent.text, constant) <= rank(constant, json.marshal(constant), sent.value)

rank(value, _, other) := value if {
	is_string(value)
	is_string(other)
}

rank(value, text, other) := number_rank(digits(text)) if {
	is_number(value)
	is_number(other)
}

# Numbers of 17 digits and more are integers. They are compared as text, so that no digit is lost.
number_rank(text) := [0, to_number(text), ""] if {
	not is_long(text)
} else := [1, count(text), text] if {
	not startswith(text, "-")
} else := [-1, 0 - count(text), strings.replace_n(complements, text)]

is_long(text) if regex.match("^-?[0-9]{17,}$", text)

complements := {
	"0": "9", "1": "8", "2": "7", "3": "6", "4": "5",
	"5": "4", "6": "3", "7": "2", "8": "1", "9": "0",
}
"""
"""The file `writ/values.rego`."""
