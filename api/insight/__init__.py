"""The endpoints for tools that show and explain an environment, such as a console (page INSIGHT.md).

None of them changes anything. Reading path: `caller` says who asks; `convert` shows a policy in every form; `figures`
counts the decisions of the last hour, and `denials` reads the denials of the decision log.
"""
