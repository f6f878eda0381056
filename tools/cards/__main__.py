"""How much each card moves throughput, RTT and ACKs of CUBIC and BBR over one link of 802.11ac.

    PYTHONPATH=tools python -m cards [--mac linux] [--seeds 3] [--card ath9k]

Prints the table of docs/models/delivery.md; with several seeds the mean of each number.
"""

import argparse
import statistics
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


# Goodput, RTT of pings (median, 95th percentile), ACKs and segments with data per ACK.
FORMATS = "{:.0f}", "{:.2f}", "{:.2f}", "{:.0f}", "{:.1f}"


def measured(values: dict[str, str]) -> list[float]:
    """The numbers of one run with these values of keys."""
    with tempfile.TemporaryDirectory() as store:
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
    return [mbps, rtts.median(), rtts.quantile(0.95), count, per_ack]


def row(card: str, cca: str, mac: str, seeds: int) -> str:
    """The row of a card and a congestion control."""
    values = {"wifi.home.card": card, "wifi.home.mac": mac, "flow[0].cca": cca}
    runs = [measured({**values, "seed": str(seed)}) for seed in range(1, seeds + 1)]
    means = [statistics.fmean(numbers) for numbers in zip(*runs, strict=True)]
    cells = (form.format(mean) for form, mean in zip(FORMATS, means, strict=True))
    return f"| {' | '.join([f'`{card}`', cca, *cells])} |"


def main() -> None:
    """Prints a row for each card and congestion control."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mac", choices=["airtcp", "linux"], default="airtcp")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--card", choices=get_args(CardName), action="append")
    given = parser.parse_args()
    columns = "card", "CCA", "goodput [Mbit/s]", "RTT median [ms]", "p95 [ms]", "ACKs", "segments per ACK"
    print(f"| {' | '.join(columns)} |\n|{' -- |' * len(columns)}")
    for card in given.card or get_args(CardName):
        for cca in ("cubic", "bbr"):
            print(row(card, cca, given.mac, given.seeds), flush=True)


if __name__ == "__main__":
    main()
