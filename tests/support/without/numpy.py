"""Hides numpy as pandas is hidden."""

raise ImportError("hidden: the service has no use for it")
