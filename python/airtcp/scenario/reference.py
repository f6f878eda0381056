"""The reference of scenario files, made from the models: `docs/reference/scenario.md`."""

import types
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from airtcp.scenario.model import DEFAULT_SYSCTLS, Scenario
from airtcp.scenario.queue import QueueText, read_queue
from airtcp.scenario.traffic import FlowSettings, PingSettings, ProgramSettings, SamplingSettings
from airtcp.scenario.units import Dimension
from airtcp.scenario.wifi import Channel, Radio, RadioSettings, RssiPair, WifiCell
from airtcp.scenario.wires import NodeSettings, Wire, WireSettings

_HEAD = """# Scenario files

A scenario is a TOML file. Quantities are text with a unit (`"10 Mbit/s"`, `"0.65 ms"`, `"-45 dBm"`). A
number without a unit, an unknown key, or a value outside its range is refused with a message that names the
file, the key and the remedy. `airtcp show-plan FILE` prints what a scenario means, with every value explicit.

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

Modelled: 802.11a and 802.11g (without 11b stations). Any other standard is refused.
"""

_SECTIONS: tuple[tuple[str, type[BaseModel], type[BaseModel] | None], ...] = (
    ("The file itself", Scenario, None),
    ("`[wifi.NAME]`: a cell", WifiCell, None),
    ("`[wifi.NAME.radio.NODE]`: one radio of a cell", Radio, RadioSettings),
    ("`[channel]`: between antennas", Channel, None),
    ("`[[channel.link]]`", RssiPair, None),
    ("`[[wire]]`", Wire, None),
    ("`[wire.towards.NODE]`: one direction of a wire", WireSettings, WireSettings),
    ("`[node.NAME]`", NodeSettings, None),
    ("`[[flow]]`", FlowSettings, None),
    ("`[[ping]]`", PingSettings, None),
    ("`[[program]]`", ProgramSettings, None),
    ("`[sampling]`", SamplingSettings, None),
)


def scenario_reference() -> str:
    """The page, as Markdown."""
    parts = [_HEAD]
    for title, model, base in _SECTIONS:
        parts.append(f"## {title}\n\n{_table(model, base)}")
    parts.append("## Settings below `/proc/sys` of every node\n\n" + _sysctls())
    parts.append("## Units\n\n" + _units())
    return "\n".join(parts)


def _table(model: type[BaseModel], base: type[BaseModel] | None) -> str:
    inherited = base.model_fields if base else {}
    lines = ["| key | value | default | meaning |", "|---|---|---|---|"]
    own = {name: field for name, field in model.model_fields.items() if name not in inherited}
    for name, field in own.items():
        key = f"`{field.alias or name}`"
        lines.append(f"| {key} | {_kind(field)} | {_default(field)} | {field.description or ''} |")
    if inherited:
        names = ", ".join(f"`{name}`" for name in inherited)
        whole = "cell" if base is RadioSettings else "wire"
        also = "Also" if own else "May hold"
        lines = (lines if own else []) + ["", f"{also} {names}, as in its {whole}, which they override."]
    return "\n".join(lines).strip() + "\n"


def _default(field: FieldInfo) -> str:
    default = field.default
    if default is PydanticUndefined:
        return "required"
    if default is None or default in ({}, []) or isinstance(default, BaseModel):
        return ""
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, str):
        return f'`"{default}"`'
    if isinstance(default, list):
        return "`[" + ", ".join(f'"{item}"' for item in default) + "]`"
    return f"`{default}`"


def _kind(field: FieldInfo) -> str:
    text = _type_text(field.annotation, field.metadata)
    bounds = {
        name: getattr(item, name) for item in field.metadata for name in ("ge", "le") if hasattr(item, name)
    }
    if bounds and text in ("whole number", "number"):
        low, high = bounds.get("ge"), bounds.get("le")
        text += f", {low} to {high}" if low is not None and high is not None else f", at most {high}"
    return text


def _type_text(annotation: Any, metadata: list[Any]) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    dimension = next((item for item in metadata if isinstance(item, Dimension)), None)
    if dimension is not None:
        return f'{dimension.name}, as `"{dimension.example}"`'
    if origin is Annotated:
        return _type_text(arguments[0], list(arguments[1:]))
    if origin in (Union, types.UnionType):
        return " or ".join(_type_text(one, []) for one in arguments if one is not type(None))
    if origin is Literal:
        return ", ".join(f'`"{one}"`' for one in arguments)
    if origin is list:
        return f"list of {_type_text(arguments[0], [])}"
    if origin is tuple:
        return "two names"
    if origin is dict:
        return "tables by name" if _is_model(arguments[1]) else "table"
    if _is_model(annotation):
        return "table"
    if annotation is QueueText:
        return "queue"
    return {str: "text", int: "whole number", bool: "`true` or `false`", float: "number"}[annotation]


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _sysctls() -> str:
    lines = [f"* `{key}` = `{value}`" for key, value in DEFAULT_SYSCTLS.items()]
    lines.append("* `net.ipv4.ip_forward` = `1` in routers")
    about = "Set before those of `[sysctl]` and `[node.NAME.sysctl]`, which override them:"
    return f"{about}\n\n" + "\n".join(lines) + "\n"


def _units() -> str:
    from airtcp.scenario import units

    shown = (units.TIME, units.RATE, units.AMOUNT, units.POWER, units.RATIO, units.DISTANCE, units.COORDINATE)
    lines = ["| quantity | units | range |", "|---|---|---|"]
    for one in shown:
        names = ", ".join(f"`{name}`" for name in one.units)
        lines.append(f"| {one.name} | {names} | {one.text(one.least)} to {one.text(one.most)} |")
    queue = read_queue("100 packets").text
    lines.append(
        f'| queue | `packets` (`"{queue}"`), any amount of data, words of `tc` | 1 packet or byte and more |'
    )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(scenario_reference(), end="")
