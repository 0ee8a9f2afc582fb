"""`writ filter`: turns resource searches into filters, as JSON lines."""

from pathlib import Path

import click

from ..source_paths import FilePath
from .json_lines import Instant, answer_all


@click.command("filter")
@click.argument("bundle", type=FilePath())
@click.option("--input", "source", type=FilePath(), help="The searches, one per line. The default is standard input.")
@click.option("--now", type=Instant(), help="Take expiries as of this instant instead of now.")
def filter_command(bundle: Path, source: Path | None, now: float | None) -> None:
    """Turn resource searches into filters: one JSON object per line in, one filter per line out, in the same order.

    An answer is `{"filter": ..., "context": ...}`. The filter matches the resources on which the subject may do the
    action. It leaves conditions on the context, times and addresses open: evaluate the request to decide them.
    `"options": {"gates": "decide"}` decides them with the context of the search. `{"include_direct": true}` adds the
    direct grants of the subject.

    A bad line gives `{"error": ..., "line": number}`. Writ then goes on, and the exit code is 1. Empty lines are
    skipped.

    \b
    Examples:
      writ filter model.bundle --input searches.jsonl
      echo '{"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"},
             "resource": {"type": "document"}}' | tr -d '\\n' | writ filter model.bundle
    """
    answer_all(bundle, source, lambda engine, request: engine.filter(request, now))
