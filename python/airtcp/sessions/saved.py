"""A session as a file that `airtcp run` repeats."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.plans.links import radios
from airtcp.plans.types.plan import (
    Plan,
    PlanSessionAct,
    PlanSessionActFlow,
    PlanSessionActLoss,
    PlanSessionActRssi,
    PlanSessionInput,
)
from airtcp.scenario.compile.session_plan import with_session
from airtcp.scenario.values.units import AMOUNT, TIME
from airtcp.sessions.changes import END


def ended(inputs: Sequence[PlanSessionInput], at_ns: int) -> list[PlanSessionInput]:
    """The inputs, and the end of the run at an instant."""
    job = max((one["job"] for one in inputs), default=0) + 1
    return [*inputs, {"at_ns": at_ns, "job": job, "act": END}]


def save(path: Path, plan: Plan, inputs: Sequence[PlanSessionInput], scenario: str | None) -> None:
    """Writes the session: as a scenario with its inputs (`.toml`), or as a plan (`.json`).

    `scenario`: the text of the scenario with which the session began, if that was not changed.
    """
    if path.suffix == ".json":
        path.write_text(json.dumps(with_session(plan, inputs), indent=2) + "\n", encoding="utf-8")
        return
    if path.suffix != ".toml":
        raise AirtcpError("must end in .toml or .json", str(path), "Name for example session.toml")
    if scenario is None:
        what = "this session did not begin with a scenario file as it is"
        raise AirtcpError(what, str(path), "Save it as a plan: name the file session.json")
    tables = "\n".join(_table(one, plan) for one in inputs)
    path.write_text(f"{scenario.rstrip()}\n\n# What entered the session.\n{tables}", encoding="utf-8")


def _table(one: PlanSessionInput, plan: Plan) -> str:
    lines = ["[[session]]", f'at = "{_seconds(one["at_ns"])} s"', f"job = {one['job']}"]
    return "\n".join([*lines, _act(one["act"], plan)]) + "\n"


def _seconds(ns: int) -> str:
    whole, rest = divmod(ns, 10**9)
    return f"{whole}.{rest:09d}".rstrip("0").rstrip(".")


def _act(act: PlanSessionAct, plan: Plan) -> str:
    if act["kind"] == "start":
        terminal = act["terminal"]
        size = [terminal["rows"], terminal["columns"]] if terminal else None
        return f"start = {_inline(node=act['node'], command=act['command'], terminal=size)}"
    if act["kind"] == "flow":
        return f"flow = {_flow(act)}"
    if act["kind"] == "write":
        data = act["data"]
        return (
            _pair("write", data["text"]) if data["kind"] == "text" else _pair("write_base64", data["base64"])
        )
    if act["kind"] == "resize":
        return _pair("resize", [act["size"]["rows"], act["size"]["columns"]])
    if act["kind"] == "signal":
        return _pair("signal", act["signal"])
    if act["kind"] == "link":
        return f"link = {_inline(node=act['node'], interface=act['interface'], up=act['up'])}"
    if act["kind"] == "wire":
        rate = "unlimited" if act["rate_bps"] is None else f"{act['rate_bps']} bit/s"
        ends = {"node": act["node"], "interface": act["interface"]}
        delay = f"{act['delay_ns']} ns"
        return f"wire = {_inline(**ends, rate=rate, delay=delay)}"
    if act["kind"] == "move":
        node, interface = radios(plan)[act["nic"]]
        position = [f"{metres!r} m" for metres in act["position_m"]]
        return f"move = {_inline(node=node, interface=interface['name'], position=position)}"
    if act["kind"] == "rssi" or act["kind"] == "loss":
        return _of_a_link(act, plan)
    return _pair(act["kind"], True)  # close_input, end


def _flow(act: PlanSessionActFlow) -> str:
    size = None if act["bytes"] is None else AMOUNT.text(act["bytes"])
    length = None if act["length_ns"] is None else TIME.text(act["length_ns"])
    ends = {"from": act["from"], "to": act["to"]}
    return _inline(**ends, cca=act["congestion_control"], size=size, length=length, port=act["port"])


def _of_a_link(act: PlanSessionActRssi | PlanSessionActLoss, plan: Plan) -> str:
    ends = {"from": radios(plan)[act["from"]].node, "to": radios(plan)[act["to"]].node}
    if act["kind"] == "loss":
        return f"loss = {_inline(**ends, probability=act['probability'])}"
    power = f"{act['rssi_dbm']!r} dBm"
    return f"rssi = {_inline(**ends, rssi=power)}"


def _inline(**fields: Any) -> str:
    pairs = (_pair(key, value) for key, value in fields.items() if value is not None)
    return "{ " + ", ".join(pairs) + " }"


def _pair(key: str, value: Any) -> str:
    return f"{key} = {_value(value)}"


def _value(value: Any) -> str:
    # A string in JSON is one in TOML but for the code point DEL.
    text = json.dumps(value, ensure_ascii=False)
    return text.replace("\x7f", "\\u007f") if isinstance(value, str) else text
