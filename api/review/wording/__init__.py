"""Words for people: what a policy means, and why a decision is what it is.

Reading path: `plain_values` shows names and values; `window_words` and `comparison_words` word the parts of conditions,
`now_words` those that compare with the time, and `referred_words` those that name another value of the request;
`policy_sentence` says what a policy does; `condition_prose` words a condition of a proof, `prose` a whole answer, and
`needs` what an ALLOW lacks, `why_not_words` which changes would allow, `relation_phrases` and `relation_words` how two
values of a request compare, `region_words` which requests two models answer differently, `shown_regions` has the shape
of that in answers, and `region_lines` words it in lines.
"""
