"""`writ explain`, which explains decisions to people, and `writ who-can`, which shows who can do an action.

Reading path: `answering` asks a bundle, a store or a service; `logged` finds a decision in a log; `explain` is the
command. For `who_can`, `who_can_body` reads the question. The words are in `api/review`.
"""
