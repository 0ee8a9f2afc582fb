"""Tells who can do an action, and under which conditions.

Reading path: `who_can_request` reads the question, `slips` finds what its model does not declare, `who_can_answer`
answers it from a model, and `who_can_lines` words the answer in lines.
"""
