"""Random scenarios, as tables: any Wi-Fi, queues, workloads and programs of airtcp, each derived from a seed.

They are made to be sensitive: several nodes with timers of many kinds, programs that poll, sleep and send.
"""

import re
from random import Random
from typing import Any

from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

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
CCAS = [
    "reno",
    "bic",
    "cubic",
    "cdg",
    "bbr",
    "westwood",
    "highspeed",
    "hybla",
    "htcp",
    "illinois",
    "lp",
    "nv",
    "scalable",
    "vegas",
    "veno",
    "yeah",
    "dctcp",
]
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


def draw(seed: int) -> Tables:
    """The scenario of this seed, as tables."""
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
    if dice.random() < 0.3:
        tables["node"] = {dice.choice(ends): {"clock_skew": "25 ppm", "clock_offset": "-3 ms"}}
    return _with_addresses(tables)


def _with_addresses(tables: Tables) -> Tables:
    """Programs name other nodes as `@h1@`; their addresses depend on the rest of the scenario."""
    plan = compile_scenario(scenario_from_tables({**tables, "program": []}))
    address = {
        node["name"]: text.split("/")[0]
        for node in plan["nodes"]
        for device in [*reversed(node["interfaces"]), *node["bridges"]]
        for text in device["addresses"]
    }
    for program in tables["program"]:
        program["command"] = re.sub("@([a-z0-9]+)@", lambda found: address[found[1]], program["command"])
    return tables


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
        flow: Tables = {**_pair(dice, ends), "cca": dice.choice(CCAS), "start": dice.choice(starts)}
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
