"""The codes of all diagnostics of a model document. They are stable: tools match on them."""

from typing import NamedTuple

from .diagnostic import Severity


class Code(NamedTuple):
    """A code, how severe it is, and what it says, in words that need no message."""

    name: str
    severity: Severity
    meaning: str


CODES = (
    Code("allow-everyone", "warning", "an ALLOW has neither roles nor conditions (P2)"),
    Code("attribute-type", "error", "a condition does not fit the type that its attribute is declared with"),
    Code("bad-address", "error", "an element of an allowlist is no address and no CIDR block (C9)"),
    Code("bad-encoding", "error", "the document is not UTF-8"),
    Code("bad-instant", "error", "a text is no RFC 3339 instant with an offset (C8, P4)"),
    Code("bad-pattern", "error", "RE2 rejects a pattern, or it is over a limit (C6)"),
    Code("bad-time", "error", "a text is no time of day (C8)"),
    Code("deny-priority", "warning", "a DENY has no higher priority than an ALLOW that it overlaps (D7)"),
    Code("deny-rate-limit", "error", "a DENY has a rate limit (C10)"),
    Code("duplicate-external-id", "error", "two entities of one type have the same external id (E1)"),
    Code("duplicate-id", "error", "two elements of a list have the same id"),
    Code("duplicate-member", "error", "an object has a member twice"),
    Code("duplicate-name", "error", "two resource types, or two resources of one type, have the same name (E1, E7)"),
    Code("either-or", "error", "of two ways to name something, none or both are used"),
    Code("empty", "error", "a list is empty that would make its owner useless (C9, P1, P2)"),
    Code("empty-list", "warning", "a condition compares with an empty array (C5)"),
    Code("empty-window", "error", "a time window is never open, or limits nothing (C8)"),
    Code(
        "escapable-deny", "warning", "a DENY does not hold where an attribute is left out that an ALLOW does not need"
    ),
    Code("lint-unfinished", "warning", "there was too much to compare for a lint to finish"),
    Code("lone-surrogate", "error", "a string holds half of a surrogate pair"),
    Code("merge-key", "error", "a YAML object has the merge key `<<`"),
    Code("missing-member", "error", "an object has not all the members that it needs"),
    Code("not-a-number", "error", "a number is not finite"),
    Code("null-constant", "error", "a condition compares with null (C2)"),
    Code("out-of-range", "error", "a number is too small or too large"),
    Code(
        "rate-limit-uncounted", "warning", "an ALLOW has a rate limit, which nobody counts yet: it never allows (C10)"
    ),
    Code("recursive-alias", "error", "a YAML value holds itself"),
    Code("reserved-name", "error", "a resource type or an action is called `*` (P1)"),
    Code("several-documents", "error", "a YAML file has more than one document"),
    Code("syntax", "error", "the text is no JSON, or no YAML"),
    Code("too-deep", "error", "a value is nested over the limit"),
    Code("too-large", "error", "the document has more bytes than the limit"),
    Code("too-long", "error", "a string, a name, a number or a list is over its limit"),
    Code("too-many", "error", "there are more diagnostics than are listed; a warning where only warnings are not"),
    Code("too-many-ancestors", "error", "groups are in more others, to any depth, than a bundle can list (P3)"),
    Code("too-many-conditions", "error", "a policy has more conditions than the limit"),
    Code("too-many-values", "error", "a YAML document has more values than the limit, aliases resolved"),
    Code("too-short", "error", "a string is empty that must not be"),
    Code("unknown-action", "error", "the resource type does not declare this action (P1)"),
    Code("unknown-attribute", "error", "the resource type declares attributes, and not this one"),
    Code("unknown-group", "error", "no group has this id"),
    Code("unknown-kind", "error", "the name of the file tells of no kind of document that can be read"),
    Code("unknown-member", "error", "an object has a member that means nothing there"),
    Code("unknown-role", "error", "no role has this id"),
    Code("unknown-type", "error", "no resource type has this id (E7, P1)"),
    Code("unknown-value", "error", "a text is none of those that are possible"),
    Code("unknown-version", "error", "the document is of a version that this reader does not know"),
    Code("unknown-zone", "error", "there is no such time zone (C8)"),
    Code("wrong-constant", "error", "an operator can't compare with a constant of this type (C4, C5, C6)"),
    Code("wrong-type", "error", "a value is of another type than is expected"),
    Code("yaml-tag", "error", "a YAML tag is none of the core schema's, or does not fit its value"),
)


def show_codes() -> str:
    """The codes as a Markdown table."""
    rows = [f"| `{code.name}` | {code.severity} | {code.meaning} |" for code in CODES]
    return "\n".join(["| code | severity | what it says |", "|---|---|---|", *rows]) + "\n"
