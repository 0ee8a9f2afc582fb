"""Authorization of endpoints of Starlette. For FastAPI, use `writ.fastapi`.

Modules: `guard` has the decorator, and the checks of a request.
"""

from ..web.access import Access
from .guard import Guard

__all__ = ["Access", "Guard"]
