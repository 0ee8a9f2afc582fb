"""The rule program and its facts: clauses, what a legal program is, and its text form.

Reading path: `clauses` → `laws` → `text` → `facts` → `closure`.
"""
