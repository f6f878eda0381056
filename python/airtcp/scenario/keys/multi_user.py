"""PPDUs of an access point to several stations at once (OFDMA)."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from airtcp.scenario.keys.parts import Part, written
from airtcp.scenario.values.units import MacTimeUs, ReceivedDbm


class MultiUserSettings(Part):
    """PPDUs of an access point of 11ax or 11be to several stations at once: `[wifi.NAME.multi_user]`."""

    scheduler: Literal["round_robin", "latency", "proportional"] = "round_robin"
    """Who decides which stations share a PPDU. `round_robin`: those whose queues have their turns next, in
    resource units of equal size. `latency`: the same, but a station with 1 ms of data or more is sent its
    PPDU alone. `proportional`: in resource units by the time that what waits for each would take, as many
    stations as that serves well.
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

    uplink: bool = False
    """Whether the access point also asks stations for their data by trigger frames, several at once. It
    does so after each PPDU to several stations, and after `uplink_interval`. Stations still contend.
    """
    bsrp: bool = False
    """Whether it asks for the stations' buffer status (BSRP) before it asks for data. Else it goes by what
    stations said in their data, and asks those for 500 bytes of which it knows nothing. Needs `uplink`.
    """
    uplink_interval: MacTimeUs = written("10 ms")
    """Time after its last access to the medium at which an access point that has nothing to send asks its
    stations, if any may have something. `0 us`: never (ns-3's default). Needs `uplink`.
    """
    report_lifetime: MacTimeUs = written("20 ms")
    """How long a station's report of its queues counts (ns-3: 20 ms). Needs `uplink`."""
    target_rssi: ReceivedDbm | None = None
    """Power with which the access point wants to receive each station that answers a trigger frame.
    Stations send with less power if that is enough. Default: with all they have. Needs `uplink`.
    """

    @model_validator(mode="after")
    def _uplink_keys_need_uplink(self) -> "MultiUserSettings":
        given = self.model_fields_set & {"bsrp", "uplink_interval", "report_lifetime", "target_rssi"}
        if given and not self.uplink:
            name = sorted(given)[0]
            what = f"{name} is about uplinks, which this cell does not trigger"
            raise ValueError(f"{what}; set uplink = true, or leave {name} out")
        return self


def _scheduler_alone(value: Any) -> Any:
    return {"scheduler": value} if isinstance(value, str) else value


MultiUser = Annotated[MultiUserSettings, BeforeValidator(_scheduler_alone)]
