"""The limits of models that a setting changes. PERF: `writ check` reads them without the other settings."""

from collections.abc import Mapping
from dataclasses import replace

from ...compiler.limits import DEFAULTS, Limits
from .setting_readers import GROUP_DEPTH, GROUP_DEPTHS


def model_limits(environment: Mapping[str, str]) -> Limits:
    """Returns the limits of models by the variables of `environment`. Raises BadSetting.

    >>> model_limits({"WRIT_MAX_GROUP_DEPTH": "7"}).group_depth
    7
    """
    text = environment.get(GROUP_DEPTH)
    return DEFAULTS if text is None else replace(DEFAULTS, group_depth=GROUP_DEPTHS.read(GROUP_DEPTH, text))
