"""Partial evaluation: the filter that is left of the rules when the resource is unknown (F1-F7).

Reading path: `partial` → `nodes` → `derive` → `filter_cache`.
"""
