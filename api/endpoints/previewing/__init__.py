"""Stored policy tests over HTTP, and previews of a change before it is written.

Reading path: `preview_shapes` has types. `policy_test_sets` stores tests; `changes` reads the changes of a request;
`change_people` compares both models by people; `trial_engines` makes an engine on the model with the changes, and
`tried_registry` has its registered attributes; `recent_decisions` asks logged requests again; `policy_test_run`,
`change_trial` and `change_preview` are the endpoints. `undo_shapes`, `undo_people` and `undo` do the same for a
revision that is undone.
"""
