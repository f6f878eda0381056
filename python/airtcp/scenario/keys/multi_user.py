"""PPDUs of an access point to several stations at once (OFDMA)."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from airtcp.scenario.keys.channel_access import ContentionWindow
from airtcp.scenario.keys.parts import Part, written
from airtcp.scenario.values.units import MAC_TIME, MacTimeUs, ReceivedDbm

# The timer is announced in units of 8 time units of 1024 us, in 8 bits (IEEE 802.11ax-2021, 9.4.2.251).
MU_EDCA_TIMER_UNIT_US = 8 * 1024
_MU_EDCA_TIMER_MOST = 255
# hostapd's example: he_mu_edca_ac_be_aifsn=0, ecwmin=15, ecwmax=15, timer=255, and so for each category.
_CW_MOST = 32767


def _timer(value: Any) -> Any:
    timer_us = int(MAC_TIME.read(value))
    units, rest_us = divmod(timer_us, MU_EDCA_TIMER_UNIT_US)
    if rest_us or not 1 <= units <= _MU_EDCA_TIMER_MOST:
        possible = MAC_TIME.text(min(max(units, 1), _MU_EDCA_TIMER_MOST) * MU_EDCA_TIMER_UNIT_US)
        raise ValueError(
            f'"{value}" is not 1 to {_MU_EDCA_TIMER_MOST} times 8 TU (8.192 ms), the unit of MU EDCA timers '
            f'(IEEE 802.11ax-2021, 9.4.2.251); write for example "{possible}"'
        )
    return timer_us


MuEdcaTimerUs = Annotated[int, BeforeValidator(_timer), MAC_TIME]


def _aifsn(value: Any) -> Any:
    if value == 1:
        raise ValueError(
            "1 is no AIFSN of a station; write 2 to 15, or 0 for a category that does not contend"
        )
    return value


MuEdcaAifsn = Annotated[int, BeforeValidator(_aifsn), Field(ge=0, le=15)]


class MuEdcaCategory(Part):
    """What an access category has different: `[wifi.NAME.multi_user.mu_edca.CATEGORY]`."""

    aifsn: MuEdcaAifsn | None = None
    """Slots after SIFS before backoff, 2 to 15; 0: the category does not contend. Default: as all."""
    cw_min: ContentionWindow | None = None
    """Smallest contention window. Default: as all."""
    cw_max: ContentionWindow | None = None
    """Largest contention window. Default: as all."""
    timer: MuEdcaTimerUs | None = None
    """How long these hold. Default: as all."""


class MuEdcaSettings(Part):
    """How stations contend after they have answered a trigger frame with data (MU EDCA):
    `[wifi.NAME.multi_user.mu_edca]`, for all access categories.
    """

    aifsn: MuEdcaAifsn = 0
    """Slots after SIFS before backoff, 2 to 15; 0: stations do not contend."""
    cw_min: ContentionWindow = _CW_MOST
    """Smallest contention window."""
    cw_max: ContentionWindow = _CW_MOST
    """Largest contention window."""
    timer: MuEdcaTimerUs = written("2040 TU")
    """How long these hold after such an answer, a multiple of 8 TU (8.192 ms) up to 2040 TU; each answer
    starts it anew.
    """
    background: MuEdcaCategory = MuEdcaCategory()
    """What background has different."""
    best_effort: MuEdcaCategory = MuEdcaCategory()
    """What best effort has different."""
    video: MuEdcaCategory = MuEdcaCategory()
    """What video has different."""
    voice: MuEdcaCategory = MuEdcaCategory()
    """What voice has different."""


def _true_as_defaults(value: Any) -> Any:
    return {True: {}, False: None}.get(value, value) if isinstance(value, bool) else value


MuEdca = Annotated[MuEdcaSettings | None, BeforeValidator(_true_as_defaults)]


# A user information field of a trigger frame announces no more (IEEE 802.11ax-2021, 9.3.1.22.1).
RANDOM_RUS_MOST = 32
# EOCWmin and EOCWmax have 3 bits (IEEE 802.11ax-2021, 9.4.2.250).
_OCW_MOST = 127


def _ocw(value: Any) -> Any:
    if isinstance(value, int) and not (0 <= value <= _OCW_MOST and value & (value + 1) == 0):
        raise ValueError(
            f"{value} is not one less than a power of two, 0 to {_OCW_MOST}; write for example 7"
        )
    return value


OfdmaContentionWindow = Annotated[int, BeforeValidator(_ocw), Field(ge=0, le=_OCW_MOST)]


class RandomAccessSettings(Part):
    """Resource units of each trigger frame for stations that it does not name (UORA):
    `[wifi.NAME.multi_user.random_access]`.
    """

    rus: int = Field(1, ge=1, le=RANDOM_RUS_MOST)
    """Random access resource units of each trigger frame. They and one for a station that is named must go
    into the channel: 20 MHz have 8.
    """
    ocw_min: OfdmaContentionWindow = 7
    """Smallest OFDMA contention window (OCWmin)."""
    ocw_max: OfdmaContentionWindow = 31
    """Largest OFDMA contention window (OCWmax)."""


def _number_as_rus(value: Any) -> Any:
    if isinstance(value, int) and not value:
        return None
    return {"rus": int(value)} if isinstance(value, int) else value


RandomAccess = Annotated[RandomAccessSettings | None, BeforeValidator(_number_as_rus)]


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

    mu_edca: MuEdca = None
    """How stations contend after they have answered a trigger frame with data: rarely, or not at all, since
    the access point asks them. `true`: the values of hostapd's example, with which they don't for 2.09 s;
    `[wifi.NAME.multi_user.mu_edca]` has others. Default: as always. Needs `uplink`.
    """

    random_access: RandomAccess = None
    """Resource units of each trigger frame in which any station that it does not name may answer, by chance
    (UORA; IEEE 802.11ax-2021, 26.5.4): their number, `true` for one, or
    `[wifi.NAME.multi_user.random_access]`. Stations of which nothing is known are left to these. Default:
    none. Needs `uplink`.
    """

    @model_validator(mode="after")
    def _uplink_keys_need_uplink(self) -> "MultiUserSettings":
        of_uplinks = {"bsrp", "uplink_interval", "report_lifetime", "target_rssi", "mu_edca", "random_access"}
        given = self.model_fields_set & of_uplinks
        if given and not self.uplink:
            name = sorted(given)[0]
            what = f"{name} is about uplinks, which this cell does not trigger"
            raise ValueError(f"{what}; set uplink = true, or leave {name} out")
        return self

    @model_validator(mode="after")
    def _reports_that_are_asked_for_count(self) -> "MultiUserSettings":
        if self.bsrp and not self.report_lifetime:
            what = "bsrp asks stations for reports, of which report_lifetime lets none count"
            raise ValueError(f"{what}; set report_lifetime to 20 ms, or leave bsrp out")
        return self


def _scheduler_alone(value: Any) -> Any:
    return {"scheduler": value} if isinstance(value, str) else value


MultiUser = Annotated[MultiUserSettings, BeforeValidator(_scheduler_alone)]
