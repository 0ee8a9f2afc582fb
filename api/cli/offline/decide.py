"""`writ decide`: answers evaluation requests from a bundle, as JSON lines."""

from pathlib import Path

import click

from ..source_paths import FilePath
from .json_lines import Instant, answer_all


@click.command("decide")
@click.argument("bundle", type=FilePath())
@click.option("--input", "source", type=FilePath(), help="The requests, one per line. The default is standard input.")
@click.option("--now", type=Instant(), help="Decide as of this instant instead of now.")
def decide_command(bundle: Path, source: Path | None, now: float | None) -> None:
    """Decide evaluation requests: one JSON object per line in, one decision per line out, in the same order.

    A bad line gives `{"error": ..., "line": number}`. Writ then goes on, and the exit code is 1. Empty lines are
    skipped. A request with `"options": {"explain": true}` gets a decision with an explanation.

    \b
    Examples:
      writ decide model.bundle --input requests.jsonl
      echo '{"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"},
             "resource": {"type": "document", "id": "d1"}}' | tr -d '\\n' | writ decide model.bundle
      writ decide model.bundle --now 2027-01-31T09:00:00Z < requests.jsonl
    """
    answer_all(bundle, source, lambda engine, request: engine.decide(request, now))
