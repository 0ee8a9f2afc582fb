"""Lints that look at declarations and opt-ins: those that have no effect, or another one than meant.

The lints are `unused_extension`, `idle_required` and `near_name`.
"""
