"""Random scenarios, as tables: any Wi-Fi, queues, workloads and programs of airtcp, each derived from a seed.

They are made to be sensitive: several nodes with timers of many kinds, programs that poll, sleep and send,
wires and links that change, and programs that are told when packets are sent.
"""

import re
from random import Random
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.kernels.table import CONGESTION_CONTROLS
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

from observation.inputs import add_told_programs, session, with_router

Tables = dict[str, Any]

# Fixed modes of each standard; its rate control is the alternative.
RATES = {
    "11b": ["11 Mbit/s", "arf", "aarf"],
    "11g": ["54 Mbit/s", "12 Mbit/s", "minstrel", "cara"],
    "11a": ["54 Mbit/s", "minstrel", "aarf"],
    "11n": ["HT-MCS 7", "minstrel_ht", "ideal"],
    "11ac": ["VHT-MCS 8 x1 80 MHz", "minstrel_ht", "ideal"],
    "11ax": ["minstrel_ht", "ideal"],
    "11be": ["minstrel_ht", "ideal"],
}
QOS_STANDARDS = ("11n", "11ac", "11ax", "11be")
LINUX_STANDARDS = ("11b", "11g", "11a", "11n", "11ac", "11ax")
WIRE_QUEUES = [
    "20 packets",
    "100 packets",
    "30 kB",
    "codel",
    "fq_codel",
    "fq",
    "fq_pie",
    "pie",
    "sfq",
    "red limit 100000 min 10000 max 30000 avpkt 1500 burst 20 bandwidth 10Mbit ecn",
    "cake unlimited",
]
UDP_SENDER = (
    "import socket,time,random; r=random.Random({seed}); s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM)\n"
    "for n in range({count}):\n"
    " s.sendto(bytes(r.randrange(20,1400)),('{to}',9)); time.sleep(r.expovariate({per_s}))"
)
POLLER = (
    "import time\nfor n in range(4):\n"
    " t=time.monotonic()\n while time.monotonic()-t<{busy_s}: pass\n time.sleep({pause_s})"
)


def draw(seed: int, lab: bool = False) -> Tables:
    """The scenario of this seed, as tables; in a guest for labs also with programs that trace."""
    dice = Random(seed)
    duration_s = dice.choice([1, 1, 2, 3])
    stations = [f"sta{n + 1}" for n in range(dice.choice([1, 2, 2, 3, 4, 6]))]
    kind = dice.choices(["infrastructure", "mesh", "two cells"], [8, 2, 1])[0]
    tables: Tables = {"name": "random", "seed": dice.randrange(1, 10**6), "duration": f"{duration_s} s"}
    tables["wifi"] = _cells(dice, stations, kind)
    if len(stations) > 4 and any(cell.get("setup") == "daemons" for cell in tables["wifi"].values()):
        # A station whose first handshake fails tries again after five seconds and more.
        tables["epoch"] = "20 s"
    gateway = stations[0] if kind == "mesh" else "ap1"
    tables["wire"] = [_wire(dice, gateway)]
    ends = stations[1:] if kind == "mesh" else stations
    ends = ends or [gateway]
    _add_traffic(dice, tables, ends, duration_s)
    _add_programs(dice, tables, ends, duration_s)
    if kind != "mesh":
        tables = _with_overlapping_cell(dice, tables)
    for addition in _of_the_air(dice, tables["wifi"]["home"]):
        tables = if_legal(tables, addition)
    if dice.random() < 0.3:
        tables["node"] = {dice.choice(ends): {"clock_skew": "25 ppm", "clock_offset": "-3 ms"}}
    # They have chance of their own: the rest of a scenario does not depend on them.
    dice = Random(f"inputs of {seed}")
    tables = _legal(with_router(dice, tables)) or tables
    add_told_programs(dice, tables, ends, lab)
    if inputs := session(dice, tables, ends, duration_s):
        suit = [one for one in inputs[:-1] if _legal(tables | {"session": [one, inputs[-1]]})]
        tables["session"] = [*suit, inputs[-1]]
    if lab:
        tables["guest"] = {"flavour": "lab", "privileged": True}
    return _with_addresses(tables)


def _with_addresses(tables: Tables) -> Tables:
    """Programs name other nodes as `@h1@`; their addresses depend on the rest of the scenario."""
    plan = _compiled(tables)
    address = {
        node["name"]: text.split("/")[0]
        for node in plan["nodes"]
        for device in [*reversed(node["interfaces"]), *node["bridges"]]
        for text in device["addresses"]
    }
    started = [one["start"] for one in tables.get("session", []) if "start" in one]
    for program in [*tables["program"], *started]:
        program["command"] = re.sub("@([a-z0-9]+)@", lambda found: address[found[1]], program["command"])
    return tables


def _compiled(tables: Tables) -> Plan:
    return compile_scenario(scenario_from_tables({**tables, "program": []}))


def _cells(dice: Random, stations: list[str], kind: str) -> Tables:
    cell = _cell(dice, mesh=kind == "mesh")
    if kind == "mesh":
        cell |= {"kind": "mesh", "stations": stations if len(stations) > 1 else [*stations, "sta2"]}
        # mac80211's mesh finds its peers itself.
        if dice.random() < 0.5 and "mac" not in cell:
            cell["peerings"] = "chain"
        return {"home": cell}
    cell |= {"access_point": "ap1", "stations": stations}
    cells = {"home": cell}
    if kind == "two cells":
        second = {key: value for key, value in cell.items() if key in ("standard", "channel", "width")}
        cells["next"] = second | {"access_point": "ap2", "stations": ["other1"]}
    return cells


def _cell(dice: Random, mesh: bool) -> Tables:
    linux = dice.random() < 0.4
    standard = dice.choice(list(LINUX_STANDARDS) if linux else list(RATES))
    cell: Tables = {"standard": standard}
    if linux:
        return cell | _linux_keys(dice, mesh)
    if dice.random() < 0.5:
        cell["rate"] = dice.choice(RATES[standard])
    if dice.random() < 0.4 and not mesh:
        cell["nic_queue"] = dice.choice(["fq_codel", "64 packets", "10 packets", "direct"])
    if dice.random() < 0.3:
        cell["rts_threshold"] = dice.choice(["always", "500 B"])
    if dice.random() < 0.2:
        cell["gro"] = True
    if dice.random() < 0.3:
        cell["rx_copy"] = False
    if dice.random() < 0.3:
        cell["beacons"] = True
    if dice.random() < 0.2 and standard in QOS_STANDARDS:
        cell["delivery"] = "mpdu_end"
    return cell


def _linux_keys(dice: Random, mesh: bool) -> Tables:
    cell: Tables = {"mac": "linux"}
    if mesh:
        return cell
    if dice.random() < 0.3:
        cell["power_save"] = True
        cell["uapsd"] = dice.random() < 0.5
    if dice.random() < 0.15:
        cell |= {"setup": "daemons", "security": dice.choice(["open", "wpa2"])}
    if dice.random() < 0.3:
        cell["prefetch"] = 1
    if dice.random() < 0.3:
        cell["airtime_fairness"] = False
    return cell


def _with_overlapping_cell(dice: Random, tables: Tables) -> Tables:
    """With a second cell whose channel has a part in common with that of the first, or is its neighbour."""
    home = tables["wifi"]["home"]
    if "next" in tables["wifi"] or dice.random() < 0.6:
        return tables
    standard = home["standard"]
    channels: tuple[Tables, Tables]
    if standard in ("11b", "11g"):
        channels = {"channel": 1}, {"channel": dice.choice([2, 3, 4, 5, 6])}
    elif standard == "11a":
        channels = {"channel": 36}, {"channel": dice.choice([36, 40, 44])}
    else:
        widest = 40 if standard == "11n" else 80
        width, other = (dice.choice([20, 40, widest]) for _ in range(2))
        channels = (
            {"channel": dice.choice([36, 40]), "width": f"{width} MHz"},
            {"channel": dice.choice([36, 40, 44, 48]), "width": f"{other} MHz"},
        )
    shared = {"standard": standard} | ({"mac": "linux"} if "mac" in home else {})
    cell = shared | {"access_point": "ap2", "stations": ["other1"]} | channels[1]
    flow = {"from": "ap2", "to": "other1", "cca": dice.choice(CONGESTION_CONTROLS)}
    # A fixed rate may have another width than the channel now.
    home = {key: value for key, value in home.items() if key != "rate"} | channels[0]
    changed = tables | {"wifi": tables["wifi"] | {"home": home, "next": cell}}
    return _legal(changed | {"flow": [*tables["flow"], flow]}) or tables


def _of_the_air(dice: Random, cell: Tables) -> list[Tables]:
    """What else may hold for the air, each a table of its own; not all suit every cell."""
    found: list[Tables] = []

    def sometimes(probability: float, table: Tables) -> None:
        if dice.random() < probability:
            found.append(table)

    sometimes(0.3, {"channel": {"reception": "table", "rssi": f"-{dice.randrange(50, 80)} dBm"}})
    sometimes(0.3, {"channel": {"fading": dice.choice(_FADING)}})
    sometimes(0.2, {"channel": {"capture": "10 dB"}})
    sometimes(0.2, {"channel": {"energy_detection": dice.choice(["-72 dBm", "-50 dBm"])}})
    sometimes(0.2, {"channel": {"carrier_sense": dice.choice(["-92 dBm", "-60 dBm"])}})
    sometimes(0.3, {"interferer": [_interferer(dice, cell)]})
    of_cell: list[tuple[float, Tables]] = [
        (0.3, {"card": dice.choice(_CARDS)}),
        (0.2, {"rx_interrupt": {"after_first": "300 us", "after_last": "100 us", "frames": 16}}),
        (0.2, {"hardware_queue": dice.choice([{"ppdus": 1}, {"frames": 24}, "off"])}),
        (0.2, {"host_delay": {"fixed": "20 us", "jitter": {"lognormal": "50 us", "sigma": 1}}}),
        (0.2, {"bandwidth_operation": "static"}),
        (0.2, {"ap_access": {"best_effort": {"aifsn": 2, "cw_min": 7, "cw_max": 31, "txop": "1.504 ms"}}}),
        (0.2, {"subframe_retry_limit": dice.choice([1, 3, 12])}),
        (0.2, {"streams": 2}),
        (0.1, {"txop_duration": False}),
        (0.1, {"aggregation": {"window": 16, "amsdu": "3839 B", "voice": True}}),
    ]
    for probability, keys in of_cell:
        sometimes(probability, {"wifi": {"home": keys}})
    return found


_CARDS = ["ath9k", "ath9k_ar9002", "ath10k", "ath11k", "mt76", "iwlwifi", "rtw89"]
_FADING: list[Tables] = [
    {"kind": "rayleigh", "coherence": "10 ms"},
    {"kind": "nakagami", "m": 2, "coherence": "3 ms"},
    {"kind": "rician", "k": "6 dB", "coherence": "24 ms"},
    *({"kind": "tgn", "model": model, "speed": "1.2 km/h"} for model in "ABDF"),
    {
        "kind": "taps",
        "speed": "3 km/h",
        "tap": [{"delay": "0 ns", "power": "0 dB", "k": "3 dB"}, {"delay": "100 ns", "power": "-6 dB"}],
    },
]


def _interferer(dice: Random, cell: Tables) -> Tables:
    kind = dice.choice(["microwave_oven", "bluetooth", "on_off"])
    strong = {"rssi": f"-{dice.randrange(45, 90)} dBm"}
    if cell["standard"] in ("11b", "11g"):
        if kind != "on_off":
            return {"kind": kind} | strong
        place = {"frequency": "2412 MHz", "bandwidth": "10 MHz"}
    else:
        place = {"frequency": "5180 MHz", "bandwidth": dice.choice(["1 MHz", "10 MHz", "40 MHz"])}
    time = dice.choice([{"period": "20 ms", "jitter": "1 ms"}, {"off": "7 ms"}])
    return {"kind": "on_off", "on": "3 ms"} | strong | place | time


def if_legal(tables: Tables, addition: Tables) -> Tables:
    """The scenario with these keys, or without them if they do not suit it."""
    return _legal(_merged(tables, addition)) or tables


def _legal(tables: Tables) -> Tables | None:
    try:
        _compiled(tables)
    except AirtcpError:
        return None
    return tables


def _merged(tables: Tables, addition: Tables) -> Tables:
    both = {
        key: _merged(tables[key], value)
        for key, value in addition.items()
        if isinstance(value, dict) and isinstance(tables.get(key), dict)
    }
    return tables | addition | both


def _wire(dice: Random, gateway: str) -> Tables:
    wire: Tables = {"between": [gateway, "h1"], "delay": dice.choice(["0 s", "1 ms", "5 ms", "20 ms"])}
    if dice.random() < 0.8:
        wire["rate"] = dice.choice(["2 Mbit/s", "10 Mbit/s", "50 Mbit/s", "300 Mbit/s"])
        wire["queue"] = dice.choice(WIRE_QUEUES)
    return wire


def _pair(dice: Random, ends: list[str]) -> Tables:
    left, right = dice.choice(ends), "h1"
    return dict(zip(("from", "to"), (left, right) if dice.random() < 0.6 else (right, left), strict=True))


def _add_traffic(dice: Random, tables: Tables, ends: list[str], duration_s: int) -> None:
    def some(most: int) -> range:
        return range(dice.randrange(most + 1))

    starts = ["0 s", "0.1 s", "37.3 ms", f"{duration_s / 2} s"]
    flows: list[Tables] = []
    for _ in range(dice.choice([0, 1, 1, 2, 3])):
        flow: Tables = _pair(dice, ends)
        flow |= {"cca": dice.choice(CONGESTION_CONTROLS), "start": dice.choice(starts)}
        if dice.random() < 0.3:
            flow |= {"amount": {"exponential": "50 kB"}, "off": {"exponential": "80 ms"}}
        elif dice.random() < 0.2:
            flow["pacing"] = "3 Mbit/s"
        if dice.random() < 0.2:
            flow["dscp"] = dice.choice(["EF", "AF41", "CS1"])
        flows.append(flow)
    tables["flow"] = flows
    tables["udp"] = [
        {
            **_pair(dice, ends),
            "rate": dice.choice(["64 kbit/s", "1 Mbit/s", "6 Mbit/s"]),
            "payload": dice.choice([160, 700, 1472]),
            "pace": dice.choice(["constant", "poisson"]),
            "start": dice.choice(starts),
        }
        for _ in some(2)
    ]
    tables["ping"] = [
        {
            **_pair(dice, ends),
            "interval": dice.choice(["0.2 s", "10 ms", "33 ms"]),
            "start": dice.choice(starts),
        }
        for _ in some(2)
    ]
    if dice.random() < 0.25:
        tables["request"] = [{**_pair(dice, ends), "response": {"exponential": "20 kB"}, "think": "15 ms"}]
    if dice.random() < 0.15:
        tables["web"] = [{**_pair(dice, ends), "reading": {"exponential": "200 ms"}}]
    if dice.random() < 0.15:
        tables["video"] = [{**_pair(dice, ends), "rates": ["500 kbit/s", "2 Mbit/s"], "segment": "0.5 s"}]
    if dice.random() < 0.25:
        call = {**_pair(dice, ends), "codec": dice.choice(["G.711", "G.729"]), "start": dice.choice(starts)}
        tables["voip"] = [call | {"talk": "0.3 s", "pause": dice.choice(["0 s", "0.2 s"])}]


def _add_programs(dice: Random, tables: Tables, ends: list[str], duration_s: int) -> None:
    tables["program"] = []
    for number in range(dice.choice([0, 1, 2, 2, 3])):
        node = dice.choice([*ends, "h1"])
        command = _command(dice, f"@{'h1' if node != 'h1' else dice.choice(ends)}@", duration_s)
        start = dice.choice(["0 s", "0.05 s", "0.3 s"])
        program = {"name": f"p{number}", "node": node, "command": command, "start": start}
        tables["program"].append(program | {"must_succeed": False})
    if dice.random() < 0.15:
        client = {"name": "client", "node": ends[0], "start": "0.1 s", "must_succeed": False}
        kind = dice.choice(["", " -u -b 1M", " -R"])
        client["command"] = f"iperf3 -c @h1@ -t {max(1, duration_s - 1)}{kind} -J"
        server = {"name": "server", "node": "h1", "command": "iperf3 -s -1", "must_succeed": False}
        tables["program"] += [server, client]


def _command(dice: Random, target: str, duration_s: int) -> str:
    kind = dice.randrange(5)
    if kind == 0:
        return f"ping -i {dice.choice(['0.2', '0.05', '0.5'])} -c {4 * duration_s} {target}"
    if kind == 1:
        per_s = dice.choice([20, 100])
        program = UDP_SENDER.format(seed=dice.randrange(1000), count=60, per_s=per_s, to=target)
        return f'python3 -c "{program}"'
    if kind == 2:
        # Each reading of the clock takes 256 virtual nanoseconds, and much longer to compute.
        busy_s, pause_s = dice.choice(["0.0003", "0.001", "0.002"]), dice.choice(["0.013", "0.05"])
        return f"python3 -c '{POLLER.format(busy_s=busy_s, pause_s=pause_s)}'"
    if kind == 3:
        return "for n in 1 2 3 4 5; do date +%s.%N; sleep 0.0317; done"
    return f"ping -i 0.1 -c {6 * duration_s} {target} & tcpdump -n -i any -c 20 -tt; wait"
