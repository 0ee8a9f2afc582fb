"""Benchmarks: what a decision costs, beside other engines, and what opening a large bundle costs. See README.md."""
