"""The routes of environments and of what they hold: elements, models, revisions and promotions."""

from collections.abc import Iterator
from typing import Final

from ...endpoints.management import (
    declared_attributes,
    element_batch,
    element_operations,
    elements,
    expiring,
    revisions,
    whole_model,
)
from ...endpoints.management.environments import environments, gateway
from ...endpoints.management.kinds import DECLARED_ATTRIBUTES, SERVED_KINDS, ServedKind
from ...endpoints.management.promotions import approvals, drift, promotions, restoration
from ...endpoints.previewing import change_preview
from ...endpoints.previewing import policy_test_run as test_run
from ...endpoints.previewing import policy_test_sets as test_sets
from ...engines.exports import bundle
from .route import ADMIN, READ, WRITE, Env, Route


def _elements(kind: ServedKind) -> Iterator[Route]:
    """Yields the routes of one kind of elements."""
    yield Route(
        kind.list_path,
        Env.NAMED,
        lambda given: elements.ElementList(kind, given.management),
        {"GET": (READ, element_operations.listing(kind)), "POST": (WRITE, element_operations.creating(kind))},
    )
    yield Route(
        kind.batch_path,
        Env.NAMED,
        lambda given: element_batch.ElementBatch(kind, given.management),
        {"POST": (WRITE, element_operations.creating_many(kind))},
    )
    yield Route(
        kind.element_path,
        Env.NAMED,
        lambda given: elements.Element(kind, given.management),
        {
            "GET": (READ, element_operations.reading(kind)),
            "PUT": (WRITE, element_operations.replacing(kind)),
            "PATCH": (WRITE, element_operations.patching(kind)),
            "DELETE": (WRITE, element_operations.deleting(kind)),
        },
    )


MODEL_ROUTES: Final[tuple[Route, ...]] = (
    Route(
        "/v1/environments",
        Env.NONE,
        lambda given: environments.Environments(given.management),
        {"GET": (READ, environments.LIST), "POST": (ADMIN, environments.CREATE)},
    ),
    Route(
        "/v1/environments/{env}",
        Env.NAMED,
        lambda given: environments.OneEnvironment(given.management),
        {
            "GET": (READ, environments.GET),
            "PATCH": (ADMIN, environments.PATCH),
            "DELETE": (ADMIN, environments.DELETE),
        },
    ),
    *(route for kind in SERVED_KINDS for route in _elements(kind)),
    Route(
        DECLARED_ATTRIBUTES.element_path,
        Env.NAMED,
        lambda given: declared_attributes.DeclaredAttributes(given.management),
        {
            "GET": (READ, declared_attributes.GET),
            "PUT": (WRITE, declared_attributes.PUT),
            "PATCH": (WRITE, declared_attributes.PATCH),
            "DELETE": (WRITE, declared_attributes.DELETE),
        },
    ),
    Route(
        "/v1/environments/{env}/model",
        Env.NAMED,
        lambda given: whole_model.WholeModel(given.management),
        {"GET": (READ, whole_model.GET), "PUT": (WRITE, whole_model.PUT)},
    ),
    Route(
        "/v1/environments/{env}/tests",
        Env.NAMED,
        lambda given: test_sets.TestSets(given.management),
        {"GET": (READ, test_sets.LIST), "POST": (WRITE, test_sets.CREATE)},
    ),
    Route(
        "/v1/environments/{env}/tests:run",
        Env.NAMED,
        lambda given: test_run.TestRunner(given.preview),
        {"POST": (READ, test_run.RUN)},
    ),
    Route(
        "/v1/environments/{env}/changes:preview",
        Env.NAMED,
        lambda given: change_preview.ChangePreview(given.preview),
        {"POST": (WRITE, change_preview.PREVIEW)},
    ),
    Route(
        "/v1/environments/{env}/tests/{id}",
        Env.NAMED,
        lambda given: test_sets.OneTestSet(given.management),
        {
            "GET": (READ, test_sets.GET),
            "PUT": (WRITE, test_sets.PUT),
            "DELETE": (WRITE, test_sets.DELETE),
        },
    ),
    Route(
        "/v1/environments/{env}/revisions",
        Env.NAMED,
        lambda given: revisions.Revisions(given.management),
        {"GET": (READ, revisions.LIST)},
    ),
    Route(
        "/v1/environments/{env}/revisions/{revision}",
        Env.NAMED,
        lambda given: revisions.OneRevision(given.management),
        {"GET": (READ, revisions.GET)},
    ),
    Route(
        "/v1/environments/{env}/revisions/{revision}/restore",
        Env.NAMED,
        lambda given: restoration.Restoration(given.management),
        {"POST": (WRITE, restoration.RESTORE)},
    ),
    Route(
        "/v1/environments/{env}/promotions",
        Env.NAMED,
        lambda given: promotions.PromotionList(given.management),
        {"GET": (ADMIN, promotions.LIST), "POST": (ADMIN, promotions.CREATE)},
    ),
    Route(
        "/v1/environments/{env}/promotions/{id}",
        Env.NAMED,
        lambda given: promotions.OnePromotion(given.management),
        {"GET": (ADMIN, promotions.GET)},
    ),
    Route(
        "/v1/environments/{env}/promotions/{id}/approve",
        Env.NAMED,
        lambda given: approvals.PromotionApproval(given.management),
        {"POST": (ADMIN, approvals.APPROVE)},
    ),
    Route(
        "/v1/environments/{env}/promotions/{id}/reject",
        Env.NAMED,
        lambda given: approvals.PromotionRejection(given.management),
        {"POST": (ADMIN, approvals.REJECT)},
    ),
    Route(
        "/v1/environments/{env}/drift",
        Env.NAMED,
        lambda given: drift.DriftSincePromotion(given.management),
        {"GET": (READ, drift.GET)},
    ),
    Route(
        "/v1/environments/{env}/expiring",
        Env.NAMED,
        lambda given: expiring.ExpiringList(given.management),
        {"GET": (READ, expiring.LIST)},
    ),
    Route(
        "/v1/environments/{env}/bundle",
        Env.NAMED,
        lambda given: bundle.BundleExport(given.export),
        {"GET": (READ, bundle.GET)},
    ),
    Route(
        "/v1/environments/{env}/gateway",
        Env.NAMED,
        lambda given: gateway.Gateway(given.management),
        {"GET": (READ, gateway.GET), "PUT": (ADMIN, gateway.PUT), "DELETE": (ADMIN, gateway.DELETE)},
    ),
)
"""The rows of everything below `/v1/environments`."""
