"""The codes of all diagnostics of a model document. A code never changes, because tools match on it."""

from typing import NamedTuple

from .diagnostic import Severity


class Code(NamedTuple):
    """A code, its severity, and what it says without the details of a message."""

    name: str
    severity: Severity
    meaning: str


CODES = (
    Code(
        "absent-attribute",
        "warning",
        "no registered resource of a policy's types has the attribute that a condition reads",
    ),
    Code(
        "absent-reference",
        "warning",
        "a DENY refers to a value that a request may lack, and holds for everyone who lacks it (X2)",
    ),
    Code("allow-everyone", "warning", "an ALLOW has neither roles nor conditions, so it applies to everyone (P2, P6)"),
    Code(
        "ambiguous-routes",
        "warning",
        "two routes match a common path, neither covers the other, and the order decides which one counts",
    ),
    Code("any-address", "warning", "a block of an allowlist contains every address of its family (C9)"),
    Code("attribute-conflict", "error", "two documents declare an attribute differently"),
    Code("attribute-type", "error", "a condition does not fit the declared type of its attribute"),
    Code("attribute-value", "error", "a constant is not one of the declared values of its attribute"),
    Code("bad-address", "error", "an element of an allowlist is neither an IP address nor a CIDR block (C9)"),
    Code("bad-encoding", "error", "the document is not UTF-8"),
    Code("bad-host", "error", "a host of a route is neither a name in lower case nor `*.` and such a name"),
    Code("bad-instant", "error", "a time is not an RFC 3339 instant with an offset (C8, P4)"),
    Code("bad-method", "error", "a method of a route is neither in upper case nor `*` alone"),
    Code("bad-pattern", "error", "RE2 rejects a pattern, or the pattern exceeds a limit (C6)"),
    Code("bad-reference", "error", "a comparison can't refer to the value that `value_of` names (X1)"),
    Code("bad-source", "error", "a text does not say where an attribute of a route comes from"),
    Code("bad-template", "error", "a path or a value of a route can't be read as a template"),
    Code("bad-time", "error", "a text is not a time of day (C8)"),
    Code("confusable", "warning", "a constant looks like another one, but has other letters (C3)"),
    Code("dead-allow", "warning", "DENY policies deny all that an ALLOW allows, to everyone whom it allows (D7)"),
    Code(
        "deny-priority", "warning", "the priority of a DENY is not higher than that of an ALLOW that it overlaps (D7)"
    ),
    Code("deny-rate-limit", "error", "a DENY has a rate limit (C10)"),
    Code("duplicate-assignment", "error", "an assignment equals an earlier one in all but its id (P9)"),
    Code("duplicate-external-id", "error", "two entities of one type have the same external id (E1)"),
    Code("duplicate-grant", "error", "a grant equals an earlier one in all but its id (P8)"),
    Code("duplicate-id", "error", "two elements of a list have the same id"),
    Code("duplicate-member", "error", "an object has two members with the same name"),
    Code("duplicate-name", "error", "two resource types, or two resources of one type, have the same name (E1, E7)"),
    Code(
        "either-or",
        "error",
        "an element must have exactly one of two members, such as `subject` and `group`, but has none or both",
    ),
    Code("empty", "error", "a list is empty that needs an element, such as the actions of a policy (C9, P1, P2, P6)"),
    Code("empty-list", "warning", "an `in` compares with an empty array, so it never holds (C5)"),
    Code("empty-window", "error", "a time window is never open, or sets no limit (C8)"),
    Code(
        "escapable-deny",
        "warning",
        "a caller can switch off a DENY by leaving out an attribute, and an ALLOW or a grant then allows (C2, C9, E5)",
    ),
    Code("excepted-role", "error", "a policy has a role in both `roles` and `except_roles` (P6)"),
    Code("expired", "warning", "an assignment, a grant or a policy ended before now (C8, P4)"),
    Code("extreme-bound", "warning", "an order compares with a bound that every value passes, or none (C4)"),
    Code("group-cycle", "warning", "groups contain each other (P3)"),
    Code("idle-anonymous", "warning", "a route is marked, and the gateway settings name no anonymous subject (E11)"),
    Code("idle-deny", "warning", "no ALLOW and no grant allows what a DENY denies, so it changes nothing"),
    Code("idle-required", "warning", "an attribute is `required`, but no request is refused without it (C12, E8)"),
    Code("lint-unfinished", "warning", "a lint stopped before it had compared all policies or routes"),
    Code("list-element", "warning", "`has` compares with a whole list, which an element would have to be (X6)"),
    Code("lone-surrogate", "error", "a string contains half of a surrogate pair"),
    Code(
        "looks-like-reference",
        "warning",
        "a constant looks like the name of an attribute, but conditions compare with the text itself",
    ),
    Code("merge-key", "error", "a YAML object has the merge key `<<`"),
    Code("missing-extension", "error", "a form needs an extension that the model does not list (X1)"),
    Code("missing-member", "error", "an object lacks a required member"),
    Code("near-name", "warning", "the name of a type differs from its id by case or spaces alone (E7)"),
    Code("near-subject", "warning", "a subject that nothing lists has nearly the id of a listed one (P4)"),
    Code("never-holds", "warning", "no value passes all comparisons of an attribute, so the policy never holds"),
    Code("never-in-force", "error", "an assignment or a grant does not start before it expires (P4)"),
    Code("no-holder-left", "warning", "each holder of a policy's roles holds a role that keeps it out (P6, D7)"),
    Code("not-a-number", "error", "a number is not finite"),
    Code("null-constant", "error", "a condition compares with null (C2)"),
    Code("odd-constant", "warning", "a constant has another type than all other constants of its key (C3)"),
    Code("odd-pattern", "warning", "a pattern matches more or less than is probably meant (C6)"),
    Code("odd-window", "warning", "a time window has another zone or other hours than is probably meant (C8)"),
    Code("open-instant", "warning", "the plain filter does not compare an attribute with `now` (X5)"),
    Code("out-of-range", "error", "a number is too small or too large"),
    Code("plain-gate", "warning", "a comparison reads the time or the address as a text, not as a gate (C8, C9)"),
    Code("recursive-alias", "error", "a YAML value contains itself through an alias"),
    Code(
        "redundant-policy",
        "warning",
        "another policy holds whenever a policy does, so the policy changes nothing for anyone",
    ),
    Code("repeated-authority", "warning", "an assignment or a grant gives nothing more than a group or a policy gives"),
    Code("repeated-part", "warning", "a condition, a member, a role or an action is there twice"),
    Code("reserved-name", "error", "a resource type or an action is called `*` (P1)"),
    Code("role-as-subject", "warning", "a role stands where a subject does, and is read as a subject (P3, P4)"),
    Code("role-without-holder", "warning", "a role has no holder (P2)"),
    Code(
        "route-text",
        "warning",
        "a route takes a text as an attribute that is declared or compared as another type (C11)",
    ),
    Code("several-documents", "error", "a YAML file has more than one document"),
    Code("syntax", "error", "the text is not valid JSON or YAML, or no statement of the language"),
    Code("text-instant", "warning", "an attribute that is declared as a string is compared with `now` (X5)"),
    Code("too-deep", "error", "a value is nested more deeply than the limit"),
    Code("too-large", "error", "the document has more bytes than the limit"),
    Code("too-long", "error", "a string, a name, a number or a list exceeds its limit"),
    Code(
        "too-many",
        "error",
        "the run found more diagnostics than it lists; if all others are warnings, this is a warning too",
    ),
    Code("too-many-ancestors", "error", "groups are nested more deeply or more often than the limit (P3)"),
    Code("too-many-conditions", "error", "a policy has more conditions than the limit"),
    Code("too-many-instructions", "error", "all patterns together have more RE2 instructions than the limit (C6)"),
    Code("too-many-routes", "error", "there are more routes than the limit"),
    Code("too-many-values", "error", "a YAML document has more values than the limit, counted again for each alias"),
    Code("too-short", "error", "a string is empty where at least one character is required"),
    Code("unknown-action", "error", "the resource type does not declare this action (P1)"),
    Code("unknown-attribute", "error", "attributes are declared for this section of conditions, but not this one"),
    Code("unknown-capture", "error", "a route uses a part of its path that the path does not name"),
    Code("unknown-group", "error", "no group has this id"),
    Code("unknown-kind", "error", "the name of the file does not end in `.json`, `.yaml`, `.yml` or `.writ`"),
    Code("unknown-lint", "error", "a code that a silence names is not that of a warning, or can't be silenced"),
    Code("unknown-member", "error", "an object has a member that Writ does not know"),
    Code("unknown-role", "error", "no role has this id"),
    Code("unknown-silenced", "warning", "no element has an id that a silence names"),
    Code("unknown-type", "error", "no resource type has this id (E7, P1)"),
    Code("unknown-value", "error", "a text is not one of the possible values"),
    Code("unknown-version", "error", "this Writ does not know the version of the document"),
    Code("unknown-zone", "error", "no time zone has this name (C8)"),
    Code("unreachable-route", "warning", "earlier routes match all that a route matches, so it never counts"),
    Code("unused-action", "warning", "no ALLOW and no grant covers an action"),
    Code("unused-extension", "warning", "the model lists an extension that no policy uses (X1)"),
    Code("unused-role", "warning", "no policy names a role (P2)"),
    Code("unused-silence", "warning", "a silence silences nothing"),
    Code("wide-allow", "warning", "an ALLOW covers every action on every type, and has no roles or no conditions (P1)"),
    Code("wrong-constant", "error", "an operator can't compare with a constant of this type (C4, C5, C6)"),
    Code("wrong-type", "error", "a value does not have the expected type"),
    Code("yaml-tag", "error", "a YAML tag is not in the core schema, or does not fit its value"),
)


def show_codes() -> str:
    """Returns the codes as a Markdown table."""
    rows = [f"| `{code.name}` | {code.severity} | {code.meaning} |" for code in CODES]
    return "\n".join(["| code | severity | what it says |", "|---|---|---|", *rows]) + "\n"
