"""How the time on the air is shared among the stations of an access point."""

from collections.abc import Callable
from fnmatch import fnmatchcase

from airtcp.metrics.airtime import AirtimeShares, airtime_of_stations, error_of_equal_shares
from airtcp.quantities.quantity import Override, Quantity
from airtcp.quantities.radios import link_parts
from airtcp.quantities.run_view import RunView


def _access_points(view: RunView) -> list[int]:
    nics = view.run.plan["air"]["nics"]
    return [
        number
        for number, nic in enumerate(nics)
        if nic["role"] == "access_point" and view.has_node(nic["node"])
    ]


def _shares(view: RunView) -> AirtimeShares | None:
    """Of the stations of the chosen access point; none if there is not exactly one such."""
    access_points = _access_points(view)
    view.series("links")
    if len(access_points) != 1:
        return None
    return airtime_of_stations(link_parts(view.run), access_points[0], view.start_ns, view.stop_ns)


def airtime_share(view: RunView) -> float:
    """Share of the chosen stations (`peer`) in the airtime of all, both directions, during the span."""
    found = _shares(view)
    if found is None:
        return float("nan")
    nics = view.run.plan["air"]["nics"]
    chosen = [share for n, share in found.shares.items() if fnmatchcase(nics[n]["node"], view.arguments.peer)]
    return sum(chosen) if chosen else float("nan")


def airtime_jain(view: RunView) -> float:
    """Jain's index of the stations' airtimes; of one station there is none."""
    found = _shares(view)
    return found.jain if found is not None and len(found.shares) > 1 else float("nan")


def airtime_error(view: RunView) -> float:
    """How far the station furthest from an equal share is from it, as a share of that."""
    found = _shares(view)
    return float("nan") if found is None else error_of_equal_shares(found)


_OF_STATIONS = "of the stations of the access point `node`"


def _of_all(number: Callable[[RunView], float]) -> Override:
    return Override("it compares the stations with each other", number)


QUANTITIES = {
    "airtime_share": Quantity(
        "Share of airtime",
        "",
        f"share of the stations `peer` in the airtime {_OF_STATIONS}, both directions",
        ("links",),
        3,
        override=_of_all(airtime_share),
        most=1.0,
    ),
    "airtime_jain": Quantity(
        "Jain's index of airtime",
        "",
        f"Jain's index of the airtimes {_OF_STATIONS}; of one station there is none",
        ("links",),
        3,
        override=_of_all(airtime_jain),
        most=1.0,
    ),
    "airtime_error": Quantity(
        "Largest error of an equal share of airtime",
        "",
        f"how far the airtimes {_OF_STATIONS} are from equal shares, as a share of that: the largest",
        ("links",),
        3,
        override=_of_all(airtime_error),
    ),
}
