"""Stored policy tests over HTTP, and what a change would do before it is written.

Reading path: `test_sets` stores tests; `changes` reads the changes of a request; `trial_engines` makes an engine
on the model with the changes; `run` asks tests, and `report` tells of them; `test_run` and `change_preview` are the
endpoints.
"""
