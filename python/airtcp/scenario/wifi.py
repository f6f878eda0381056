"""The radio side of a scenario: cells, radios and the channel."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.scenario.known import PHYS, PHYS_NOT_MODELLED
from airtcp.scenario.parts import Name, Part, written
from airtcp.scenario.queue import Queue
from airtcp.scenario.units import CoordinateM, DistanceM, PowerDbm, RateBps, RatioDb


def _standard(value: Any) -> Any:
    bare = value.removeprefix("802.") if isinstance(value, str) else value
    if bare in PHYS_NOT_MODELLED:
        raise ValueError(f"802.{bare} is not modelled yet; modelled: {', '.join(PHYS)}")
    if bare not in PHYS:
        raise ValueError(f"{value!r} is not a standard; modelled: {', '.join(PHYS)}")
    return bare


def _contention_window(value: Any) -> Any:
    if type(value) is int and (value < 1 or value & (value + 1)):
        raise ValueError(f"{value} is not one less than a power of two (15, 31, ... 1023)")
    return value


Standard = Annotated[str, BeforeValidator(_standard)]
ContentionWindow = Annotated[int, BeforeValidator(_contention_window), Field(le=32767)]


class RadioSettings(Part):
    """Settings of a radio interface; set for a cell they hold for all of its radios."""

    rate: RateBps = Field(
        written("54 Mbit/s"), description="Rate of unicast data frames, one of the standard's."
    )
    tx_power: PowerDbm = Field(written("20 dBm"), description="Transmit power (used with `log_distance`).")
    queue: Queue = Field(
        written("1000 packets"),
        description="Queue of the kernel above the radio: packets, an amount of data, or words of `tc`.",
    )
    nic_packets: int = Field(
        64,
        ge=1,
        le=1_000_000,
        description="Frames that the radio's own transmit queue holds, the one on the air included.",
    )
    backpressure: bool = Field(
        True,
        description="A full radio queue stops the queue above it, as real drivers do; `false`: it "
        "drops, as the interface queue of a simulator does.",
    )
    bql: bool = Field(True, description="Byte queue limits between the kernel's queue and the radio's.")
    gro: bool = Field(
        False,
        description="Generic receive offload. Merged super-packets count as one in every queue behind, so a "
        "limit in packets would mean something else.",
    )
    rx_copy: bool = Field(
        True, description="Frames arrive in fresh buffers, as from hardware; `false`: in the sender's memory."
    )
    pacing_shift: int = Field(
        7,
        ge=0,
        le=10,
        description="TCP small queues: a socket may have 2^-shift seconds of its rate below it. "
        "mac80211 sets 7 (about 8 ms), TCP's own value is 10 (about 1 ms).",
    )


class Radio(RadioSettings):
    """What one radio has different from its cell, and where it is."""

    rssi: PowerDbm | None = Field(
        None,
        description="A station's received power from and at its access point (with `rssi`).",
    )
    position: list[CoordinateM] | None = Field(
        None,
        min_length=2,
        max_length=3,
        description='Place of the antenna, for example `["3 m", "0 m"]` (`propagation = "log_distance"`); '
        "default: the origin.",
    )


class WifiCell(RadioSettings):
    """An access point and its stations: `[wifi.NAME]`."""

    access_point: Name | None = Field(
        None, description="Node that is the access point; default: `ap1` in the first cell..."
    )
    stations: list[Name] = Field(min_length=1, max_length=250, description="Nodes that are its stations.")
    standard: Standard = Field("11g", description="`11g` (without 11b stations) or `11a`.")
    channel: int | None = Field(None, description="Channel number; default: 1 for 11g, 36 for 11a.")
    basic_rates: list[RateBps] = Field(
        written(["6 Mbit/s", "12 Mbit/s", "24 Mbit/s"]),
        min_length=1,
        description="Rates every member receives; control responses use them (IEEE 802.11-2020, 10.6.6.5).",
    )
    group_rate: RateBps = Field(written("6 Mbit/s"), description="Rate of broadcast and multicast frames.")
    retry_limit: int = Field(
        7, ge=1, le=255, description="Attempts after which a frame is given up (dot11ShortRetryLimit)."
    )
    cw_min: ContentionWindow = Field(15, description="aCWmin; one less than a power of two.")
    cw_max: ContentionWindow = Field(1023, description="aCWmax; one less than a power of two.")
    radio: dict[Name, Radio] = Field(
        {}, description="What single radios have different: `[wifi.NAME.radio.NODE]`."
    )


class RssiPair(Part):
    """Received power between two radios: `[[channel.link]]`."""

    between: tuple[Name, Name] = Field(description="The two nodes.", strict=False)
    rssi: PowerDbm = Field(description="Received power, the same in both directions.")


class Channel(Part):
    """What happens between antennas: `[channel]`."""

    reception: Literal["ideal", "table"] = Field(
        "ideal",
        description="`ideal`: a frame is lost only by collision. `table`: also by the packet error rate at "
        "its signal-to-noise ratio, rate and length.",
    )
    noise_figure: RatioDb = Field(
        written("7 dB"), description="Noise figure of every receiver (with `table`)."
    )
    carrier_sense: PowerDbm = Field(
        written("-82 dBm"),
        description="Weakest signal that makes the medium busy (IEEE 802.11-2020, 17.3.10.6).",
    )
    propagation: Literal["rssi", "log_distance"] = Field(
        "rssi", description="Received power is given (`rssi`), or computed from positions (`log_distance`)."
    )
    rssi: PowerDbm = Field(written("-45 dBm"), description="Received power of every pair that is not named.")
    link: list[RssiPair] = Field([], description="Pairs that differ: `[[channel.link]]`.")
    exponent: float = Field(
        3.0, ge=1, le=10, strict=False, allow_inf_nan=False, description="Path loss exponent."
    )
    reference_distance: DistanceM = Field(
        written("1 m"), description="Reference distance; nearer counts as at it."
    )
    reference_loss: RatioDb | None = Field(
        None,
        description="Path loss at the reference distance; default: free space at the cell's frequency, "
        "20 log10(4 pi d f / c), which is 40.1 dB at 1 m and 2412 MHz.",
    )
