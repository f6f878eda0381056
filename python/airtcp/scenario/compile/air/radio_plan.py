"""The radio side of a plan."""

from pathlib import Path

from airtcp.plans.types.air_plan import PlanAir, PlanCell, PlanLinux
from airtcp.scenario.compile.air.cell_plan import ResolvedCell, cell_plan, resolve_cells
from airtcp.scenario.compile.air.channel_plan import compile_channel
from airtcp.scenario.compile.air.linux_plan import linux_plan
from airtcp.scenario.compile.air.multi_user_plan import check_multi_user_cards, multi_user_plan
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
    nics = nic_plans(scenario, topology, cells)
    check_multi_user_cards(cells, nics)
    return {
        "cells": [_cell(cell, linux_plan(cell, cells, topology)) for cell in cells.values()],
        "nics": nics,
        "channel": compile_channel(scenario, topology, cells, folder),
    }


def _cell(cell: ResolvedCell, linux: PlanLinux | None) -> PlanCell:
    plan, multi_user = cell_plan(cell, linux), multi_user_plan(cell)
    if multi_user is not None:
        plan["multi_user"] = multi_user
    return plan
