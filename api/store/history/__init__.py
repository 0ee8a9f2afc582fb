"""The change log of a model: the changes of each revision, and the delta that each revision is to a bundle.

Reading path: `change_log` → `affected` → `delta_states` → `updates`.
"""
