"""How the time on the air is shared among the stations of an access point."""

from fnmatch import fnmatchcase

from airtcp.metrics.airtime import AirtimeShares, airtime_of_stations, error_of_equal_shares
from airtcp.quantities.metric_view import MetricView
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.radios import link_parts
from airtcp.quantities.whole_run import WholeRun


def _access_points(view: MetricView) -> list[int]:
    nics = view.run.plan["air"]["nics"]
    return [
        number
        for number, nic in enumerate(nics)
        if nic["role"] == "access_point" and view.has_node(nic["node"])
    ]


def _shares(view: MetricView) -> AirtimeShares | None:
    """Of the stations of the chosen access point; none if there is not exactly one such."""
    access_points = _access_points(view)
    if len(access_points) != 1:
        return None
    return airtime_of_stations(link_parts(view.run), access_points[0], view.start_ns, view.stop_ns)


def airtime_share(view: MetricView) -> float:
    """Share of the chosen stations (`peer`) in the airtime of all, both directions, during the span."""
    found = _shares(view)
    if found is None:
        return float("nan")
    nics = view.run.plan["air"]["nics"]
    chosen = [share for n, share in found.shares.items() if fnmatchcase(nics[n]["node"], view.arguments.peer)]
    return sum(chosen) if chosen else float("nan")


def airtime_jain(view: MetricView) -> float:
    """Jain's index of the stations' airtimes."""
    found = _shares(view)
    return float("nan") if found is None else found.jain


def airtime_error(view: MetricView) -> float:
    """How far the station furthest from an equal share is from it, as a share of that."""
    found = _shares(view)
    return float("nan") if found is None else error_of_equal_shares(found)


def airtime_jain_of_run(whole: WholeRun) -> float:
    """Jain's index of the airtimes of the only access point's stations; of one station there is none."""
    roles = [nic["role"] for nic in whole.run.plan["air"]["nics"]]
    if "links" not in whole.run.recorded or roles.count("access_point") != 1:
        return float("nan")
    found = airtime_of_stations(link_parts(whole.run), roles.index("access_point"), *whole.time_ns)
    return found.jain if len(found.shares) > 1 else float("nan")


_OF_STATIONS = "of the stations of the access point `node`"

QUANTITIES = {
    "airtime_share": Quantity(
        "share of airtime",
        "",
        f"share of the stations `peer` in the airtime {_OF_STATIONS}, both directions",
        ("links",),
        3,
        number=airtime_share,
    ),
    "airtime_jain": Quantity(
        "Jain's index of airtime",
        "",
        f"Jain's index of the airtimes {_OF_STATIONS}",
        ("links",),
        3,
        number=airtime_jain,
    ),
    "airtime_error": Quantity(
        "largest error of an equal share of airtime",
        "",
        f"how far the airtimes {_OF_STATIONS} are from equal shares, as a share of that: the largest",
        ("links",),
        3,
        number=airtime_error,
    ),
    "airtime_jain_index": Quantity(
        "Jain's index of airtime",
        "",
        "Jain's index of the airtimes of the only access point's stations while flows ran; of one "
        "station there is none",
        ("links",),
        3,
        of_run=airtime_jain_of_run,
    ),
}
