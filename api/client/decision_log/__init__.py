"""A decision log for engines in the process of an application: the records are those of Writ's service.

Reading path: `written_json` (requests and answers as JSON) → `logged_engine` (the questions) → `fresh_entries` (the
queue, as the thread that writes reads it) → `application_log` (`DecisionLog`: its parameters, its thread, forks).
"""

from .application_log import DecisionLog, DecisionLogFull
from .logged_engine import LoggedEngine

__all__ = ["DecisionLog", "DecisionLogFull", "LoggedEngine"]
