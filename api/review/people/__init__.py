"""Compares two models by people: who gains and who loses by a change, as every answer about a change has it.

Reading path: `told_together` puts regions together, `people_answer` has the shape, `compared_models` compares two
models, and `bounded_comparison` does so for a service, within limits. `people_lines` words the answer in lines.
"""
