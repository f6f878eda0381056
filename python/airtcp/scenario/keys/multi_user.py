"""PPDUs of an access point to several stations at once (OFDMA)."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.scenario.keys.parts import Part


class MultiUserSettings(Part):
    """PPDUs of an access point of 11ax or 11be to several stations at once: `[wifi.NAME.multi_user]`."""

    scheduler: Literal["round_robin"] = "round_robin"
    """Who decides which stations share a PPDU. `round_robin`: those whose queues have their turns next, in
    resource units of equal size.
    """
    stations: int = Field(4, ge=2, le=74)
    """Most stations of a PPDU (ns-3: 4)."""
    acknowledgement: Literal["sequential", "mu_bar", "aggregated_mu_bar"] = "sequential"
    """How stations acknowledge what they were sent. `sequential`: the first by itself, each other one when a
    BlockAckReq asks it. `mu_bar`: all at once, each in its resource unit, when a trigger frame asks them.
    `aggregated_mu_bar`: the same, and the trigger frames are in the A-MPDUs of the data.
    """
    mu_rts: bool = False
    """Where RTS would go before a PPDU to several stations, MU-RTS does, which all of them answer at once."""


def _scheduler_alone(value: Any) -> Any:
    return {"scheduler": value} if isinstance(value, str) else value


MultiUser = Annotated[MultiUserSettings, BeforeValidator(_scheduler_alone)]
