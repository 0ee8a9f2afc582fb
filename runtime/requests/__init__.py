"""Reads requests: each of their members (`members`), evaluations (`evaluation_request`) and searches (`searches`).

`error_items` answers items of a batch that can't be decided. `as_json` stands alone: callers convert Python values with
it.
"""
