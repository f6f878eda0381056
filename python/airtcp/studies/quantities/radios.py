"""What radios tell at the end: retries, collisions, airtime; and queues over time."""

from fnmatch import fnmatchcase

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.studies.quantities.quantity import Quantity
from airtcp.studies.quantities.view import View


def _total(view: View, key: str) -> int:
    nics = view.run.air_report["nics"]
    return sum(int(nic[key]) for nic in nics if fnmatchcase(nic["node"], view.arguments.node))


def _share(view: View, part: str, whole: str) -> float:
    total = _total(view, whole)
    return _total(view, part) / total if total else float("nan")


def retry_share(view: View) -> float:
    """Retries among the data PPDUs of the chosen nodes' radios."""
    return _share(view, "retries", "transmissions")


def collision_share(view: View) -> float:
    """Collisions among them."""
    return _share(view, "collisions", "transmissions")


def radio_drops(view: View) -> float:
    """Frames that the chosen nodes' radios gave up."""
    nics = view.run.air_report["nics"]
    own = [nic for nic in nics if fnmatchcase(nic["node"], view.arguments.node)]
    return float(sum(sum(nic["dropped"].values()) for nic in own))


def phy_rate(view: View) -> float:
    """Mean over the samples in the span of the rate of the latest data PPDU, in Mbit/s."""
    from polars import col

    samples = view.run.named("air").filter(
        col("time_ns").is_between(view.start_ns, view.stop_ns) & (col("rate_bps") > 0)
    )
    chosen = [fnmatchcase(name, view.arguments.node) for name in samples["node_name"].to_list()]
    rates = samples["rate_bps"].to_numpy()[np.array(chosen, bool)]
    return float(rates.mean()) / 1e6 if rates.size else float("nan")


def _backlogs(view: View) -> Floats:
    from polars import col

    samples = view.run.qdiscs.filter(col("time_ns").is_between(view.start_ns, view.stop_ns))
    node, interface = view.arguments.node, view.arguments.interface
    names = zip(samples["node_name"].to_list(), samples["interface_name"].to_list(), strict=True)
    chosen = [fnmatchcase(n, node) and fnmatchcase(i, interface) for n, i in names]
    return np.asarray(samples["backlog_packets"].to_numpy()[np.array(chosen, bool)], np.float64)


def queue_mean(view: View) -> float:
    """Mean of the packets that wait in a queueing discipline of the chosen interfaces."""
    backlogs = _backlogs(view)
    return float(backlogs.mean()) if backlogs.size else float("nan")


def queue_most(view: View) -> float:
    """Most of them."""
    backlogs = _backlogs(view)
    return float(backlogs.max()) if backlogs.size else float("nan")


QUANTITIES = {
    "retry_share": Quantity("share of retries", "", 3, number=retry_share),
    "collision_share": Quantity("share of collisions", "", 3, number=collision_share),
    "radio_drops": Quantity("frames given up by radios", "", 0, number=radio_drops),
    "phy_rate": Quantity("PHY rate", "Mbit/s", 1, number=phy_rate),
    "queue_mean": Quantity("mean queue", "packets", 1, number=queue_mean),
    "queue_most": Quantity("longest queue", "packets", 0, number=queue_most),
}
