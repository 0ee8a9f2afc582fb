"""Leaves out the warnings that a model silences, and warns about silences that silence nothing."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence

from ...bundles.wording import quoted
from ..checks.draft import Draft
from ..diagnostics.diagnostic import Finding
from ..model.elements import ElementKind, Model, SilencedLint


def is_silenced(code: str, id: str, silences: Iterable[SilencedLint]) -> bool:
    """Returns whether one of `silences` silences the warning `code` about the element with this id."""
    return any(one.code == code and (one.on is None or id in one.on) for one in silences)


class Silencing:
    """The silences of a model, and which of them were used."""

    def __init__(self, model: Model):
        self._model = model
        self._places: dict[str, list[tuple[int, SilencedLint]]] = defaultdict(list)
        for index, silence in enumerate(model.lints):
            self._places[silence.code].append((index, silence))
        self._used: set[tuple[int, str | None]] = set()

    def heard(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yields the findings that no silence silences."""
        for finding in findings:
            if not (finding.code in self._places and self._silences(finding)):
                yield finding

    def unused(self, draft: Draft, unjudged: Collection[str]) -> Iterator[Finding]:
        """Warns about the silences that silenced none of the findings, once all findings passed `heard`.

        An id that no element of the model has gets its own warning. `unjudged` are the codes of lints that did not
        look at the whole model: their silences may have a use.
        """
        ids = _ids(draft.model) if any(one.on for one in draft.model.lints) else frozenset()
        for index, silence in enumerate(draft.model.lints):
            code = quoted(silence.code)
            path = (ElementKind.LINTS, index)
            if silence.on is None and silence.code not in unjudged and (index, None) not in self._used:
                message = f"the model silences {code}, but has no such warning"
                yield Finding("unused-silence", message, (*path, "code"), severity="warning")
            for place, id in enumerate(silence.on or ()):
                if id not in ids:
                    message = f"no element has the id {quoted(id)}, for which {code} is silenced"
                    help_text = draft.suggest(id, ids)
                    yield Finding("unknown-silenced", message, (*path, "on", place), help_text, severity="warning")
                elif silence.code not in unjudged and (index, id) not in self._used:
                    message = f"{code} is silenced for {quoted(id)}, which has no such warning"
                    yield Finding("unused-silence", message, (*path, "on", place), severity="warning")

    def _silences(self, finding: Finding) -> bool:
        """Returns whether a silence silences the finding. It notes each that does."""
        name, index, *_ = finding.path
        id = getattr(self._model, str(name))[index].id
        used = [
            (place, None if one.on is None else id)
            for place, one in self._places[finding.code]
            if one.on is None or id in one.on
        ]
        self._used.update(used)
        return bool(used)


def _ids(model: Model) -> frozenset[str]:
    """Returns the ids of all elements but silences."""
    lists: Sequence[ElementKind] = [kind for kind in ElementKind if kind != ElementKind.LINTS]
    return frozenset(one.id for kind in lists for one in getattr(model, kind) if one.id is not None)
