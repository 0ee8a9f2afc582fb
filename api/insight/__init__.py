"""The endpoints for tools that show and explain an environment, such as a console (page INSIGHT.md).

None of them changes anything. Reading path: `caller` says who asks; `convert` shows a policy in every form;
`counts` counts the elements; `holdings` shows what a subject holds;
`explain` explains a decision; `translate` shows a filter as SQL;
`lints` lists the warnings about the model, which `linting` finds in a process of its own.
"""
