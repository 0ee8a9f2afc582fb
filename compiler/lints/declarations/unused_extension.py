"""The lint `unused-extension`: the model lists an extension, and no policy uses it (X1)."""

from collections.abc import Iterator, Sequence

from ....bundles.conditions.operators import OF_ELEMENTS
from ....bundles.conditions.references import NOW
from ....bundles.extensions import ExtensionName
from ....bundles.wording import quoted
from ...checks.conditions_of import conditions_of
from ...checks.draft import Draft
from ...diagnostics.diagnostic import Finding
from ...model.elements import ElementKind, Policy
from ..prepared_policy import PreparedPolicy


def unused_extension(draft: Draft, _policies: Sequence[PreparedPolicy]) -> Iterator[Finding]:
    """Warns about each listed extension that no policy uses, enabled or not."""
    used = {name for index, policy in enumerate(draft.model.policies) for name in _used(policy, index)}
    told: set[ExtensionName] = set()
    for place, extensions in enumerate(draft.model.extensions):
        for index, name in enumerate(extensions.names):
            if name not in used and name not in told:
                told.add(name)
                path = (ElementKind.EXTENSIONS, place, "names", index)
                message = f"no policy uses the extension {quoted(name)}"
                yield Finding("unused-extension", message, path, "leave it out", severity="warning")


def _used(policy: Policy, index: int) -> Iterator[ExtensionName]:
    for _, condition, _ in conditions_of(policy, index):
        if condition.value_of is not None:
            yield "now" if condition.value_of == NOW else "references"
        if OF_ELEMENTS[condition.op]:
            yield "arrays"
