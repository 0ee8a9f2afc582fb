"""The signature of a bundle: its keys, its claims, how it gets into a file, and which files are accepted.

Reading path: `pem_keys` → `jws` → `claims` → `section` → `sign` → `signature_check`. `../README.md` describes the
format.
"""
