"""Reads requests: each of their members (`members`), evaluations (`evaluations`) and searches (`searches`)."""
