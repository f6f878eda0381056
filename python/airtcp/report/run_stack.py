"""The rates of a run's flows on top of each other."""

from airtcp.errors import AirtcpError
from airtcp.metrics.bins import grid_edges_ns
from airtcp.metrics.throughput import interpolated_mbps
from airtcp.plots.rate_stack import RateLayer, RateStack, prepare_rate_stack
from airtcp.quantities.goodput import received_counter
from airtcp.quantities.run_view import RunView
from airtcp.report.run_figure import rates_told, run_caption


def run_stack(view: RunView) -> RateStack:
    """Goodput of the chosen flows in common bins; a run without flow samples is an `AirtcpError`."""
    rows = view.flow_rows("flows", udp=True)
    counters = [(label, *received_counter(view, flow, frame)) for flow, label, frame in rows]
    sampled = [int(times[-1]) for _, times, _ in counters if times.size]
    stop_ns = min(view.stop_ns, max(sampled, default=0))
    if stop_ns <= view.start_ns:
        remedy = "choose other flows or another time"
        raise AirtcpError("no flow was sampled in this time", str(view.run.folder), remedy)
    edges_ns = grid_edges_ns(view.start_ns, stop_ns, view.bin_ns("flows"))
    layers = []
    for label, times_ns, counts in counters:
        layers.append(RateLayer(label, tuple(interpolated_mbps(times_ns, counts, edges_ns).tolist())))
    caption = f"{run_caption(view)} {rates_told(view, ['rate'])}"
    return prepare_rate_stack(tuple((edges_ns / 1e9).tolist()), layers, caption)
