"""The paths of a diagram that lead to TRUE: each is an answer to every question that it asks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from ....bundles.conditions.trees.diagrams import FALSE, TRUE, Diagrams, Node
from ....bundles.conditions.trees.domain import MISSING, Domain
from ....bundles.conditions.values import Json
from ..values.candidates import fits

_SIMPLE: Final = 48
"""The first paths are the simplest ones. Later ones are scattered, so that not all of them begin alike."""

_SCATTER, _PRIME = 2_654_435_761, 65_537


@dataclass
class Path:
    """Answers: the cell of each variable that was asked, and the results of opaque tests by their number."""

    domains: Mapping[str, Domain]
    cells: dict[str, int] = field(default_factory=dict)
    opaque: dict[str, dict[int, bool]] = field(default_factory=dict)

    def takes(self, key: str, value: Json) -> bool:
        """Returns whether a value of an attribute takes the path. None stands for a missing one."""
        if key not in self.cells:
            return True
        return fits(self.domains[key], self.cells[key], self.opaque.get(key, {}), value)


def paths(diagrams: Diagrams, node: Node, most: int, first: Mapping[str, Sequence[int]]) -> Iterator[Path]:
    """Yields up to `most` paths from a node to TRUE. `first` has the cells of variables that are tried first."""
    seen: set[tuple[tuple[int, int], ...]] = set()
    simple = _walk(diagrams, node, first, 0)
    for number in range(most):
        if number < _SIMPLE:
            answers = next(simple, None)
            if answers is None:
                return
        else:
            answers = next(_walk(diagrams, node, first, number))
        if answers not in seen:
            seen.add(answers)
            yield _path(diagrams, answers)


def _walk(
    diagrams: Diagrams, node: Node, first: Mapping[str, Sequence[int]], scattered: int
) -> Iterator[tuple[tuple[int, int], ...]]:
    ahead: list[tuple[Node, tuple[tuple[int, int], ...]]] = [(node, ())]
    while ahead:
        node, answers = ahead.pop()
        if node == TRUE:
            yield answers
        elif node != FALSE:
            level = diagrams.level(node)
            children = diagrams.children(node, level)
            order = _order(diagrams, level, first)
            if scattered:
                order.sort(key=lambda answer: (scattered * 31 + level * 7 + answer) * _SCATTER % _PRIME)
            ahead += [(children[answer], (*answers, (level, answer))) for answer in reversed(order) if children[answer]]


def _order(diagrams: Diagrams, level: int, first: Mapping[str, Sequence[int]]) -> list[int]:
    question = diagrams.questions[level]
    answers = list(range(question.answers))
    if question.opaque is None:
        early = list(first.get(question.key, ()))
        if not early and question.domain.cells:
            early = [question.domain.cells[MISSING]]
        answers.sort(key=lambda answer: early.index(answer) if answer in early else len(early))
    return answers


def _path(diagrams: Diagrams, answers: Sequence[tuple[int, int]]) -> Path:
    found = Path({question.key: question.domain for question in diagrams.questions})
    for level, answer in answers:
        question = diagrams.questions[level]
        if question.opaque is None:
            found.cells[question.key] = answer
        else:
            found.opaque.setdefault(question.key, {})[question.opaque] = bool(answer)
    return found
