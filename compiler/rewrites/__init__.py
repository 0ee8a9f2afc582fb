"""Rewrites of the program, one a file: each takes a program and gives one that means the same."""
