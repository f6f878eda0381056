"""The rates of a run's flows on top of each other."""

import numpy as np

from airtcp.errors import AirtcpError
from airtcp.plots.rate_stack import RateLayer, RateStack, prepare_rate_stack
from airtcp.report.quantities.flows import received_counter
from airtcp.report.quantities.lines import bin_edges, counts_at
from airtcp.report.run_figure import rates_told, run_caption
from airtcp.report.run_view import RunView


def run_stack(view: RunView) -> RateStack:
    """Goodput of the chosen flows in common bins; a run without flow samples is an `AirtcpError`."""
    rows = view.flow_rows("flows", udp=True)
    counters = [(label, *received_counter(view, flow, frame)) for flow, label, frame in rows]
    sampled = [int(times[-1]) for _, times, _ in counters if times.size]
    stop_ns = min(view.stop_ns, max(sampled, default=0))
    if stop_ns <= view.start_ns:
        remedy = "choose other flows or another time"
        raise AirtcpError("no flow was sampled in this time", str(view.run.folder), remedy)
    edges_ns = bin_edges(view.start_ns, stop_ns, view.bin_ns("flows"))
    layers = []
    for label, times_ns, counts in counters:
        # A flow without a sample has delivered nothing.
        at_edges = counts_at(times_ns, counts, edges_ns) if times_ns.size else np.zeros(edges_ns.size)
        rates = np.diff(at_edges) * 8e3 / np.diff(edges_ns)
        layers.append(RateLayer(label, tuple(rates.tolist())))
    caption = f"{run_caption(view)} {rates_told(view, ['rate'])}"
    return prepare_rate_stack(tuple((edges_ns / 1e9).tolist()), layers, caption)
