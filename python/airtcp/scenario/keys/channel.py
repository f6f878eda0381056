"""What happens between antennas: propagation, variation, reception."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.scenario.keys.fading import Fading, Shadowing
from airtcp.scenario.keys.floor_plan import Wall
from airtcp.scenario.keys.parts import Name, Part, written
from airtcp.scenario.keys.trace import Trace
from airtcp.scenario.values.units import RATIO, DistanceM, LengthNs, RatioDb, ReceivedDbm


class RssiPair(Part):
    """Received power between two radios: `[[channel.link]]`."""

    between: tuple[Name, Name] = Field(strict=False)
    """The two nodes."""
    rssi: ReceivedDbm
    """Received power, the same in both directions."""


class Loss(Part):
    """A fixed loss of data frames: `[[channel.loss]]`. Of two about one direction the later one counts."""

    from_: Name | None = Field(None, alias="from")
    """Node that sends; default: every one."""
    to: Name | None = None
    """Node that receives; default: every one."""
    probability: float = Field(ge=0, le=1)
    """Probability that a data frame (MPDU) or a `BlockAckReq` is lost, each time it is sent."""


def _capture(value: Any) -> Any:
    return None if value in ("off", None) else RATIO.read(value)


def _permittivity(value: Any) -> Any:
    return None if value == "total" else value


# Models of propagation, and the keys that only some of them have.
PROPAGATIONS = {
    "rssi": ("rssi", "link"),
    "free_space": (),
    "log_distance": ("exponent", "reference_loss", "reference_distance"),
    "two_ray": ("permittivity",),
    "itu_indoor": ("coefficient", "floor_loss", "floor_height"),
    "multi_wall": ("exponent", "reference_loss", "wall"),
}
Propagation = Literal["rssi", "free_space", "log_distance", "two_ray", "itu_indoor", "multi_wall"]


class Channel(Part):
    """What happens between antennas: `[channel]`."""

    propagation: Propagation = "rssi"
    """Mean received power: given (`rssi`), or computed from positions and transmit powers: Friis
    (`free_space`), `log_distance`, ground reflection (`two_ray`), ITU-R P.1238 (`itu_indoor`), log-distance
    and walls (`multi_wall`).
    """
    rssi: ReceivedDbm = written("-45 dBm")
    """`rssi`: received power of every pair that is not named."""
    link: list[RssiPair] = Field([])
    """`rssi`: pairs that differ: `[[channel.link]]`."""
    exponent: float | None = Field(None, ge=0, le=10, allow_inf_nan=False)
    """Path loss exponent; default: 3 in `log_distance`, 2 in `multi_wall`, whose walls add to it."""
    reference_distance: DistanceM = written("1 m")
    """`log_distance`: reference distance; shorter distances count as this one."""
    reference_loss: RatioDb | None = None
    """Path loss at the reference distance (`multi_wall`: at 1 m), of all cells; default: free space at the
    frequency of each cell, 20 log10(4 pi d f / c), which is 40.1 dB at 1 m and 2412 MHz, 46.7 dB at 5180 MHz.
    """
    permittivity: Annotated[float | None, BeforeValidator(_permittivity)] = Field(15.0, ge=1, le=1e4)
    """`two_ray`: relative permittivity of the ground (average ground: 15), or `"total"` reflection."""
    coefficient: float = Field(30.0, ge=0, le=1000)
    """`itu_indoor`: N (offices at 2 GHz: 30; ITU-R P.1238-7, table 2)."""
    floor_loss: list[RatioDb] = written(["15 dB", "19 dB", "23 dB"])
    """`itu_indoor`: loss of 1, 2, 3... floors between (offices at 2 GHz: 15 + 4 (n - 1) dB; ITU-R P.1238-7,
    table 3); more count as the last.
    """
    floor_height: DistanceM = written("3 m")
    """`itu_indoor`: height of a floor."""
    wall: list[Wall] = Field([])
    """`multi_wall`: the floor plan: `[[channel.wall]]`."""
    shadowing: Shadowing | None = None
    """Log-normal shadowing: `[channel.shadowing]`; default: none."""
    fading: Fading | None = None
    """Block fading or tapped delay lines: `[channel.fading]`; default: none."""
    trace: list[Trace] = Field([])
    """Recordings of links: `[[channel.trace]]`."""
    loss: list[Loss] = Field([])
    """Fixed loss of data frames: `[[channel.loss]]`."""
    reception: Literal["ideal", "table", "nist"] = "ideal"
    """`ideal`: a frame is lost only by collision. `table`: also by the packet error rate at its signal to
    interference and noise ratio, mode and length. `nist`: by ns-3's older formula (Pei and Henderson, 2010).
    """
    code: Literal["bcc", "ldpc"] = "bcc"
    """Code of HT and VHT data frames, with `table`; older formats have BCC, newer ones LDPC."""
    capture: Annotated[float | None, BeforeValidator(_capture), RATIO] = written("10 dB")
    """A receiver leaves a frame for a later one that is stronger by this much, as measured with Atheros cards
    (Lee et al., WiNTECH 2007); with `ideal` reception a frame that is stronger than all that overlaps it by
    as much is received. `"off"`: a receiver stays with the first, and with `ideal` reception whatever
    overlaps is lost.
    """
    carrier_sense: ReceivedDbm | None = None
    """Weakest signal that makes the medium busy, by its power in the primary 20 MHz; default: -82 dBm (IEEE
    802.11-2020, 17.3.10.6), which is -76 dBm in 80 MHz; with 11ad alone -68 dBm (table 20-3: sensitivity of
    MCS 1).
    """
    sensitivity: ReceivedDbm | None = None
    """Weakest signal that a receiver can synchronise to; error rates decide about what is stronger. Default:
    4 dB above the noise in 20 MHz (-89.97 dBm with a noise figure of 7 dB), with 11ad alone -78 dBm, or
    `carrier_sense` if that is lower. Access points and their stations, and mesh stations, sense each other
    from this level on; `carrier_sense` is the level for all others.
    """
    energy_detection: ReceivedDbm | None = None
    """Weakest power of any kind in its primary 20 MHz that makes the medium busy for a radio: of a signal
    that overlaps its channel in part, or leaks into it. Default: -62 dBm (IEEE 802.11-2020, 17.3.10.6), or
    `carrier_sense` if that is higher.
    """
    midpacket_detection: ReceivedDbm | None = None
    """Weakest power of a signal in its primary 20 MHz that makes the medium busy for a radio which missed the
    start of it, since it was sending or receiving something else. Default, and at most: `energy_detection`
    (IEEE 802.11-2020, 17.3.10.6). ns-3 senses such signals from `carrier_sense` on.
    """
    preamble_detection: Annotated[LengthNs, Field(le=16_000)] = written("4 us")
    """Time in which a receiver detects a preamble (IEEE 802.11-2020, 17.3.10.6). Of PPDUs that start within
    it, the receiver takes the strongest. At most 16 us, the length of the training sequence.
    """
    noise_figure: RatioDb = Field(written("7 dB"), ge=0)
    """Noise figure of every receiver."""
    update: LengthNs = written("100 ms")
    """Time between updates of positions while radios move."""
