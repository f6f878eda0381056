"""The cost of the kernel's Wi-Fi stack: association, idle time, and segments beside airtcp's upper MAC."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.reading.toml_file import parse_toml

SCENARIOS = Path(__file__).resolve().parent / "bench"
# Generic receive offload merges the segments of an A-MPDU, so they pass TCP together.
HOPS: dict[str, dict[str, str | bool]] = {
    'mac = "linux"': {"mac": "linux"},
    'mac = "linux", gro = true': {"mac": "linux", "gro": True},
    'mac = "airtcp"': {"mac": "airtcp"},
}
WPA2 = {"security": "wpa2", "passphrase": "as long as it must be"}


def network(duration: str = "5 ms", **cell: str) -> Plan:
    """A station that associates with its access point, directly or with the security that the cell names."""
    tables = _tables("linux-network")
    tables["wifi"]["home"] |= cell
    return compile_scenario(scenario_from_tables(tables | {"duration": duration}))


def one_hop(**cell: str | bool) -> Plan:
    """TCP over one hop of 802.11ac."""
    tables = _tables("linux-vht80")
    tables["wifi"]["home"] |= cell
    return compile_scenario(scenario_from_tables(tables))


def segment_costs_us(
    cpu_s_and_segments: Callable[[Plan], list[tuple[float, float]]], boot_cpu_s: dict[str, float]
) -> dict[str, list[float]]:
    """CPU time per TCP segment by upper MAC, including both hosts and the ACK, without the boot."""
    costs = {}
    for name, cell in HOPS.items():
        measured = cpu_s_and_segments(one_hop(**cell))
        boot = boot_cpu_s[str(cell["mac"])]
        costs[name] = [(cpu_s - boot) * 1e6 / segments for cpu_s, segments in measured]
    return costs


def _tables(name: str) -> dict[str, Any]:
    file = SCENARIOS / f"{name}.toml"
    return parse_toml(file.read_text(encoding="utf-8"), file)
