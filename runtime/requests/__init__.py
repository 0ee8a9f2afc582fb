"""Reads requests: each of their members (`members`), evaluations (`evaluations`) and searches (`searches`).

`as_json` stands alone: callers convert Python values with it.
"""
