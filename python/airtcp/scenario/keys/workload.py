"""What applications send and ask for over TCP: `[[flow]]`, `[[request]]`, `[[web]]`, `[[video]]`.

`docs/models/workloads.md` defines them. In all of them `from` is the node that the data comes from, `to` the
node that gets it.

The defaults of `[[web]]` are the web browsing model of 3GPP TR 25.892 and of NGMN (Radio Access Performance
Evaluation Methodology, 2008): main objects log-normal with a mean of 10710 bytes and a standard deviation of
25032, from 100 B to 2 MB; embedded ones with 7758 and 126168, from 50 B to 2 MB (of a log-normal distribution
with mean m and deviation s, the median is m / sqrt(1 + (s/m)^2) and sigma^2 = ln(1 + (s/m)^2)); their number
Pareto with shape 1.1 and scale 2, at most 55, less the scale (5.64 on average); parsing exponential with a
mean of 0.13 s, reading with 30 s. A request of 350 bytes is theirs, too. It is a model of pages of its time:
those of today are larger.
"""

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from airtcp.kernels.table import CONGESTION_CONTROLS
from airtcp.scenario.keys.congestion_control import CongestionControl
from airtcp.scenario.keys.parts import NODE_NAMES_ARE, Name, NodeNames, Part, written
from airtcp.scenario.values.dscp import Dscp
from airtcp.scenario.values.units import AmountBytes, LengthNs, RateBps, TimeNs
from airtcp.scenario.values.variate import Count, Size, Span

REQUEST_BYTES_LEAST = 8  # REQUEST_BYTES_MIN of the plan crate


def _request_bytes(value: int) -> int:
    if value < REQUEST_BYTES_LEAST:
        raise ValueError(
            f'is too short: a request holds the length of its answer; write "{REQUEST_BYTES_LEAST} B"'
        )
    return value


def _rising(rates_bps: list[int]) -> list[int]:
    if not rates_bps:
        raise ValueError('the list is empty; write for example ["1 Mbit/s"]')
    if any(low >= high for low, high in pairwise(rates_bps)):
        raise ValueError("rates must rise; write them from the lowest to the highest")
    return rates_bps


RequestBytes = Annotated[AmountBytes, AfterValidator(_request_bytes)]
Rates = Annotated[list[RateBps], AfterValidator(_rising)]
Times = Annotated[int, Field(ge=1, le=10_000_000)]


class TcpSettings(Part):
    """What every TCP connection has. At most one of `stop` and `duration`; default: until the run ends."""

    name: Name | None = None
    """Default: `FROM-TO`, with a number if taken."""
    from_: NodeNames = Field(alias="from", description=f"Node that the data comes from. {NODE_NAMES_ARE}")
    to: NodeNames
    """Node that gets it, likewise."""
    cca: CongestionControl = Field(
        "cubic",
        description=f"Congestion control of the sender: {', '.join(CONGESTION_CONTROLS)}; or one of your own "
        "that `kernel` names.",
    )
    start: TimeNs = written("0 s")
    """When the connection is made."""
    stop: LengthNs | None = None
    """Time after which nothing is written or requested."""
    duration: LengthNs | None = None
    """Time from `start` to the stop, instead of `stop`."""
    ip: Literal[4, 6] = 4
    """Version of IP. With 6, all nodes have addresses of both versions."""
    port: int | None = Field(None, ge=1, le=65535)
    """Port of the end that listens; default: 5001 and up, in the order of connections."""
    pacing: RateBps | None = None
    """The sender's rate is limited to this (`SO_MAX_PACING_RATE`)."""
    dscp: Dscp | None = None
    """Code point of both ends' packets, as a number or a name such as `AF41`; the radio makes it a user
    priority.
    """


class FlowSettings(TcpSettings):
    """A bulk transfer, or bursts: `[[flow]]`. `from` connects to `to` and writes."""

    bytes: AmountBytes | None = None
    """Amount of data after which it ends, instead of `stop` or `duration`."""
    low_water: AmountBytes | None = None
    """The receiver reads when so much is there (`SO_RCVLOWAT`), and acknowledges every second segment;
    default: as soon as anything is, with one acknowledgement for what came at once.
    """
    on: Span | None = None
    """Length of a burst; with `off`."""
    amount: Size | None = None
    """Size of a burst, instead of `on`."""
    off: Span | None = None
    """Silence after each burst."""


class RequestSettings(TcpSettings):
    """Requests and answers over one connection: `[[request]]`. `to` connects to `from` and asks."""

    request: RequestBytes = written("200 B")
    """Size of a request, at least 8 B."""
    response: Size
    """Size of an answer."""
    think: Span = written("0 s")
    """Time from an answer to the next request."""
    count: Times | None = None
    """Number of requests; default: until `stop`."""


class WebSettings(TcpSettings):
    """Web pages over one connection: `[[web]]`. `to` connects to `from`. Defaults: 3GPP TR 25.892."""

    request: RequestBytes = written("350 B")
    """Size of the request for one object, at least 8 B."""
    page: Size = written({"lognormal": "4213 B", "sigma": 1.366, "least": "100 B", "most": "2 MB"})
    """Size of a page's main object."""
    objects: Count = written({"pareto": 2, "shape": 1.1, "most": 55, "less": 2})
    """Number of objects embedded in it."""
    object: Size = written({"lognormal": "476 B", "sigma": 2.3625, "least": "50 B", "most": "2 MB"})
    """Size of an embedded object."""
    parse: Span = written({"exponential": "130 ms"})
    """Time from the main object to the requests for the embedded ones, all at once."""
    reading: Span = written({"exponential": "30 s"})
    """Time from a page to the next."""
    count: Times | None = None
    """Number of pages; default: until `stop`."""


class VideoSettings(TcpSettings):
    """Adaptive streaming over one connection, as DASH has it: `[[video]]`. `to` plays what `from` has."""

    request: RequestBytes = written("350 B")
    """Size of a request, at least 8 B."""
    segment: LengthNs = written("4 s")
    """Playing time of a segment."""
    rates: Rates
    """Rates in which the film is available, from the lowest to the highest."""
    startup: LengthNs = written("4 s")
    """Buffer level at which playing begins."""
    resume: LengthNs = written("4 s")
    """Buffer level at which playing continues after a stall."""
    buffer: LengthNs = written("30 s")
    """Buffer level above which no segment is requested."""
    adaptation: Literal["buffer", "throughput"] = "buffer"
    """How the rate of the next segment is chosen: by the level of the buffer (BBA-0) or by the throughput of
    the last five segments. One rate needs no choice.
    """
    safety: float = Field(0.85, gt=0, le=1)
    """Part of the throughput, with `throughput`, that the rate must stay below (FESTIVE)."""
    length: LengthNs | None = None
    """Playing time of the film; default: it has no end."""
