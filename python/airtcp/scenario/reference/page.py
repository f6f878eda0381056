"""The reference of scenario files, made from the models: `docs/reference/scenario.md`."""

from collections.abc import Sequence

from pydantic import BaseModel

from airtcp.scenario.keys.aggregation import Aggregation
from airtcp.scenario.keys.cell import WifiCell
from airtcp.scenario.keys.channel import Channel, Loss, RssiPair
from airtcp.scenario.keys.channel_access import AccessSettings, ApAccessSettings
from airtcp.scenario.keys.fading import FADINGS, Shadowing
from airtcp.scenario.keys.floor_plan import Wall
from airtcp.scenario.keys.guest import GuestSettings
from airtcp.scenario.keys.interferer import Interferer
from airtcp.scenario.keys.linux_cell import BssSettings, LinuxSettings, TxqSettings
from airtcp.scenario.keys.mesh import MeshRoute
from airtcp.scenario.keys.model import DEFAULT_SYSCTLS, GUEST_TABLES, Scenario
from airtcp.scenario.keys.multi_user import MultiUserSettings
from airtcp.scenario.keys.nic_queue import QUEUES
from airtcp.scenario.keys.queue import read_queue
from airtcp.scenario.keys.radio import Radio, RadioSettings, Waypoint
from airtcp.scenario.keys.rate_control import ALGORITHMS, FixedMode
from airtcp.scenario.keys.source import Source
from airtcp.scenario.keys.trace import Trace
from airtcp.scenario.keys.traffic import SamplingSettings
from airtcp.scenario.keys.wire_trace import WireTrace
from airtcp.scenario.keys.wires import MptcpSettings, NodeSettings, Wire, WireSettings
from airtcp.scenario.reference.tables import LISTED_IN, kinds_text, table_text

_HEAD = """# Scenario files

A scenario is a TOML file. Quantities are text with a unit (`"10 Mbit/s"`, `"0.65 ms"`, `"-45 dBm"`). A
number without a unit, an unknown key, a value outside its range, or what the standard does not have is
refused with a message that names the file, the key and the remedy. `airtcp show-plan FILE` prints what a
scenario means, with every value explicit. [Wi-Fi in scenarios](../wifi.md) explains the radio side.

This page is made from the models in `python/airtcp/scenario` (`python -m airtcp.scenario.reference`).

## A first one

```toml
name = "first"
duration = "10 s"
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
rate = "10 Mbit/s"
delay = "5 ms"
[[flow]]
from = "sta1"
to = "h1"
```

Nodes need not be declared: cells and wires name them. Interfaces are `wlan0`, `eth0`, `eth1`... in the order
in which cells and wires mention their node; switches and access points join all of theirs in a bridge `br0`.
Each layer-2 segment is one IPv4 network, `10.0.SEGMENT.0/24`; only routers forward between segments. Times
count from the epoch, when the network is ready and traffic may start.
"""

_Section = tuple[str, type[BaseModel], type[BaseModel] | None]
_AIR_SECTIONS: tuple[_Section, ...] = (
    ("The file itself", Scenario, None),
    ("`[wifi.NAME]`: a cell", WifiCell, LinuxSettings),
    ('`[wifi.NAME]` with `mac = "linux"`', LinuxSettings, None),
    ("`[wifi.NAME.txq]`", TxqSettings, None),
    ("`[wifi.NAME.radio.NODE]`: one radio of a cell", Radio, RadioSettings),
    ("`waypoints` of a radio", Waypoint, None),
    ("`[wifi.NAME.access.CATEGORY]`: an access category", AccessSettings, None),
    ("`[wifi.NAME.ap_access.CATEGORY]`: an access category of the access point", ApAccessSettings, None),
    ("`[wifi.NAME.multi_user]`: PPDUs to several stations at once", MultiUserSettings, None),
    ("`[[wifi.NAME.route]]`: a mesh route", MeshRoute, None),
    ("`[[wifi.NAME.bss]]`: a further network of the access point's radio", BssSettings, None),
    ("`aggregation` as a table", Aggregation, None),
    ("`rate` as a table: a fixed mode", FixedMode, None),
)
_CHANNEL_SECTIONS: tuple[_Section, ...] = (
    ("`[channel]`: between antennas", Channel, None),
    ("`[[channel.link]]`: given power", RssiPair, None),
    ("`[[channel.wall]]`: the floor plan", Wall, None),
    ("`[channel.shadowing]`", Shadowing, None),
)


def _listed_before(kind: str, model: type[BaseModel]) -> type[BaseModel] | None:
    """What the table has in common with one whose section lists it."""
    return next(
        (base for base, first in LISTED_IN.items() if issubclass(model, base) and kind != first), None
    )


_OTHER_SECTIONS: tuple[_Section, ...] = (
    ("`[[channel.loss]]`", Loss, None),
    ("`[[channel.trace]]`: a recording", Trace, None),
    ("`[[interferer]]`", Interferer, None),
    ("`[[wire]]`", Wire, None),
    ("`[wire.towards.NODE]`: one direction of a wire", WireSettings, WireSettings),
    ("`trace` of a wire", WireTrace, None),
    ("`[node.NAME]`", NodeSettings, None),
    ("`[node.NAME.mptcp]`: the path manager of MPTCP", MptcpSettings, None),
    ("`[guest]`", GuestSettings, None),
    *((f"`[[{kind}]]`", model, _listed_before(kind, model)) for kind, model in GUEST_TABLES.items()),
    ("`[[source]]`: without a guest", Source, None),
    ("`[sampling]`", SamplingSettings, None),
)


def key_tables() -> list[tuple[str, type[BaseModel]]]:
    """Every table of keys with its title, those whose `kind` or `control` chooses among models too."""
    sections = [(title, model) for title, model, _ in (*_AIR_SECTIONS, *_CHANNEL_SECTIONS, *_OTHER_SECTIONS)]
    kinds = {"rate": ALGORITHMS, "nic_queue": QUEUES, "channel.fading": FADINGS}
    return sections + [(f"`{key}` as a table", model) for key, models in kinds.items() for model in models]


def scenario_reference() -> str:
    """The page, as Markdown."""
    parts = [
        _HEAD,
        *_sections(_AIR_SECTIONS),
        "## `rate` as a table: rate control\n\n" + kinds_text(ALGORITHMS, "control"),
        "## `nic_queue` as a table\n\n" + kinds_text(QUEUES, "kind"),
        *_sections(_CHANNEL_SECTIONS),
        "## `[channel.fading]`\n\n" + kinds_text(FADINGS, "kind"),
        *_sections(_OTHER_SECTIONS),
        "## Distributions\n\n" + _DISTRIBUTIONS,
        "## Settings below `/proc/sys` of every node\n\n" + _sysctls(),
        "## Units\n\n" + _units(),
    ]
    return "\n".join(parts)


_DISTRIBUTIONS = """Where a value may be a distribution, it is drawn each time it is needed, from a stream of
the run's seed. [Workloads](../models/workloads.md) has the definitions.

| distribution | first number | others |
|---|---|---|
| `{ exponential = "5 s" }` | mean | |
| `{ uniform = ["1 s", "3 s"] }` | least and most | |
| `{ lognormal = "10 kB", sigma = 1.4 }` | median | `sigma`: deviation of the logarithm; `least`, `most` |
| `{ pareto = "4 kB", shape = 1.2 }` | scale, its least value | `shape`, `most`, `less` |

What a log-normal distribution draws outside of `least` and `most` is drawn again; what a Pareto distribution
draws beyond `most` becomes `most`, and `less` is taken off at last.
"""


def _sections(sections: Sequence[_Section]) -> list[str]:
    return [f"## {title}\n\n{table_text(model, base)}" for title, model, base in sections]


def _sysctls() -> str:
    lines = [f"* `{key}` = `{value}`" for key, value in DEFAULT_SYSCTLS.items()]
    lines.append("* `net.ipv4.ip_forward` = `1` in routers")
    about = "Set before those of `[sysctl]` and `[node.NAME.sysctl]`, which override them:"
    return f"{about}\n\n" + "\n".join(lines) + "\n"


def _units() -> str:
    from airtcp.scenario.values import units

    shown = (
        *(units.TIME, units.MAC_TIME, units.RATE, units.AMOUNT, units.FREQUENCY, units.WIDTH),
        units.BANDWIDTH,
        *(
            units.POWER,
            units.RECEIVED_POWER,
            units.RATIO,
            units.DISTANCE,
            units.SPEED,
            units.THICKNESS,
            units.COORDINATE,
        ),
    )
    lines = ["| quantity | units | range |", "|---|---|---|"]
    for one in shown:
        names = ", ".join(f"`{name}`" for name in one.units)
        lines.append(f"| {one.name} | {names} | {one.text(one.least)} to {one.text(one.most)} |")
    queue = read_queue("100 packets").text
    lines.append(
        f'| queue | `packets` (`"{queue}"`), any amount of data, words of `tc` | 1 packet or byte and more |'
    )
    return "\n".join(lines) + "\n"
