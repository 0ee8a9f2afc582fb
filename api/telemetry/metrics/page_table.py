"""The table of metrics for the reference of operations."""

from .definitions import METRICS


def show_metrics() -> str:
    """Returns the table as Markdown.

    >>> show_metrics().splitlines()[0]
    '| metric | type | unit | labels | where | meaning |'
    """
    rows = (
        f"| `{one.name}` | {one.kind.value} | {one.unit} | {', '.join(f'`{label}`' for label in one.all_labels)}"
        f" | {one.where.value} | {one.help} |"
        for one in METRICS
    )
    return "\n".join(("| metric | type | unit | labels | where | meaning |", "|---|---|---|---|---|---|", *rows)) + "\n"
