"""Reads requests: each of their members (`members`), their `options`, evaluations (`evaluation_request`) and searches
(`searches`).

`registry` is the interface of registered attributes (E9), and `unavailable` the error without one. `error_items`
answers items of a batch that can't be decided. `plain_bodies` reads ordinary JSON in one step. `as_json` stands alone:
callers convert Python values with it.
"""
