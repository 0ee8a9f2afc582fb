"""Rewrites of the program. Each file has one, which returns a program with the same meaning."""
