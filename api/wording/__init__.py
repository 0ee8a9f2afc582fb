"""Words for people: what a policy means, and why a decision is what it is.

Reading path: `plain_values` shows names and values; `window_words` words a time window; `policy_sentence` says what a
policy does; `condition_prose` words a condition of a proof, `prose` a whole answer.
"""
