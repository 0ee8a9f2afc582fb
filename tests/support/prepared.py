"""Prepares the process that commands are forked from, after its imports, so that a fork costs and frees little.

The end of a fork took 0.3 seconds: it freed all that was imported, and so copied the memory that forks share.
"""

import ctypes
import gc
import sys
from types import ModuleType

import gunicorn.glogging  # noqa: F401 - a service imports it when it starts
from writ.api.http.handlers import needed_parts
from writ.api.service.routes.all_routes import ROUTES, openapi_document

openapi_document()
for route in ROUTES:
    needed_parts(route.handler)
_IMPORTED = [dict(vars(module)) for module in list(sys.modules.values()) if isinstance(module, ModuleType)]
"""References to all that was imported, which the end of a fork does not drop."""

ctypes.pythonapi.Py_IncRef(ctypes.py_object(_IMPORTED))
gc.collect()
gc.freeze()
