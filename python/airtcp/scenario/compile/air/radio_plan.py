"""The radio side of a plan."""

from pathlib import Path

from airtcp.plans.types.air_plan import PlanAir
from airtcp.scenario.compile.air.cell_plan import cell_plan, resolve_cells
from airtcp.scenario.compile.air.channel_plan import compile_channel
from airtcp.scenario.compile.air.linux_plan import linux_plan
from airtcp.scenario.compile.air.nic_plan import nic_plans
from airtcp.scenario.compile.air.tapped_fading import check_fading
from airtcp.scenario.compile.air.upper_mac import check_upper_mac
from airtcp.scenario.compile.network.topology import Topology
from airtcp.scenario.keys.model import Scenario


def compile_air(scenario: Scenario, topology: Topology, folder: Path) -> PlanAir:
    """Cells, radio interfaces and channel; `folder` is that of the scenario file."""
    cells = resolve_cells(scenario)
    for cell in cells.values():
        check_upper_mac(cell, cells)
    check_fading(scenario.channel.fading, cells)
    return {
        "cells": [cell_plan(cell, linux_plan(cell, cells, topology)) for cell in cells.values()],
        "nics": nic_plans(scenario, topology, cells),
        "channel": compile_channel(scenario, topology, cells, folder),
    }
