"""The summary of a deep run: a row for each group, and what each had to say."""

from collections.abc import Iterator, Sequence

from tests.deep.task import Task


def summary(tasks: Sequence[tuple[Task, float]]) -> str:
    """The table and the notes; a task comes with the seconds it took."""
    width = max(len(task.name) for task, _ in tasks)
    lines = [f"{'group':<{width}}  {'examples':>12}  {'failures':>8}  {'seconds':>8}"]
    lines += [
        f"{task.name:<{width}}  {task.examples:>12,}  {task.failures:>8,}  {seconds:>8.0f}" for task, seconds in tasks
    ]
    return "\n".join([*notes(tasks), "", *lines])


def notes(tasks: Sequence[tuple[Task, float]]) -> Iterator[str]:
    """What the groups said."""
    for task, _ in tasks:
        for note in task.notes:
            yield f"{task.name}: {note}"
