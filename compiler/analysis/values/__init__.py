"""Values of attributes and instants to try, such as for a request that shows a difference.

Reading path: `candidates` (values of an attribute) → `instants_tried` → `accepted` (what strict models accept).
"""
