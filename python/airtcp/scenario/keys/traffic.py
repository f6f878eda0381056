"""What a scenario sends and measures beside TCP: datagrams, pings, programs, sampling."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from airtcp.scenario.keys.parts import COMMAND_CHARS_MOST, NODE_NAMES_ARE, Name, NodeNames, Part, written
from airtcp.scenario.values.dscp import Dscp
from airtcp.scenario.values.units import AmountBytes, LengthNs, RateBps, TimeNs


def _interval(value_ns: int) -> int:
    if 0 < value_ns < SAMPLING_INTERVAL_LEAST_NS:
        raise ValueError('is shorter than "1 ms"; write "0 s" for none')
    return value_ns


SAMPLING_INTERVAL_LEAST_NS = 1_000_000  # SAMPLING_INTERVAL_MIN_NS of the plan crate
SampledNs = Annotated[TimeNs, AfterValidator(_interval)]


class StreamSettings(Part):
    """What every stream of datagrams has. At most one of `stop` and `duration`; default: the run's end."""

    name: Name | None = None
    """Default: `FROM-TO`, with a number if taken."""
    from_: NodeNames = Field(alias="from", description=f"Node that sends. {NODE_NAMES_ARE}")
    to: NodeNames
    """Node that receives, likewise."""
    start: TimeNs = written("0 s")
    """No datagram leaves before this time."""
    stop: LengthNs | None = None
    """Datagrams leave before this time; default: the run's end."""
    duration: LengthNs | None = None
    """Time from `start` to the end of sending, instead of `stop`."""
    ip: Literal[4, 6] = 4
    """Version of IP. With 6, all nodes have addresses of both versions."""
    port: int | None = Field(None, ge=1, le=65535)
    """Port of the receiver; default: 5001 and up, in the order of streams."""
    dscp: Dscp | None = None
    """Code point, as a number or a name such as `EF`; the radio makes it a user priority."""


class UdpSettings(StreamSettings):
    """UDP datagrams at a given rate: `[[udp]]`."""

    rate: RateBps
    """Mean rate of the payload."""
    payload: int = Field(1472, ge=8, le=65507)
    """Bytes after the UDP header; 1472 fill an IP packet of 1500."""
    pace: Literal["constant", "poisson"] = "constant"
    """Whether intervals are equal, or exponential (a Poisson process)."""
    phase: Literal["random", "none"] | None = None
    """When the first datagram of a constant pace leaves: `random`, the default, within one interval after
    `start`, at a time drawn from the seed, to desynchronise streams; `none`: at `start`.
    """


class VoipSettings(StreamSettings):
    """A telephone call: `[[voip]]`. Both ends send RTP packets of 20 ms while they talk.

    A side talks in spurts, with pauses in between, of exponential lengths. Their means are those of ITU-T
    P.59 (03/1993), table 1. Packets of 20 ms are the default of RFC 3551 (4.2) for both codecs.
    """

    codec: Literal["G.711", "G.729"] = "G.711"
    """64 kbit/s, 160 octets in a packet; or 8 kbit/s, 20 octets."""
    talk: LengthNs = written("1.004 s")
    """Mean length of a talk spurt; default: ITU-T P.59."""
    pause: TimeNs = written("1.587 s")
    """Mean length of a pause, likewise; `0 s`: without silence suppression, each end sends all the time."""
    dscp: Dscp | None = written("EF")
    """Code point of both ends' packets; RFC 4594 gives telephony `EF`."""


class PingSettings(Part):
    """ICMP echo requests at a fixed interval: `[[ping]]`."""

    name: Name | None = None
    """Default: `FROM-TO`, with a number if taken."""
    from_: NodeNames = Field(alias="from", description=f"Node that sends the requests. {NODE_NAMES_ARE}")
    to: NodeNames
    """Node that answers, likewise."""
    ip: Literal[4, 6] = 4
    """Version of IP. With 6, all nodes have addresses of both versions."""
    phase: Literal["random", "none"] = "random"
    """When the first request is sent: `random`, within one interval after `start`, at a time drawn from the
    seed, so that pings are not synchronised; `none`: at `start`.
    """
    start: TimeNs = written("0 s")
    """No request is sent before this time."""
    stop: LengthNs | None = None
    """Requests end before this time; default: the run's end."""
    interval: LengthNs = written("0.2 s")
    """Time between requests."""
    payload: int = Field(56, ge=8, le=65507)
    """Bytes after the ICMP header; 56 makes an IP packet of 84 bytes."""
    dscp: Dscp | None = None
    """Code point of requests, as a number or a name such as `EF`; answers repeat it. The radio makes it a
    user priority.
    """


class ProgramSettings(Part):
    """A command in a node: `[[program]]`. It begins in the scenario's folder, which is read-only."""

    name: Name | None = None
    """Name of its output files; default: `program1`..."""
    node: Name
    """Node it runs in."""
    command: str = Field(min_length=1, max_length=COMMAND_CHARS_MOST)
    """Command line for `/bin/sh -c`. `$RUN_DIR` is where it may write, `$SCENARIO_DIR` where it begins,
    `$NODE` its node.
    """
    files: list[str] = Field([])
    """Files of the scenario's folder that it needs, as patterns (`"www/**"`); those that its command names,
    and others of the same ending beside them, are there anyway.
    """
    start: TimeNs = written("0 s")
    """Start of the program."""
    stop: LengthNs | None = None
    """Time at which the program gets SIGTERM; default: at the end of the run."""
    must_succeed: bool = True
    """Whether an exit status other than 0 fails the run."""
    qlog: bool = False
    """Whether it gets `$QLOGDIR`, a folder of `$RUN_DIR` for the logs of its QUIC implementation (qlog);
    results have them as the series `quic`.
    """


class SamplingSettings(Part):
    """What is sampled: `[sampling]`. Intervals: `0 s` for none, else at least 1 ms. Traffic is the same."""

    flows: SampledNs = written("100 ms")
    """Interval of `tcp_info`, limits and byte counts of every flow."""
    qdiscs: SampledNs = written("100 ms")
    """Interval of backlog, drops and marks of every queueing discipline."""
    stations: SampledNs = written("100 ms")
    """Interval of mac80211's statistics of each peer of a radio: airtime, queues, airtime limits, rates,
    signal. Without cells of `mac = "linux"` there is none.
    """
    rates: SampledNs = written("1 s")
    """Interval of the kernel's `minstrel_ht` statistics of each rate to each peer. Without cells in which it
    chooses the rates there is none.
    """
    air: SampledNs = written("100 ms")
    """Interval of the air's counters."""
    acks: bool = False
    """Whether a sender's state is recorded at each segment it receives (`tcp:tcp_probe`)."""
    delays: bool = False
    """Whether the one-way delay of each packet of every flow is recorded."""
    ppdus: bool = False
    """Whether each PPDU on the air is recorded (large)."""
    sockets: bool = True
    """Whether TCP connections and UDP flows of programs are flows beside those of `[[flow]]`."""
    sockets_least: AmountBytes = written("64 kB")
    """Bytes that a connection must deliver in a direction, or a UDP flow, to be a flow."""
