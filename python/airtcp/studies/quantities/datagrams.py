"""What streams of datagrams deliver."""

from fnmatch import fnmatchcase

from airtcp.studies.quantities.quantity import Quantity
from airtcp.studies.quantities.view import View


def datagram_throughput(view: View) -> float:
    """Payload that the chosen streams (`flows`) delivered in the span, in Mbit/s."""
    from polars import col

    span_ns = view.stop_ns - view.start_ns
    if span_ns <= 0 or "datagrams" not in view.run.recorded:
        return float("nan")
    frame = view.run.series("datagrams").filter(col("delay_ns") >= 0)
    arrived = frame.filter((col("time_ns") + col("delay_ns")).is_between(view.start_ns, view.stop_ns))
    counts: dict[int, int] = dict(arrived.group_by("stream").len().rows())
    total_bytes = sum(
        counts.get(n, 0) * int(stream["payload_bytes"])
        for n, stream in enumerate(view.run.plan["datagrams"])
        if fnmatchcase(stream["name"], view.arguments.flows)
    )
    return total_bytes * 8e3 / span_ns


QUANTITIES = {
    "datagram_throughput": Quantity("throughput of datagrams", "Mbit/s", number=datagram_throughput),
}
