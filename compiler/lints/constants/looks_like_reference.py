"""The lint `looks-like-reference`: a constant that looks like the name of an attribute, to be compared with."""

import re
from collections.abc import Iterator, Sequence

from ....bundles.conditions.operators import TAKES_LIST, Operator
from ....bundles.wording import quoted
from ...checks.conditions_of import constants_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ..prepared_policy import PreparedPolicy

_REFERENCE = re.compile(
    r"[$#]\{[^{}]+\}"  # ${subject.id}
    r"|\{\{[^{}]+\}\}"  # {{ward}}
    r"|^\$[A-Za-z_][\w.]*$"  # $user
    r"|^(?:subject|principal|resource|action|context)(?:\.[A-Za-z_]\w*)+$"  # subject.ward
)
_HELP = "this is a text; to compare with another value of the request, write `value_of` (the extension `references`)"


def looks_like_reference(_draft: Draft, policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each string constant with `${…}`, `#{…}` or `{{…}}` in it, or like `$name` or `subject.name`.

    The first names of the last form are `subject`, `principal`, `resource`, `action` and `context`. Patterns are left
    out, because `$` and braces have a meaning there.
    """
    for prepared in policies:
        for _, condition, path in constants_of(prepared.policy, prepared.index):
            if condition.op == Operator.REGEX:
                continue
            is_list = TAKES_LIST[condition.op] and isinstance(condition.value, list)
            for place, constant in enumerate(condition.value if is_list else [condition.value]):
                if isinstance(constant, str) and _REFERENCE.search(constant):
                    message = f"{quoted(condition.key)} is compared with the text {quoted(constant)} itself"
                    at = (*path, "value", place) if is_list else (*path, "value")
                    yield Finding("looks-like-reference", message, at, _HELP, severity="warning")
