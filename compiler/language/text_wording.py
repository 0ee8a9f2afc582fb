"""Words findings about a model for the author of a text: checks speak of the members of a model document."""

import re
from dataclasses import replace
from typing import Final

from ...bundles.conditions.operators import OPERATORS
from ...bundles.wording import quoted
from ..diagnostics.diagnostic import Finding
from .advising.meant_attributes import meant_attribute

HELP: Final = {
    "to ask whether the attribute is present, write `op: nin, value: []`": "write `is present`",
    "leave `roles` out to mean everyone": "write `everyone`",
    "leave `start` and `end` out to mean the whole day": "leave `from` and `until` out to mean the whole day",
    "put `starts_at` before `expires_at`": "put the instant after `from` before the one after `until`",
    "add `resource_id` or `external_id`, such as `resource_id: main` or one with a part of the path; without both, the"
    " path needs `{id}`": "add the id or a part of the path, such as `means read document {id}`",
}
"""The help in a text, by the help that checks give. A test finds each of them among the checks."""

_OPERATORS = {op.value: row.written for op, row in OPERATORS.items()}
_ABOUT_OPERATORS = ("wrong-constant", "empty-list", "bad-reference", "missing-extension")
"""The codes of findings that name operators."""

_OPERATOR = re.compile(f"`({'|'.join(_OPERATORS)})`")
_ROW = re.compile(r"in `(\w+)_attrs`, `\{key: (.+), op: (\w+), value_of: (.+)\}`")
"""A comparison as a model document has it."""

_BOTH = re.compile(r"(?:an? )?`[^`]*`( for [\w, ]+)? \((?:in text )?(`[^`]*`)\)")
"""The terms of a document, with the words of the language in parentheses."""

_REFERRED = re.compile(r"the text `[$#]?\{*([\w.]+)\}*` itself")
_PEOPLE = {
    **dict.fromkeys(
        map(quoted, ("anyone", "anybody", "everybody", "all", "any", "everything")),
        "write `everyone` if you mean all subjects",
    ),
    **dict.fromkeys(
        map(quoted, ("someone", "somebody", "subject", "principal", "user", "users", "authenticated", "public")),
        "name a role; `everyone` means all subjects, also those that the model does not know",
    ),
    **dict.fromkeys(
        map(quoted, ("nobody", "none", "noone", "no")),
        "what no policy allows is denied; to deny all, write `deny everyone`",
    ),
    **dict.fromkeys(
        map(quoted, ("others", "other", "else", "rest")),
        "write the roles that are left out: `deny everyone except editor to read document`",
    ),
}
"""The help for words that mean no role, as messages show them."""

_ALL = tuple(map(quoted, ("all", "any", "every", "each", "everything", "anything")))
_ONE_RESOURCE = "a grant is for one resource; for all of a type, write a policy"
_EVERY = {
    "unknown-type": "write `everything` for every type",
    "unknown-action": "write `anything` for any action",
}
"""The help for words that mean every type, or every action."""


def worded(finding: Finding) -> Finding:
    """Returns a finding with the words of the language. Most need no other words.

    >>> worded(Finding("wrong-constant", "`gte` compares with a number or a string, found `true`", ())).message
    '`>=` compares with a number or a string, found `true`'
    >>> turned = "turn it round: in `resource_attrs`, `{key: holders, op: has, value_of: subject.id}`"
    >>> worded(Finding("bad-reference", "", (), turned)).help
    'turn it round: write `resource.holders has subject.id`'
    """
    message = finding.message
    help_text = HELP.get(finding.help) or _BOTH.sub(r"\2\1", finding.help)
    if finding.code in _ABOUT_OPERATORS:
        message, help_text = _OPERATOR.sub(_written, message), _OPERATOR.sub(_written, help_text)
        help_text = _ROW.sub(_comparison, help_text)
    elif finding.code == "unknown-role":
        help_text = _PEOPLE.get(message.removeprefix("unknown role "), help_text)
    elif finding.code in _EVERY and message.endswith(_ALL):
        is_grant = finding.code == "unknown-type" and finding.path[:1] == ("grants",)
        help_text = _ONE_RESOURCE if is_grant else _EVERY[finding.code]
    elif finding.code == "looks-like-reference":
        help_text = _reference(message)
    if (message, help_text) == (finding.message, finding.help):
        return finding
    return replace(finding, message=message, help=help_text)


def _reference(message: str) -> str:
    """Returns help for a text that looks like a reference, from the message about it."""
    found = _REFERRED.search(message)
    meant = meant_attribute(found[1]) if found else ""
    shown = f": {quoted(meant)}" if meant else ""
    return f"leave the quotes out to compare with another value of the request{shown} (the extension `references`)"


def _written(found: re.Match[str]) -> str:
    return quoted(_OPERATORS[found[1]])


def _comparison(found: re.Match[str]) -> str:
    section, key, op, other = found.groups()
    return f"write {quoted(f'{section}.{key} {_OPERATORS[op]} {other}')}"
