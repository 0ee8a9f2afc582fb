"""The routes of what shows and explains an environment, and changes nothing."""

from typing import Final

from ...endpoints.insight import (
    attention_counts,
    conversion,
    counts_endpoint,
    denials,
    element_names,
    explain,
    figures,
    graph,
    holdings,
    lints,
    overall_search,
    rights,
    translate,
    who_can,
)
from .route_row import ADMIN, READ, Env, RouteRow

INSIGHT_ROUTES: Final[tuple[RouteRow, ...]] = (
    RouteRow(
        "/v1/environments/{env}/policies:convert",
        Env.NAMED,
        conversion.PolicyConversion,
        {"POST": (READ, conversion.CONVERT)},
    ),
    RouteRow(
        "/v1/environments/{env}/figures",
        Env.NAMED,
        figures.Figures,
        {"GET": (READ, figures.GET)},
    ),
    RouteRow(
        "/v1/environments/{env}/denials",
        Env.NAMED,
        denials.Denials,
        {"GET": (ADMIN, denials.LIST)},
    ),
    RouteRow(
        "/v1/environments/{env}/attention",
        Env.NAMED,
        attention_counts.AttentionCounts,
        {"GET": (READ, attention_counts.GET)},
    ),
    RouteRow(
        "/v1/environments/{env}/counts",
        Env.NAMED,
        counts_endpoint.ElementCounts,
        {"GET": (READ, counts_endpoint.GET)},
    ),
    RouteRow(
        "/v1/environments/{env}/search",
        Env.NAMED,
        overall_search.OverallSearch,
        {"GET": (READ, overall_search.GET)},
    ),
    RouteRow(
        "/v1/environments/{env}/names",
        Env.NAMED,
        element_names.ElementNames,
        {"POST": (READ, element_names.ASK)},
    ),
    RouteRow(
        "/v1/environments/{env}/graph",
        Env.NAMED,
        graph.Graph,
        {"GET": (READ, graph.GET)},
    ),
    RouteRow(
        "/v1/environments/{env}/subjects/{type}/{id}/holdings",
        Env.NAMED,
        holdings.SubjectHoldings,
        {"GET": (READ, holdings.GET)},
    ),
    RouteRow(
        "/v1/environments/{env}/rights",
        Env.NAMED,
        rights.Rights,
        {"POST": (READ, rights.ASK)},
    ),
    RouteRow(
        "/v1/environments/{env}/explain",
        Env.NAMED,
        explain.Explanation,
        {"POST": (READ, explain.EXPLAIN)},
    ),
    RouteRow(
        "/v1/environments/{env}/who-can",
        Env.NAMED,
        who_can.WhoCanQuestions,
        {"POST": (READ, who_can.ASK)},
    ),
    RouteRow(
        "/v1/environments/{env}/filters:translate",
        Env.NAMED,
        translate.FilterTranslation,
        {"POST": (READ, translate.TRANSLATE)},
    ),
    RouteRow(
        "/v1/environments/{env}/lints",
        Env.NAMED,
        lints.ModelLints,
        {"GET": (READ, lints.GET)},
    ),
)
"""The rows of the room `insight`, below one environment."""
