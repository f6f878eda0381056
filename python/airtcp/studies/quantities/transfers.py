"""How long transfers of a fixed size take; taank-peng's throughput."""

from airtcp.studies.quantities.quantity import Quantity, mean_of
from airtcp.studies.quantities.view import View


def _seconds(view: View, flow: int) -> float:
    """From the start of a flow to the receiver having its last byte; `nan`: it did not end."""
    finished_ns = view.run.flow_reports[flow]["finished_ns"]
    return (
        float("nan") if finished_ns is None else (finished_ns - view.run.flow_plans[flow]["start_ns"]) / 1e9
    )


def transfer_time(view: View) -> float:
    """From the start of a flow to the receiver having its last byte, in s; `nan`: it did not end.

    Mean over the chosen flows.
    """
    return mean_of([_seconds(view, flow) for flow in view.flows])


def transfer_rate(view: View) -> float:
    """Bytes of a transfer per its time, in Mbit/s; mean over the chosen flows.

    taank-peng's `N * MSS / T` is the same where segments are full.
    """
    found = []
    for flow in view.flows:
        seconds, bytes_received = _seconds(view, flow), view.run.flow_reports[flow]["bytes_received"]
        found.append(bytes_received * 8e-6 / seconds if seconds > 0 else float("nan"))
    return mean_of(found)


QUANTITIES = {
    "transfer_time": Quantity("transfer time", "s", number=transfer_time),
    "transfer_rate": Quantity("throughput of the transfer", "Mbit/s", number=transfer_rate),
}
