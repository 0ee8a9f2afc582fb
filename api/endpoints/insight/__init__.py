"""The endpoints for tools that show and explain an environment, such as a console (page INSIGHT.md).

None of them changes anything. Reading path: `caller_answer` says who asks; `conversion` shows a policy in every form;
`counts_endpoint` counts the elements; `overall_search` finds them by a part of a name, and
`element_names` tells their names; `holdings` shows what a subject
holds, `graph` the groups and roles around an element, and `rights` on which resources a subject may do what; `explain`
explains a decision; `who_can` says who can do an action, which `asking_who_can` finds as a job; `translate` makes SQL
of a filter; `lints` lists the warnings about the model, which `linting` finds as a job; `figures` shows the decisions
of the last hour, and `denials` the newest denials; `attention_counts` says what needs attention.
"""
