"""How long transfers of a fixed size take; taank-peng's throughput."""

from airtcp.studies.quantities.quantity import Quantity, mean_of
from airtcp.studies.quantities.view import View


def transfer_time(view: View) -> float:
    """From the start of a flow to the receiver having its last byte, in s; `nan`: it did not end.

    Mean over the chosen flows.
    """
    found = []
    for flow in view.flows:
        finished_ns = view.run.agent["flows"][flow]["finished_ns"]
        start_ns = view.run.plan["flows"][flow]["start_ns"]
        found.append(float("nan") if finished_ns is None else (finished_ns - start_ns) / 1e9)
    return mean_of(found)


def transfer_rate(view: View) -> float:
    """Bytes of a transfer per its time, in Mbit/s; mean over the chosen flows.

    taank-peng's `N * MSS / T` is the same where segments are full.
    """
    found = []
    for flow in view.flows:
        report = view.run.agent["flows"][flow]
        seconds = ((report["finished_ns"] or 0) - view.run.plan["flows"][flow]["start_ns"]) / 1e9
        done = report["finished_ns"] is not None and seconds > 0
        found.append(report["bytes_received"] * 8e-6 / seconds if done else float("nan"))
    return mean_of(found)


QUANTITIES = {
    "transfer_time": Quantity("transfer time", "s", number=transfer_time),
    "transfer_rate": Quantity("throughput of the transfer", "Mbit/s", number=transfer_rate),
}
