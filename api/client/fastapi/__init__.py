"""Authorization of path operations of FastAPI.

Modules: `guard` makes the dependencies; `path_ids` reads the resource's id.
"""

from ..web.access import Access, Permitted
from .guard import Guard

__all__ = ["Access", "Guard", "Permitted"]
