"""The signature of a bundle: its keys, its claims, how it gets into a file, and which files are accepted.

Reading path: `keys` → `jws` → `claims` → `section` → `sign` → `verify`. `../README.md` describes the format.
"""
