"""`writ decide`: evaluation requests in, decisions out, as JSON lines."""

import sys
from pathlib import Path
from typing import Any, BinaryIO

import click
import msgspec

from api.bodies import ENCODER, decoded
from api.cli.output import Unreadable, os_sentence
from api.limits import HttpLimits
from api.lines import TooLong, read_lines
from api.rejections import BodyRejected
from bundles.conditions.instants import SECOND, read_instant
from runtime import BadRequest, BundleError, Engine

LIMITS = HttpLimits()
"""A line is bounded as a request's body is."""


class Instant(click.ParamType[float]):
    """An RFC 3339 instant or epoch seconds, as epoch seconds."""

    name = "instant"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            seconds: float | str = float(value)
        except ValueError:
            seconds = value
        instant = read_instant(seconds)
        if instant is None:
            self.fail(f"`{value}` is neither RFC 3339 (`2027-01-31T09:00:00Z`) nor epoch seconds", param, ctx)
        return instant / SECOND


@click.command("decide")
@click.argument("bundle", type=click.Path(path_type=Path))
@click.option(
    "--input", "source", type=click.Path(path_type=Path), help="Requests, one a line; standard input if left out."
)
@click.option("--now", type=Instant(), help="The instant of every decision, instead of the clock's.")
def decide_command(bundle: Path, source: Path | None, now: float | None) -> None:
    """Answer evaluation requests, one JSON object a line, by decisions, one a line, in order.

    A bad line is answered by `{"error": ..., "line": number}`, the rest goes on, and the exit code is 1; empty lines
    are passed over. With `"options": {"explain": true}` in a request its decision carries the proof.

    \b
    Examples:
      writ decide model.bundle --input requests.jsonl
      echo '{"subject": {"type": "user", "id": "alice"}, "action": {"name": "read"},
             "resource": {"type": "document", "id": "d1"}}' | tr -d '\\n' | writ decide model.bundle
      writ decide model.bundle --now 2027-01-31T09:00:00Z < requests.jsonl
    """
    try:
        engine = Engine.open(bundle)
        with open(source, "rb", buffering=0) if source else open(0, "rb", buffering=0, closefd=False) as stream:
            good = answer_lines(engine, stream, sys.stdout.buffer, now)
    except BrokenPipeError:
        raise
    except OSError as ex:
        raise Unreadable(os_sentence(ex)) from None
    except BundleError as ex:
        raise Unreadable(f"{bundle}: {ex}") from None
    sys.exit(0 if good else 1)


def answer_lines(engine: Engine, source: Any, out: BinaryIO, now: float | None) -> bool:
    """Answer every line of `source` on `out`; False where one of them was bad. Raises BundleError, OSError."""
    good, number = True, 0
    for lines in read_lines(source, LIMITS.body_bytes):
        for line in lines:
            number += 1
            answer = _answer(engine, line, number, now)
            if answer is not None:
                good = good and "error" not in answer
                out.write(ENCODER.encode(answer) + b"\n")
        out.flush()
    return good


def _answer(engine: Engine, line: bytes | TooLong, number: int, now: float | None) -> dict[str, Any] | None:
    if isinstance(line, TooLong):
        return {"error": f"the line is longer than {LIMITS.body_bytes} bytes", "line": number}
    if not line.strip():
        return None
    try:
        return engine.decide(decoded(line, LIMITS), now)
    except (BodyRejected, BadRequest) as ex:
        return {"error": str(ex), "line": number}
    except msgspec.MsgspecError as ex:
        return {"error": str(ex), "line": number}
