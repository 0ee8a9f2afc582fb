"""The change log of a model: what each revision changed, and the delta that it is to a bundle.

Reading path: `change_log` → `affected` → `delta_states` → `updates`.
"""
