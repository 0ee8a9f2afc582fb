"""The routes of what shows and explains an environment, and changes nothing."""

from typing import Final

from ...endpoints.insight import convert, counts, denials, explain, figures, holdings, lints, translate
from .route import ADMIN, READ, Env, Route

INSIGHT_ROUTES: Final[tuple[Route, ...]] = (
    Route(
        "/v1/environments/{env}/policies:convert",
        Env.NAMED,
        lambda given: convert.PolicyConversion(given.management),
        {"POST": (READ, convert.CONVERT)},
    ),
    Route(
        "/v1/environments/{env}/figures",
        Env.NAMED,
        lambda given: figures.Figures(given.management, given.counts.table.hour),
        {"GET": (READ, figures.GET)},
    ),
    Route(
        "/v1/environments/{env}/denials",
        Env.NAMED,
        lambda given: denials.Denials(given.management, given.decision_log),
        {"GET": (ADMIN, denials.LIST)},
    ),
    Route(
        "/v1/environments/{env}/counts",
        Env.NAMED,
        lambda given: counts.ElementCounts(given.management),
        {"GET": (READ, counts.GET)},
    ),
    Route(
        "/v1/environments/{env}/subjects/{type}/{id}/holdings",
        Env.NAMED,
        lambda given: holdings.SubjectHoldings(given.management),
        {"GET": (READ, holdings.GET)},
    ),
    Route(
        "/v1/environments/{env}/explain",
        Env.NAMED,
        lambda given: explain.Explanation(given.engine_of, given.bodies, given.deciding),
        {"POST": (READ, explain.EXPLAIN)},
    ),
    Route(
        "/v1/environments/{env}/filters:translate",
        Env.NAMED,
        lambda given: translate.FilterTranslation(given.management),
        {"POST": (READ, translate.TRANSLATE)},
    ),
    Route(
        "/v1/environments/{env}/lints",
        Env.NAMED,
        lambda given: lints.ModelLints(given.management),
        {"GET": (READ, lints.GET)},
    ),
)
"""The rows of the room `insight`, below one environment."""
