"""The times for which the messages of the feed are accepted."""

from typing import Final

LIFETIME_SECONDS: Final = 24 * 3600
"""Time for which a message of the feed is accepted. A new one is signed long before."""
