"""Shares threads and commits among callers, and keeps long work from delaying decisions.

Reading path: `fair_turns` → `uncollected` → `fair_threads` → `gathering`.
"""
