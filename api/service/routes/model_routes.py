"""The routes of environments and of what they hold: elements, models, revisions and promotions."""

from collections.abc import Iterator
from functools import partial
from typing import Final

from ....compiler.model.elements import ElementKind
from ...endpoints.management import (
    element_batch,
    element_operations,
    elements,
    expiring_elements,
    grants_on_resource,
    group_members,
    revisions,
    single_members,
    whole_model,
)
from ...endpoints.management.element_paths import SERVED_KINDS, SERVED_MEMBERS, ServedKind
from ...endpoints.management.environments import environment_gateway, environments
from ...endpoints.management.promotions import one_promotion, promotions, restoration
from ...endpoints.previewing import change_preview, change_trial, undo
from ...endpoints.previewing import policy_test_run as test_run
from ...endpoints.previewing import policy_test_sets as test_sets
from ...engines.exports import bundle
from .route_row import ADMIN, DECIDE, READ, WRITE, Env, RouteRow


def _elements(kind: ServedKind) -> Iterator[RouteRow]:
    """Yields the routes of one kind of elements."""
    yield RouteRow(
        kind.list_path,
        Env.NAMED,
        partial(elements.ElementsOfKind, kind),
        {"GET": (READ, element_operations.listing(kind)), "POST": (WRITE, element_operations.creating(kind))},
    )
    yield RouteRow(
        kind.batch_path,
        Env.NAMED,
        partial(element_batch.ElementBatch, kind),
        {"POST": (WRITE, element_operations.creating_many(kind))},
    )
    yield RouteRow(
        kind.element_path,
        Env.NAMED,
        partial(elements.PatchedElement, kind),
        {
            "GET": (READ, element_operations.reading(kind)),
            "PUT": (WRITE, element_operations.replacing(kind)),
            "PATCH": (WRITE, element_operations.patching(kind)),
            "DELETE": (WRITE, element_operations.deleting(kind)),
        },
    )


def _single_member(kind: ServedKind) -> RouteRow:
    """Returns the route of a member that is no list. Only an object can be patched."""
    methods = {
        "GET": (READ, single_members.reading(kind)),
        "PUT": (WRITE, single_members.replacing(kind)),
        "DELETE": (WRITE, single_members.deleting(kind)),
    }
    if kind.name != ElementKind.ATTRIBUTES:
        return RouteRow(kind.element_path, Env.NAMED, partial(single_members.MemberValue, kind), methods)
    methods["PATCH"] = WRITE, single_members.patching(kind)
    return RouteRow(kind.element_path, Env.NAMED, partial(elements.PatchedElement, kind), methods)


MODEL_ROUTES: Final[tuple[RouteRow, ...]] = (
    RouteRow(
        "/v1/environments",
        Env.NONE,
        environments.Environments,
        {"GET": (READ, environments.LIST), "POST": (ADMIN, environments.CREATE)},
    ),
    RouteRow(
        "/v1/environments/{env}",
        Env.NAMED,
        environments.OneEnvironment,
        {
            "GET": (READ, environments.GET),
            "PATCH": (ADMIN, environments.PATCH),
            "DELETE": (ADMIN, environments.DELETE),
        },
    ),
    *(route for kind in SERVED_KINDS for route in _elements(kind)),
    RouteRow(
        "/v1/environments/{env}/resources/{type}/{id}/grants",
        Env.NAMED,
        grants_on_resource.GrantsOnResource,
        {
            "GET": (READ, grants_on_resource.GET),
            "PUT": (WRITE, grants_on_resource.PUT),
            "DELETE": (WRITE, grants_on_resource.DELETE),
        },
    ),
    RouteRow(
        "/v1/environments/{env}/groups/{id}/members/{type}/{member}",
        Env.NAMED,
        group_members.GroupMember,
        {"PUT": (WRITE, group_members.adding("subject")), "DELETE": (WRITE, group_members.removing("subject"))},
    ),
    RouteRow(
        "/v1/environments/{env}/groups/{id}/groups/{member}",
        Env.NAMED,
        group_members.GroupMember,
        {"PUT": (WRITE, group_members.adding("group")), "DELETE": (WRITE, group_members.removing("group"))},
        suffix="group",
    ),
    *map(_single_member, SERVED_MEMBERS),
    RouteRow(
        "/v1/environments/{env}/model",
        Env.NAMED,
        whole_model.WholeModel,
        {"GET": (READ, whole_model.GET), "PUT": (WRITE, whole_model.PUT)},
    ),
    RouteRow(
        "/v1/environments/{env}/tests",
        Env.NAMED,
        test_sets.TestSets,
        {"GET": (READ, test_sets.LIST), "POST": (WRITE, test_sets.CREATE)},
    ),
    RouteRow(
        "/v1/environments/{env}/tests:run",
        Env.NAMED,
        test_run.TestRunner,
        {"POST": (READ, test_run.RUN)},
    ),
    RouteRow(
        "/v1/environments/{env}/changes:preview",
        Env.NAMED,
        change_preview.ChangePreview,
        {"POST": (WRITE, change_preview.PREVIEW)},
    ),
    RouteRow(
        "/v1/environments/{env}/changes:try",
        Env.NAMED,
        change_trial.ChangeTrial,
        {"POST": (WRITE, change_trial.TRY)},
    ),
    RouteRow(
        "/v1/environments/{env}/tests/{id}",
        Env.NAMED,
        test_sets.OneTestSet,
        {
            "GET": (READ, test_sets.GET),
            "PUT": (WRITE, test_sets.PUT),
            "DELETE": (WRITE, test_sets.DELETE),
        },
    ),
    RouteRow(
        "/v1/environments/{env}/revisions",
        Env.NAMED,
        revisions.Revisions,
        {"GET": (READ, revisions.LIST)},
    ),
    RouteRow(
        "/v1/environments/{env}/revisions/{revision}",
        Env.NAMED,
        revisions.OneRevision,
        {"GET": (READ, revisions.GET)},
    ),
    RouteRow(
        "/v1/environments/{env}/revisions/{revision}/restore",
        Env.NAMED,
        restoration.Restoration,
        {"POST": (WRITE, restoration.RESTORE)},
    ),
    RouteRow(
        "/v1/environments/{env}/revisions/{revision}/undo",
        Env.NAMED,
        undo.Undo,
        {"POST": (WRITE, undo.UNDO)},
    ),
    RouteRow(
        "/v1/environments/{env}/promotions",
        Env.NAMED,
        promotions.PromotionList,
        {"GET": (ADMIN, promotions.LIST), "POST": (ADMIN, promotions.CREATE)},
    ),
    RouteRow(
        "/v1/environments/{env}/promotions/{id}",
        Env.NAMED,
        one_promotion.OnePromotion,
        {"GET": (ADMIN, one_promotion.GET)},
    ),
    RouteRow(
        "/v1/environments/{env}/promotions/{id}/approve",
        Env.NAMED,
        one_promotion.OnePromotion,
        {"POST": (ADMIN, one_promotion.APPROVE)},
        suffix="approval",
    ),
    RouteRow(
        "/v1/environments/{env}/promotions/{id}/reject",
        Env.NAMED,
        one_promotion.OnePromotion,
        {"POST": (ADMIN, one_promotion.REJECT)},
        suffix="rejection",
    ),
    RouteRow(
        "/v1/environments/{env}/drift",
        Env.NAMED,
        promotions.PromotionList,
        {"GET": (READ, promotions.GET_DRIFT)},
        suffix="drift",
    ),
    RouteRow(
        "/v1/environments/{env}/expiring",
        Env.NAMED,
        expiring_elements.ExpiringList,
        {"GET": (READ, expiring_elements.LIST)},
    ),
    RouteRow(
        "/v1/environments/{env}/bundle",
        Env.NAMED,
        bundle.BundleExport,
        {"GET": (DECIDE, bundle.GET)},
    ),
    RouteRow(
        "/v1/environments/{env}/gateway",
        Env.NAMED,
        environment_gateway.GatewaySettingsOfEnvironment,
        {
            "GET": (READ, environment_gateway.GET),
            "PUT": (ADMIN, environment_gateway.PUT),
            "DELETE": (ADMIN, environment_gateway.DELETE),
        },
    ),
)
"""The rows of everything below `/v1/environments`."""
