"""How the time on the air is shared among the stations of an access point."""

from fnmatch import fnmatchcase

from airtcp.metrics.airtime import AirtimeShares, airtime_of_stations
from airtcp.studies.quantities.quantity import Quantity
from airtcp.studies.quantities.view import View


def _access_points(view: View) -> list[int]:
    nics = view.run.plan["air"]["nics"]
    return [
        number
        for number, nic in enumerate(nics)
        if nic["role"] == "access_point" and fnmatchcase(nic["node"], view.arguments.node)
    ]


def _shares(view: View) -> AirtimeShares | None:
    """Of the stations of the chosen access point; none if there is not exactly one such."""
    access_points = _access_points(view)
    if len(access_points) != 1:
        return None
    return airtime_of_stations(view.run.series("links"), access_points[0], view.start_ns, view.stop_ns)


def airtime_share(view: View) -> float:
    """Share of the chosen stations (`peer`) in the airtime of all, both directions, during the span."""
    found = _shares(view)
    if found is None:
        return float("nan")
    nics = view.run.plan["air"]["nics"]
    chosen = [share for n, share in found.shares.items() if fnmatchcase(nics[n]["node"], view.arguments.peer)]
    return sum(chosen) if chosen else float("nan")


def airtime_jain(view: View) -> float:
    """Jain's index of the stations' airtimes."""
    found = _shares(view)
    return float("nan") if found is None else found.jain


def airtime_error(view: View) -> float:
    """How far the station furthest from an equal share is from it, as a share of that."""
    found = _shares(view)
    if found is None or not found.shares:
        return float("nan")
    return max(abs(share * len(found.shares) - 1.0) for share in found.shares.values())


QUANTITIES = {
    "airtime_share": Quantity("share of airtime", "", 3, number=airtime_share),
    "airtime_jain": Quantity("Jain's index of airtime", "", 3, number=airtime_jain),
    "airtime_error": Quantity("largest error of an equal share of airtime", "", 3, number=airtime_error),
}
