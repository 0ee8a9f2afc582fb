"""The order of the routes without the changes of one revision, and the edits that make it."""

from collections.abc import Collection, Iterator, Sequence

from .route_orders import moved


def order_without(now: Sequence[str], before: Sequence[str], back: Collection[str]) -> list[str]:
    """Returns the order `now`, in which the routes `back` stand again as they stood `before` a revision.

    Each comes before the route that it stood before, or else behind the one that it stood behind.

    >>> order_without("abcx", "dabc", {"d"}), order_without("bxa", "ab", {"a"})
    (['d', 'a', 'b', 'c', 'x'], ['a', 'b', 'x'])
    """
    found = [id for id in now if id not in back]
    for place in range(len(before) - 1, -1, -1):
        if before[place] in back:
            found.insert(_place(found, before, place), before[place])
    return found


def _place(found: Sequence[str], before: Sequence[str], place: int) -> int:
    follows = next((id for id in before[place + 1 :] if id in found), None)
    if follows is not None:
        return found.index(follows)
    leads = next((id for id in reversed(before[:place]) if id in found), None)
    return len(found) if leads is None else found.index(leads) + 1


def moves_to(now: Sequence[str], wanted: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yields the moves that lead from one order of the same routes to another: a route, and the one to put it before.

    >>> list(moves_to("abc", "cab")), list(moves_to("abc", "bca")), list(moves_to("ab", "ab"))
    ([('c', 'b'), ('c', 'a')], [('b', 'a'), ('c', 'a')], [])
    """
    order = list(now)
    if order and order[-1] != wanted[-1]:  # nothing puts a route behind all others, so the others go before it
        last = order.index(wanted[-1])
        yield from ((id, wanted[-1]) for id in order[last + 1 :])
        order = [*order[:last], *order[last + 1 :], wanted[-1]]
    those = moved(order, wanted) - {wanted[-1]} if wanted else frozenset()
    for place in range(len(wanted) - 2, -1, -1):
        if wanted[place] in those:
            yield wanted[place], wanted[place + 1]
