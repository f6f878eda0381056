"""Random networks of two parts, for `make fuzz-parts`: one guest and two must compute the same bytes.

Prints each scenario whose results differ, and exits with 1 if there is one.
"""

import argparse
import json
import shutil
import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.kernels.table import CONGESTION_CONTROLS
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from observation.scenarios import RATES, WIRE_QUEUES

Tables = dict[str, Any]

# Channels of which nothing reaches the other one.
CHANNELS = {
    "11b": (1, 13),
    "11g": (1, 13),
    "11a": (36, 149),
    "11n": (36, 149),
    "11ac": (36, 149),
    "11ax": (36, 149),
}


def draw(seed: int) -> Tables:
    """The scenario of this seed, as tables."""
    dice = Random(seed)
    cells = {name: _cell(dice, number) for number, name in enumerate(("west", "east"))}
    tables: Tables = {
        "name": "random",
        "seed": dice.randrange(1, 10**6),
        "duration": dice.choice(["1 s", "2 s", "4 s"]),
        "guest": {"split": True},
        "wifi": cells,
        "wire": [_access(dice, 1), _access(dice, 2), *_servers(dice), _backbone(dice)],
        "node": {name: {"kind": dice.choice(["switch", "router"])} for name in ("s1", "s2")},
        "sampling": {"flows": "10 ms", "qdiscs": "10 ms", "air": "10 ms", "acks": True, "ppdus": True},
    }
    west = ["h1", *cells["west"]["stations"]]
    east = ["h2", *cells["east"]["stations"]]
    tables["flow"] = [_flow(dice, west, east) for _ in range(dice.randrange(1, 8))]
    tables["udp"] = [_datagrams(dice, dice.choice([west, east])) for _ in range(dice.randrange(3))]
    tables["ping"] = [_ping(dice, west + east) for _ in range(dice.randrange(4))]
    if dice.random() < 0.4:
        clock = {"clock_skew": "40 ppm", "clock_offset": "-3 ms"}
        tables["node"] |= {dice.choice([west, east])[1]: clock}
    if dice.random() < 0.2:
        tables["node"] |= {host: {"offloads": "host"} for host in ("h1", "h2")}
    return tables


def _cell(dice: Random, number: int) -> Tables:
    standard = dice.choice(list(CHANNELS))
    first = 2 * number + 1
    stations = [f"sta{first}", f"sta{first + 1}"][: dice.choice([1, 2, 2])]
    channel = CHANNELS[standard][number]
    cell: Tables = {"standard": standard, "channel": channel, "stations": stations}
    cell["access_point"] = f"ap{number + 1}"
    if dice.random() < 0.7:
        cell["rate"] = dice.choice(RATES[standard])
    if dice.random() < 0.3:
        cell["nic_queue"] = dice.choice(["fq_codel", "64 packets", "10 packets"])
    if dice.random() < 0.2:
        cell["gro"] = True
    if dice.random() < 0.3:
        cell["rx_copy"] = False
    return cell


def _access(dice: Random, number: int) -> Tables:
    wire: Tables = {"between": [f"ap{number}", f"s{number}"], "queue": dice.choice(WIRE_QUEUES)}
    if dice.random() < 0.6:
        wire["rate"] = dice.choice(["10 Mbit/s", "100 Mbit/s", "1 Gbit/s"])
    return wire


def _servers(dice: Random) -> list[Tables]:
    return [
        {"between": [f"h{number}", f"s{number}"], "delay": dice.choice(["0 ms", "0.5 ms", "3 ms"])}
        for number in (1, 2)
    ]


def _backbone(dice: Random) -> Tables:
    return {
        "between": ["s1", "s2"],
        "rate": dice.choice(["5 Mbit/s", "50 Mbit/s", "1 Gbit/s", "10 Gbit/s"]),
        "delay": dice.choice(["1 ms", "5 ms", "20 ms"]),
        "queue": dice.choice(WIRE_QUEUES),
    }


def _flow(dice: Random, west: list[str], east: list[str]) -> Tables:
    ends = dice.sample(west, 2) if dice.random() < 0.3 else [dice.choice(west), dice.choice(east)]
    if dice.random() < 0.5:
        ends.reverse()
    flow: Tables = {"from": ends[0], "to": ends[1], "cca": dice.choice(CONGESTION_CONTROLS)}
    flow["start"] = dice.choice(["0 s", "0 s", "100 ms", "330 ms"])
    if dice.random() < 0.2:
        flow["bytes"] = dice.choice(["20 kB", "1 MB"])
    if dice.random() < 0.2:
        flow["ip"] = 6
    return flow


def _datagrams(dice: Random, nodes: list[str]) -> Tables:
    sender, receiver = dice.sample(nodes, 2)
    rate = dice.choice(["200 kbit/s", "3 Mbit/s"])
    return {"from": sender, "to": receiver, "rate": rate, "pace": "poisson"}


def _ping(dice: Random, nodes: list[str]) -> Tables:
    sender, answerer = dice.sample(nodes, 2)
    return {"from": sender, "to": answerer, "interval": dice.choice(["20 ms", "100 ms"])}


def hashes(tables: Tables, guests: int, folder: Path) -> dict[str, str]:
    """The checksums of a run that so many guests computed."""
    plan = compile_scenario(scenario_from_tables(tables))
    kernels = {plan["kernel"]: find_kernel(plan["kernel"])}
    tools = Tools(find_runner(), kernels, prepare_store(folder / str(guests)), guests=guests)
    done = run_plan(plan, tools, Running(), lambda _: None)
    manifest = json.loads((Path(done.folder) / "manifest.json").read_text(encoding="utf-8"))
    found: dict[str, str] = manifest["sha256"]
    return found | {"frames": manifest["frame_hash"]}


def differences(tables: Tables) -> list[str]:
    """What is not the same by one guest and by two."""
    folder = Path(tempfile.mkdtemp(prefix="parts-"))
    try:
        one, two = (hashes(tables, guests, folder) for guests in (1, 2))
        return sorted(name for name in one | two if one.get(name) != two.get(name))
    finally:
        shutil.rmtree(folder)


def main() -> int:
    """Searches the scenarios of the seeds that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plans", type=int, default=100)
    parser.add_argument("--first-seed", type=int, default=1)
    wanted = parser.parse_args()
    failed = refused = 0
    for seed in range(wanted.first_seed, wanted.first_seed + wanted.plans):
        tables = draw(seed)
        try:
            found = differences(tables)
        except AirtcpError as error:
            refused += 1
            print(f"seed {seed}: {error}")
            continue
        if found:
            failed += 1
            print(f"seed {seed}: {', '.join(found)} differ\n{json.dumps(tables)}")
    print(f"{wanted.plans} scenarios: {failed} differ, {refused} refused")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
