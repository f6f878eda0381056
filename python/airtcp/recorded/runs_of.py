"""Numbers of a run that are held against a recording's."""

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.metrics.arrays import Floats


def goodput_mbps(run: Run, flow: int = 0) -> float:
    """Of a TCP flow at its receiver, over its time."""
    samples, start_ns = run.flow_samples(flow), run.plan["flows"][flow]["start_ns"]
    return float(samples["bytes_received"][-1]) * 8e3 / float(samples["time_ns"][-1] - start_ns)


def received_mbps(run: Run, stream: int = 0) -> float:
    """Payload of a stream of datagrams from the first to leave until the last to arrive, as iperf counts."""
    sent = run.part("datagrams", "stream", stream)
    came = sent.filter(sent["delay_ns"] >= 0)
    if came.height < 2:
        return 0.0
    arrivals = (came["time_ns"] + came["delay_ns"]).to_numpy()
    length_ns = float(arrivals.max() - came["time_ns"].to_numpy().min())
    return came.height * float(run.plan["datagrams"][stream]["payload_bytes"]) * 8e3 / length_ns


def rtts_ms(run: Run, ping: int = 0) -> Floats:
    """Of the answered requests after the first, which waits for ARP."""
    rtts = run.ping_samples(ping)["rtt_ns"].to_numpy()[1:]
    answered: Floats = rtts[rtts >= 0] / 1e6
    return answered


def srtt_ms(run: Run, flow: int = 0) -> float:
    """Mean over time of the smoothed RTT of a flow."""
    values = run.flow_samples(flow)["srtt_us"].to_numpy()
    return float(np.mean(values[values > 0])) / 1e3
