"""What a plan cannot show, although its scenario looks as if it did."""

from typing import Any

from airtcp.plans.short_queues import queues_that_cannot_fill

# What every pair has of which a scenario says nothing (python/airtcp/scenario/keys/channel.py).
_USUAL_DBM = -45.0


def plan_warnings(plan: Any) -> list[str]:
    """What to know of a plan before it is run."""
    return levels_without_effect(plan) + queues_that_cannot_fill(plan)


def levels_without_effect(plan: Any) -> list[str]:
    """A warning if `rssi` was given, and only collisions lose frames, whatever the power is.

    A power below the threshold of carrier sensing hides a radio, and below the sensitivity loses all: these
    have an effect, as have levels with capture, fading, shadowing or rates that are chosen by the signal.
    """
    channel = plan["air"]["channel"]
    propagation = channel["propagation"]
    if propagation["kind"] != "rssi" or channel["reception"]["kind"] != "ideal":
        return []
    levels_dbm = [link["rssi_dbm"] for link in propagation["links"]]
    if propagation["default_dbm"] != _USUAL_DBM:
        levels_dbm.append(propagation["default_dbm"])
    least_dbm = max(channel["carrier_sense_dbm"], channel["sensitivity_dbm"])
    varies = channel["shadowing"] is not None or channel["fading"]["kind"] != "none" or channel["traces"]
    by_signal = any(nic["rate_control"]["kind"] == "ideal" for nic in plan["air"]["nics"])
    has_effect = by_signal or varies or channel["capture_db"] is not None
    if has_effect or not levels_dbm or min(levels_dbm) < least_dbm:
        return []
    return [
        f'rssi has no effect from {least_dbm:g} dBm on: with reception = "ideal", the default, frames are '
        'lost by collisions alone. Write reception = "table" in [channel] for losses by the signal'
    ]
