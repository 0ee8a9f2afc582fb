"""The times of a signature: when it was issued, and until when it is accepted."""

from typing import Final

from ..errors import ExpiredBundle
from ..signing.verify import SKEW_SECONDS, instant_text

LIFETIME_SECONDS: Final = 24 * 3600
"""Time for which a message of the feed is accepted. A new one is signed long before."""


def check_times(signed: str, issued: int, expires: int, now: float) -> None:
    """Raises ExpiredBundle if a signature is not accepted at `now`. All times are in epoch seconds."""
    if not issued <= now + SKEW_SECONDS:  # so that NaN is refused
        raise ExpiredBundle(f"{signed} was signed in the future, at {instant_text(issued)}")
    if not now < expires:
        raise ExpiredBundle(f"the signature of {signed} expired at {instant_text(expires)}")
