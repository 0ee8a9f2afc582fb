"""Answers JSON lines from a bundle, for `writ decide` and `writ filter`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import click
import msgspec

from ....bundles.conditions.instants import SECOND, read_instant
from ....bundles.system_errors import os_sentence
from ....runtime import BadRequest, Engine, RateCounters
from ...http.bodies import ENCODER, decoded
from ...http.lines import TooLong, read_lines
from ...http.rejections import BodyRejected
from ...settings.settings import HttpLimits
from ...settings.written_instants import instant_fault
from ..named_model import reading_bundle
from ..output import CommandFailed

LIMITS = HttpLimits()
"""The limits of a line: those of a request's body."""

BAD_REQUEST = (BodyRejected, BadRequest, msgspec.MsgspecError)
"""The errors of a request that can't be read."""

Answering: TypeAlias = Callable[[Engine, dict[str, Any]], dict[str, Any]]
"""Returns the answer to one request."""


class Instant(click.ParamType[float]):
    """An option that takes an RFC 3339 instant or epoch seconds. Its value is in epoch seconds."""

    name = "instant"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        try:
            seconds: float | str = float(value)
        except ValueError:
            seconds = value
        if fault := instant_fault(seconds):
            self.fail(fault, param, ctx)
        instant = read_instant(seconds)
        assert instant is not None, "what has no fault can be read"
        return instant / SECOND


def bad_line(number: int, sentence: str) -> dict[str, Any]:
    """Returns what is written for a line that can't be answered."""
    return {"error": sentence, "line": number}


def answer_all(bundle: Path, source: Path | None, answering: Answering) -> None:
    """Answers every line of `source`, or of standard input. Then exits: 0, or 1 if a line was bad."""
    try:
        with reading_bundle(bundle):
            engine = Engine.open(bundle, counters=RateCounters())
            with open(source, "rb", buffering=0) if source else open(0, "rb", buffering=0, closefd=False) as stream:
                good = answer_lines(engine, stream, sys.stdout.buffer, answering)
    except BrokenPipeError:
        raise
    except OSError as ex:
        raise CommandFailed(os_sentence(ex)) from None
    sys.exit(0 if good else 1)


def answer_lines(engine: Engine, source: Any, out: BinaryIO, answering: Answering) -> bool:
    """Answers every line of `source` on `out`. Returns False if a line was bad. Raises BundleError, OSError."""
    good, number = True, 0
    for lines in read_lines(source, LIMITS.body_bytes):
        for line in lines:
            number += 1
            answer = _answer(engine, line, number, answering)
            if answer is not None:
                good = good and "error" not in answer
                out.write(ENCODER.encode(answer) + b"\n")
        out.flush()
    return good


def read_request(line: bytes | TooLong) -> dict[str, Any] | None:
    """Returns the request in a line, or None for an empty line. Raises BodyRejected."""
    if isinstance(line, TooLong):
        raise BodyRejected("line-too-long", f"the line is longer than {LIMITS.body_bytes} bytes")
    return decoded(line, LIMITS) if line.strip() else None


def _answer(engine: Engine, line: bytes | TooLong, number: int, answering: Answering) -> dict[str, Any] | None:
    try:
        request = read_request(line)
        return None if request is None else answering(engine, request)
    except BAD_REQUEST as ex:
        return bad_line(number, str(ex))
