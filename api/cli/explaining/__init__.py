"""`writ explain`, which explains decisions to people.

Reading path: `answering` asks a bundle, a store or a service; `logged` finds a decision in a log; `explain` is the
command. The words are in `api/review/wording`.
"""
