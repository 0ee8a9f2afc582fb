"""The Rego of the decision itself, the package `writ`: rules P2, P4 and D1 to D8."""

TEXT = r"""# Decides as Writ does. Query `data.writ.decision`, or `data.writ.allow` for a boolean.
#
# Written by `writ export --as rego`. It is the same for every model. The model is in `rules.rego` and `data.json`.
# The ids in the comments are those of Writ's rules of decision.
package writ

import data.writ.model
import data.writ.request
import data.writ.rules

# Whether the subject may do the action on the resource.
default allow := false

allow if decision.decision

# The answer to the AuthZEN evaluation request in `input`. A malformed request is denied.
default decision := {
	"decision": false,
	"context": {
		"reason": "the request is malformed",
		"reason_code": "BAD_REQUEST",
		"access_path": "none",
	},
}

decision := answer if request.is_well_formed

# The first outcome that fits (E7, D1 to D6).
answer := refused("NO_POLICY_MATCH", "the model declares no resource type with this name") if {
	not resource_type
} else := refused("NO_POLICY_MATCH", "the resource type is closed and the resource is not registered") if {
	resource_type.closed
	not is_registered
} else := denied("DENY_OVERRIDE", "denies it, which overrides what allows it") if {
	first_deny
	permission
} else := denied("EXPLICIT_DENY", "denies it") if {
	first_deny
} else := {"decision": true, "context": permission} if {
	permission
} else := refused("CONDITION_FAILED", failed_conditions) if {
	count(allows) > 0
} else := refused("ACTION_NOT_PERMITTED", not_this_action) if {
	applies_to_another_action
} else := refused("NO_POLICY_MATCH", nothing_applies)

refused(reason_code, reason) := {
	"decision": false,
	"context": {"reason": reason, "reason_code": reason_code, "access_path": "none"},
}

denied(reason_code, words) := {
	"decision": false,
	"context": {
		"reason": sprintf("%s %s", [model.policies[first_deny].title, words]),
		"reason_code": reason_code,
		"access_path": "none",
		"denied_by": first_deny,
	},
}

resource_type := request.resource_type

is_registered if model.registered[resource_type.id][request.resource_id]

# The policies on the resource type and the action, in the order in which they are reported (D8).
covering(action) := object.get(model.covering, [resource_type.id, action], {"allow": [], "deny": []})

# The first DENY that applies and holds.
first_deny := [id |
	some id in covering(input.action.name).deny
	path(id)
	rules.holds[id]
][0]

# The ALLOWs that apply, as [negated priority, rank of the path, id]: the smallest is reported (D8).
allows := sort([[0 - model.policies[id].priority, path_ranks[path(id)], id] |
	some id in covering(input.action.name).allow
])

path_ranks := {"role": 0, "group": 1, "abac": 2}

# What allows the request: a direct grant before any policy (D3, D8).
permission := {
	"reason": sprintf("grant `%s` allows it directly", [first_grant.id]),
	"reason_code": "ALLOWED",
	"access_path": "direct",
	"policy_id": first_grant.id,
} if {
	first_grant
} else := {
	"reason": sprintf("%s allows it %s", [model.policies[id].title, through[path(id)]]),
	"reason_code": "ALLOWED",
	"access_path": path(id),
	"policy_id": id,
} if {
	id := [allow_id | some [_, _, allow_id] in allows; rules.holds[allow_id]][0]
}

through := {
	"role": "through a role of the subject",
	"group": "through a role of a group",
	"abac": "without a role",
}

failed_conditions := sprintf("the conditions of %s do not hold%s", [model.policies[allows[0][2]].title, nor_others])

nor_others := sprintf(", nor do those of %d more", [count(allows) - 1]) if {
	count(allows) > 1
} else := ""

not_this_action := "what applies to the subject on this resource covers other actions, not this one" if {
	resource_type.actions[input.action.name]
} else := "the resource type does not declare the action"

nothing_applies := "no policy and no grant applies to this subject, resource and action" if {
	resource_type.actions[input.action.name]
} else := "the resource type does not declare the action"

# Some grant or ALLOW applies for another action (D5).
applies_to_another_action if count(grants) > 0

applies_to_another_action if {
	some action, _ in model.covering[resource_type.id]
	action != input.action.name
	some id in covering(action).allow
	path(id)
}

# The grants on the resource that are in force, the smallest id first (P4).
grants := [grant |
	some [_, grant] in sort([[one.id, one] | some one in granted])
	is_in_force(grant.span)
]

# The grants to the subject, and to its groups (P7).
granted contains grant if {
	some grant in model.grants[input.subject.type][request.subject_id][resource_type.id][request.resource_id]
}

granted contains grant if {
	some direct in facts.groups
	some group in model.granted_groups[direct]
	some grant in model.group_grants[group][resource_type.id][request.resource_id]
}

first_grant := [grant | some grant in grants; input.action.name in grant.actions][0]

# The path by which a policy applies to the subject. It is undefined if the subject lacks the roles, or holds an
# exception (P2, P6).
path(id) := "abac" if {
	not model.policies[id].roles
	not is_excepted(id)
} else := "role" if {
	some role in model.policies[id].roles
	role in own_roles
	not is_excepted(id)
} else := "group" if {
	some role in model.policies[id].roles
	role in group_roles
	not is_excepted(id)
}

is_excepted(id) if {
	some role in model.policies[id].except_roles
	role in (own_roles | group_roles)
}

own_roles contains role if {
	some role, spans in facts.roles
	some span in spans
	is_in_force(span)
}

# Groups have the roles of the groups that contain them already (P3).
group_roles contains role if {
	some group in facts.groups
	some role, spans in model.groups[group]
	some span in spans
	is_in_force(span)
}

# The roles and groups of the subject.
default facts := {"roles": {}, "groups": []}

facts := model.subjects[input.subject.type][request.subject_id]

# The span of a grant or an assignment is [start, end], in nanoseconds, or null. At its end it has ended already (P4).
is_in_force(span) if {
	has_begun(span[0])
	goes_on(span[1])
}

has_begun(start) if start == null

has_begun(start) if {
	is_number(start)
	start <= time.now_ns()
}

goes_on(end) if end == null

goes_on(end) if {
	is_number(end)
	time.now_ns() < end
}
"""
"""The file `writ/policy.rego`."""
