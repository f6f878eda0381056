"""What is sampled, as the plan has it."""

from airtcp.plans.types.air_plan import PlanAir
from airtcp.plans.types.plan import PlanSampling
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario


def compile_sampling(scenario: Scenario, air: PlanAir) -> PlanSampling:
    """The plan's `sampling`; where there is no mac80211, nothing of it is sampled."""
    sampling = scenario.sampling
    tcp = (*scenario.flow, *scenario.request, *scenario.web, *scenario.video)
    if sampling.delays and any(entry.ip == 6 for entry in tcp):
        what = "one-way delays are recorded of TCP over IPv4 only, and a flow uses IPv6"
        raise ScenarioError(
            "sampling.delays", what, "Leave it out, or use [[udp]], whose datagrams have delays"
        )
    linux = [cell["linux"] for cell in air["cells"] if cell["linux"] is not None]
    kernels_rates = any(cell["rate_control"] == "kernel" for cell in linux)
    return {
        "flows_interval_ns": sampling.flows,
        "qdiscs_interval_ns": sampling.qdiscs,
        "stations_interval_ns": sampling.stations if linux else 0,
        "rates_interval_ns": sampling.rates if kernels_rates else 0,
        "air_interval_ns": sampling.air,
        "acks": sampling.acks,
        "delays": sampling.delays,
        "ppdus": sampling.ppdus,
        "sockets_least_bytes": sampling.sockets_least if sampling.sockets else None,
    }
