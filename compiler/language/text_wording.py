"""Words findings about a model for the author of a text: checks speak of the members of a model document."""

from dataclasses import replace
from typing import Final

from ...bundles.conditions.operators import OPERATORS
from ...bundles.wording import quoted
from ..diagnostics.diagnostic import Finding

HELP: Final = {
    "leave `roles` out to mean everyone": "write `everyone`",
    "leave `start` and `end` out to mean the whole day": "leave `from` and `until` out to mean the whole day",
    "put `starts_at` before `expires_at`": "put the instant after `from` before the one after `until`",
    "add `resource_id` or `external_id`, such as `resource_id: main` or one with a part of the path; without both, the"
    " path needs `{id}`": "add the id or a part of the path, such as `means read document {id}`",
}
"""The help in a text, by the help that checks give. A test finds each of them among the checks."""

_OPERATORS = {op.value: row.written for op, row in OPERATORS.items()}
_ABOUT_OPERATORS = ("wrong-constant", "empty-list")
"""The codes of findings whose messages begin with an operator."""

_EVERYONE = frozenset(quoted(word) for word in ("anyone", "anybody", "everybody", "all", "any", "everything"))


def worded(finding: Finding) -> Finding:
    """Returns a finding with the words of the language. Most need no other words.

    >>> worded(Finding("wrong-constant", "`gte` compares with a number or a string, found `true`", ())).message
    '`>=` compares with a number or a string, found `true`'
    """
    message, help_text = finding.message, HELP.get(finding.help, finding.help)
    if finding.code in _ABOUT_OPERATORS:
        name, rest = message[1:].split("`", 1)
        message = f"{quoted(_OPERATORS.get(name, name))}{rest}"
    elif finding.code == "unknown-role" and message.removeprefix("unknown role ") in _EVERYONE:
        help_text = "write `everyone` if you mean all subjects"
    if (message, help_text) == (finding.message, finding.help):
        return finding
    return replace(finding, message=message, help=help_text)
