"""What enters a random scenario while it runs: changes of wires, links and the air, flows, commands.

And programs that are told when packets are sent.
"""

from random import Random
from typing import Any

Tables = dict[str, Any]

RATES = ["unlimited", "unlimited", "1 Mbit/s", "5 Mbit/s", "100 Mbit/s"]
DELAYS = ["0 s", "1 ms", "20 ms", "100 ms"]
CCAS = ["cubic", "reno", "bbr"]
DISCIPLINES = [
    "tc qdisc del dev {device} root",
    "tc qdisc replace dev {device} root pfifo limit 30",
    "tc qdisc replace dev {device} root fq_codel",
    "tc qdisc replace dev {device} root handle 7: bfifo limit 20000",
]
# The flags of SO_TIMESTAMPING: TX_SOFTWARE, SOFTWARE, OPT_ID, OPT_TSONLY; of streams TX_SCHED and TX_ACK too.
STAMPED = (
    "import socket,struct,time\n"
    "s=socket.socket(socket.AF_INET,socket.SOCK_{kind}); s.connect(('{to}',{port}))\n"
    "s.setsockopt(1,37,{flags})\n"
    "for n in range({count}):\n"
    " try:\n"
    "  s.send(bytes(1400)); s.send(bytes(1400)); time.sleep({pause_s})\n"
    "  while True:\n"
    "   for _,kind,data in s.recvmsg(100,1000,0x2040)[1]:\n"
    "    if kind==37: print(*struct.unpack('qq',data[:16]),data[16:48].hex())\n"
    " except OSError: pass"
)
SINK = (
    "import socket; s=socket.socket(); s.bind(('',{port})); s.listen()\n"
    "while True:\n c,_=s.accept()\n while c.recv(65536): pass"
)
# A buffer of a few datagrams: the sender waits for departures.
CROWDED = (
    "import socket,time; s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM); s.connect(('{to}',9))\n"
    "s.setsockopt(1,socket.SO_SNDBUF,1)\n"
    "for n in range({count}):\n"
    " try: s.send(bytes(1300))\n"
    " except OSError: time.sleep(0.01)\n"
    " print(time.clock_gettime_ns(0))"
)
# The kernel's time of each packet (SO_TIMESTAMPNS), of all devices of a node.
WATCHER = (
    "import socket; s=socket.socket(socket.AF_PACKET,socket.SOCK_RAW,socket.htons(3)); s.settimeout(1)\n"
    "s.setsockopt(1,35,1)\n"
    "for n in range({count}):\n"
    " try: data,told,_,place=s.recvmsg(2000,200)\n"
    " except OSError: break\n"
    " print(place[0],place[2],len(data),told[0][2].hex())"
)
# Without addresses of memory.
TRACER = (
    "mount -t tracefs none /sys/kernel/tracing; cd /sys/kernel/tracing; echo mono >trace_clock\n"
    "for event in net/net_dev_start_xmit net/net_dev_xmit qdisc/qdisc_dequeue\n"
    "do echo 1 >events/$event/enable; done\n"
    "sleep {length_s}; sed -E 's/[a-z]+=[0-9a-fx]{{10,}}//g' trace"
)


def with_router(dice: Random, tables: Tables) -> Tables:
    """Sometimes with a router between the access point and the host: its frames belong to no socket."""
    if dice.random() < 0.5:
        return tables
    (wire,) = tables["wire"]
    gateway, host = wire["between"]
    near = {"between": [gateway, "r1"]}
    far = wire | {"between": ["r1", host], "delay": dice.choice(DELAYS), "rate": dice.choice(RATES[2:])}
    far.setdefault("queue", "100 packets")
    return tables | {"wire": [near, far], "node": {**tables.get("node", {}), "r1": {"kind": "router"}}}


def _ends(tables: Tables) -> list[tuple[str, str]]:
    """Node and interface of the ends of all wires."""
    count: dict[str, int] = {}
    found = []
    for wire in tables["wire"]:
        for node in wire["between"]:
            found.append((node, f"eth{count.get(node, 0)}"))
            count[node] = count.get(node, 0) + 1
    return found


class _Inputs:
    """The inputs of one scenario, in the order in which they are drawn."""

    def __init__(self, dice: Random, tables: Tables, stations: list[str], duration_s: int) -> None:
        self.dice = dice
        self.ends = _ends(tables)
        self.stations = stations
        self.duration_s = duration_s
        self.made: list[Tables] = []
        self.jobs = 0

    def at(self, after_s: float = 0) -> tuple[float, str]:
        """An instant after another: its seconds, and as a scenario writes it."""
        time_s = self.dice.uniform(after_s, self.duration_s)
        return time_s, f"{round(time_s * 1e9)} ns"

    def wire(self) -> None:
        node, interface = self.dice.choice(self.ends)
        end = {"node": node, "interface": interface}
        settings = {"rate": self.dice.choice(RATES), "delay": self.dice.choice(DELAYS)}
        self.made.append({"at": self.at()[1], "wire": end | settings})

    def link(self) -> None:
        node, interface = self.dice.choice(self.ends)
        down_s, down = self.at()
        end = {"node": node, "interface": interface}
        self.made.append({"at": down, "link": end | {"up": False}})
        if self.dice.random() < 0.8:
            self.made.append({"at": self.at(down_s)[1], "link": end | {"up": True}})

    def discipline(self) -> None:
        node, device = self.dice.choice(self.ends)
        self._job({"start": {"node": node, "command": self.dice.choice(DISCIPLINES).format(device=device)}})

    def command(self) -> None:
        node = self.dice.choice(self.stations)
        command = f"ping -i {self.dice.choice(['0.01', '0.05'])} @h1@"
        self._end(*self._job({"start": {"node": node, "command": command}}), {"signal": 9})

    def air(self) -> None:
        ends = {"from": self.dice.choice(self.stations), "to": "ap1"}
        loss = {"loss": ends | {"probability": self.dice.choice([0, 0.1, 0.5])}}
        power = {"rssi": ends | {"rssi": f"-{self.dice.randrange(50, 85)} dBm"}}
        place = {"move": {"node": ends["from"], "position": ["3 m", "4 m", "1 m"]}}
        self.made.append({"at": self.at()[1]} | self.dice.choice([loss, power, place]))

    def flow(self) -> None:
        ends = [self.dice.choice(self.stations), "h1"]
        self.dice.shuffle(ends)
        flow = {"from": ends[0], "to": ends[1], "cca": self.dice.choice(CCAS)}
        self._end(*self._job({"flow": flow}), {"close_input": True})

    def _job(self, act: Tables) -> tuple[float, int]:
        time_s, at = self.at()
        self.jobs += 1
        self.made.append({"at": at, "job": self.jobs} | act)
        return time_s, self.jobs

    def _end(self, began_s: float, job: int, act: Tables) -> None:
        if self.dice.random() < 0.7:
            self.made.append({"at": self.at(began_s)[1], "job": job} | act)


def session(dice: Random, tables: Tables, stations: list[str], duration_s: int) -> list[Tables]:
    """Inputs of every kind, or none. Not all suit every scenario."""
    count = dice.choice([0, 1, 2, 4])
    if not count:
        return []
    inputs = _Inputs(dice, tables, stations, duration_s)
    changes = [inputs.wire, inputs.wire, inputs.wire, inputs.link, inputs.discipline, inputs.air]
    for _ in range(count):
        dice.choice([*changes, inputs.command, inputs.flow])()
    # Flows stop at the duration: the end comes before, at the same instant, or after.
    end = {"at": f"{1000 * duration_s + dice.choice([-1, 0, 1])} ms", "end": True}
    return [*sorted(inputs.made, key=lambda one: int(one["at"].split()[0])), end]


def add_told_programs(dice: Random, tables: Tables, stations: list[str], lab: bool) -> None:
    """Programs that are told when packets are sent or have departed."""
    nodes = [node for node, _ in _ends(tables)]

    def program(name: str, node: str, command: str) -> None:
        start = f"{dice.randrange(900)} ms"
        both = {"name": name, "node": node, "command": command, "start": start, "must_succeed": False}
        tables["program"].append(both)

    def python(text: str, **values: object) -> str:
        return f'python3 -c "{text.format(**values)}"'

    if dice.random() < 0.3:
        sink = {"name": "sink", "node": "h1", "command": python(SINK, port=9009), "must_succeed": False}
        tables["program"].append(sink)
        values = {"to": "@h1@", "count": dice.choice([3, 20]), "pause_s": dice.choice([0.003, 0.04])}
        stream = dice.choice([{"kind": "STREAM", "flags": 0xB92}, {"kind": "DGRAM", "flags": 0x892}])
        node = dice.choice([*stations, *(node for node in nodes if node != "h1")])
        program("stamped", node, python(STAMPED, port=9009, **values, **stream))
    if dice.random() < 0.2:
        to = f"@{dice.choice(stations)}@"
        program("crowded", "h1", python(CROWDED, to=to, count=dice.choice([10, 60])))
    if dice.random() < 0.2:
        program("watcher", dice.choice(nodes), python(WATCHER, count=dice.choice([20, 200])))
    if lab and dice.random() < 0.6:
        program("tracer", dice.choice(nodes), TRACER.format(length_s=dice.choice([0.05, 0.4])))
