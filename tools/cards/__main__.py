"""How much each card moves throughput, RTT and ACKs of CUBIC and BBR over one link of 802.11ac.

    PYTHONPATH=tools python -m cards [--mac linux]

Prints the table of docs/models/delivery.md.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import get_args

import airtcp
from airtcp.scenario.keys.card import CardName

LINK = Path(__file__).parent / "link.toml"
# The slow start is left out.
SPAN_NS = (1_000_000_000, 6_000_000_000)


def measured(card: str, cca: str, mac: str) -> list[str]:
    """Goodput, RTT of pings (median, 95th percentile) and segments with data per ACK."""
    with tempfile.TemporaryDirectory() as store:
        values = {"wifi.home.card": card, "wifi.home.mac": mac, "flow[0].cca": cca}
        sets = [word for key, value in values.items() for word in ("--set", f"{key}={value}")]
        subprocess.run(
            [sys.executable, "-m", "airtcp", "run", str(LINK), "--store", store, *sets],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        (run,) = airtcp.load(store)
        flows, pings, acks = run.flows, run.pings, run.acks
    begin, end = SPAN_NS
    octets = flows.filter(flows["time_ns"].is_between(begin, end))["bytes_received"]
    answered = pings.filter(pings["time_ns"].is_between(begin, end) & (pings["rtt_ns"] >= 0))
    rtts = answered["rtt_ns"] / 1e6
    count = acks.filter(acks["time_ns"].is_between(begin, end)).height
    mbps = (octets[-1] - octets[0]) * 8e3 / (end - begin)
    per_ack = (octets[-1] - octets[0]) / 1448 / count
    return [f"{mbps:.0f}", f"{rtts.median():.2f}", f"{rtts.quantile(0.95):.2f}", f"{count}", f"{per_ack:.1f}"]


def main() -> None:
    """Prints a row for each card and congestion control."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mac", choices=["airtcp", "linux"], default="airtcp")
    mac = parser.parse_args().mac
    columns = "card", "CCA", "goodput [Mbit/s]", "RTT median [ms]", "p95 [ms]", "ACKs", "segments per ACK"
    print(f"| {' | '.join(columns)} |\n|{' -- |' * len(columns)}")
    for card in get_args(CardName):
        for cca in ("cubic", "bbr"):
            print(f"| {' | '.join([f'`{card}`', cca, *measured(card, cca, mac)])} |", flush=True)


if __name__ == "__main__":
    main()
