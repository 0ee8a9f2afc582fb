"""The state directory: the last good bundle, the updates since and the list of callers, for the next start.

Reading path: `state_files` → `current` → `directory` → `state_reader`.
"""
