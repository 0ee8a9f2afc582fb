"""Authorization of views of Flask.

Modules: `guard` has the decorator, the check inside a view, and the check of a page; `order` finds decorators in the
wrong order.
"""

from .guard import Guard

__all__ = ["Guard"]
