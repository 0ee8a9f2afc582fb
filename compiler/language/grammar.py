"""The grammar of the `.writ` language: an LALR grammar of one statement, in Lark's notation.

A document is a list of statements. `statements` finds where each one starts, so a fault in one leaves the others
readable. Words in quotes are keywords. They are keywords only where the grammar expects them: an action may be called
`on`. Names in capitals are the terminals of `tokens`.
"""

import re
from typing import Final

from ...bundles.conditions.operators import OPERATORS, TAKES_LIST

OPERATOR_RULES: Final = {op: f"operator_{op}" for op in OPERATORS}
"""The name of each operator's construct."""


def _operators(takes_list: bool) -> str:
    """Returns the alternatives of the operators before a list, or before one constant."""
    return " | ".join(
        " ".join(f'"{word}"' for word in row.written.split()) + f" -> {OPERATOR_RULES[op]}"
        for op, row in OPERATORS.items()
        if TAKES_LIST[op] == takes_list
    )


_GRAMMAR: Final = r"""
?start: extensions | requests | type | role | group | subject | resource | assign | grant | policy | route | declare
      | silence

extensions: "extensions" (name ("," name)*)?
requests: "requests" "strict"

type: "type" name label? type_clause*
?type_clause: actions | closed | attribute_kinds
actions: "actions" name ("," name)*
closed: "closed"
attribute_kinds: "attributes" (kind (","? kind)*)?
kind: name name ("required" | "one" "of" array)*

role: "role" name label?

group: "group" name label? members?
members: "members" member (","? member)*
member: "group" name -> member_group
      | name name    -> member_subject

subject: "subject" name name entity_clause*
resource: "resource" name name label? entity_clause*
?entity_clause: external_id | attribute_values
external_id: "external" "id" name
attribute_values: "attributes" (attribute (","? attribute)*)?
attribute: name constant

assign: "assign" name "to" holder term*
holder: "group" name -> holder_group
      | name name    -> holder_subject
grant: "grant" action ("," action)* "on" name name "to" holder term*
?term: starts | expires | given_id
starts: "from" INSTANT
expires: "until" INSTANT
given_id: "as" name

policy: "policy" name label? policy_clause*
?policy_clause: description | disabled | priority | effect | when | days | start_time | end_time | not_before
              | not_after | zone | addresses | rate
description: "description" STRING+
disabled: "disabled"
priority: "priority" NUMBER
effect: ("allow" | "deny") who exceptions? scope+
scope: "to" "do" "anything" "to" covered_types    -> scope_of_anything
      | "to" action ("," action)* covered_types
who: "everyone"         -> everyone
   | name ("," name)*   -> roles
exceptions: "except" name ("," name)*
covered_types: covered_type ("," covered_type)*
?covered_type: "everything" -> everything
             | name
?action: "anything" -> any_action
       | name
when: "when" condition ("and" condition)*
condition: ATTRIBUTE comparison constant      -> comparison
         | ATTRIBUTE presence                 -> presence
         | ATTRIBUTE membership constants     -> membership
         | ATTRIBUTE (comparison | membership) ATTRIBUTE -> referring
         | ATTRIBUTE comparison "now"       -> against_now
         | ATTRIBUTE "has" "passed"         -> passed
         | ATTRIBUTE "is" "still" "to" "come" -> to_come
         | ATTRIBUTE "is" "still"           -> is_still
presence: "is" "present" -> operator_present
comparison: {comparisons}
membership: {memberships}
constants: constant ("," constant)*
days: "on" day ("," day)*
day: name ("to" name)?
start_time: "from" CLOCK
end_time: "until" CLOCK
not_before: "from" INSTANT
not_after: "until" INSTANT
zone: "in" name
addresses: "from" address ("," address)*
?address: NAME | ADDRESS | STRING
rate: "at" "most" NUMBER "times" "in" NUMBER name

route: "route" name route_clause*
?route_clause: matches | hosts | means | sources
matches: "any" "method" path anonymous?        -> any_method
       | method ("," method)* path anonymous?  -> methods
anonymous: "anonymous"
?method: NAME   -> name
       | STRING -> name
?path: PATH | STRING
hosts: "on" host ("," host)*
?host: NAME | ADDRESS | HOSTS | STRING
means: "means" name name resource_name?
resource_name: template                  -> resource_id
             | "external" "id" template  -> external_resource_id
?template: NAME | STRING | CAPTURE
sources: "attributes" (source (","? source)*)?
source: name "from" "query" name ("as" name)?   -> query_source
      | name "from" "header" name ("as" name)?  -> header_source
      | name "from" CAPTURE ("as" name)?        -> capture_source

declare: "declare" "subject" (name (kind (","? kind)*)?)? -> declare_subject
       | "declare" "context" (kind (","? kind)*)? -> declare_context
       | "declare" "action" (kind (","? kind)*)?         -> declare_action

silence: "silence" name ("on" name ("," name)*)? "because" STRING

name: NAME | STRING | NUMBER
label: STRING
?constant: STRING     -> text
         | NUMBER     -> number
         | INSTANT    -> bare_text
         | CLOCK      -> bare_text
         | NAME       -> bare_text
         | "true"     -> true
         | "false"    -> false
         | "null"     -> null
         | array
         | object
array: "[" (constant ("," constant)* ","?)? "]"
object: "{" (member_value ("," member_value)* ","?)? "}"
member_value: name ":" constant

%declare NAME STRING NUMBER ATTRIBUTE INSTANT CLOCK ADDRESS PATH HOSTS CAPTURE
"""

GRAMMAR: Final = _GRAMMAR.replace("{comparisons}", _operators(False)).replace("{memberships}", _operators(True))

_CLAUSE_WORDS = (
    "actions allow and as at attributes because closed deny description disabled except external from in means"
    " members on priority to until when"
)
CLAUSES: Final = frozenset(_CLAUSE_WORDS.split())
"""The words that go on with a statement. A line that starts with one never starts a statement."""

KEYWORDS: Final = frozenset(re.findall(r'"([a-z]+)"', GRAMMAR))
"""All words of the grammar."""
