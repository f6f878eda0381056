"""What enters a network while it runs: the inputs of a session."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from airtcp.scenario.keys.congestion_control import CongestionControl
from airtcp.scenario.keys.parts import COMMAND_CHARS_MOST, Name, Part, written
from airtcp.scenario.keys.wires import WireRate
from airtcp.scenario.values.units import AmountBytes, CoordinateM, LengthNs, ReceivedDbm, TimeNs

# Most bytes of one input (SESSION_DATA_BYTES_MAX of the plan crate).
DATA_BYTES_MOST = 1 << 13


class StartSettings(Part):
    """A command that starts in a node."""

    node: Name
    """Node it runs in."""
    command: str = Field(min_length=1, max_length=COMMAND_CHARS_MOST)
    """Command line for `/bin/sh -c`."""
    terminal: Annotated[list[int], Field(min_length=2, max_length=2)] | None = None
    """Lines and columns of its terminal; default: it has pipes."""


class SessionFlowSettings(Part):
    """A TCP flow that starts: a bulk transfer, as `[[flow]]` has."""

    from_: Name = Field(alias="from", description="The node that sends.")
    to: Name
    """The node that receives."""
    cca: CongestionControl = "cubic"
    """Congestion control of the sender."""
    size: AmountBytes | None = None
    """How much is sent; default: without end."""
    length: LengthNs | None = None
    """How long is sent, by the sender's clock; default: until the flow is stopped by `close_input`."""
    port: int | None = Field(None, ge=1, le=65535)
    """Port of the receiver; default: one that is free."""


class LinkSettings(Part):
    """An interface that is switched on or off."""

    node: Name
    """Node of the interface."""
    interface: str
    """Name of the interface in the node."""
    up: bool
    """Whether the interface is on from then on."""


class WireEndSettings(Part):
    """How an end of a wire sends."""

    node: Name
    """The node of this end."""
    interface: str
    """Interface at this end of the wire."""
    rate: WireRate = written("1000 Mbit/s")
    """Rate from then on, or `"unlimited"`."""
    delay: TimeNs = written("0 ms")
    """One-way propagation delay from then on."""


class MoveSettings(Part):
    """A radio that is elsewhere, at once."""

    node: Name
    """Node of the radio."""
    interface: str | None = None
    """Interface of the radio; needed if the node has several radios."""
    position: Annotated[list[CoordinateM], Field(min_length=3, max_length=3)]
    """Position of the radio from then on; the third coordinate is the height."""


class RssiSettings(Part):
    """The power with which one radio receives another."""

    from_: Name = Field(alias="from", description="The node that sends.")
    to: Name
    """The node that receives."""
    rssi: ReceivedDbm
    """The power from then on."""


class LossSettings(Part):
    """The loss of data frames from one radio to another."""

    from_: Name = Field(alias="from", description="The node that sends.")
    to: Name
    """The node that receives."""
    probability: float = Field(ge=0, le=1)
    """Probability that a data frame (MPDU) is lost from then on, each time it is sent."""


def _within_limit(value: Any) -> Any:
    if isinstance(value, str) and len(value.encode()) > DATA_BYTES_MOST:
        raise ValueError(f"has more than {DATA_BYTES_MOST} bytes; split it into several inputs")
    return value


class SessionSettings(Part):
    """What enters the network at an instant: `[[session]]`. The `save` of a session writes these tables.

    Each has one of the keys from `start` to `end`. Inputs of one instant enter in their order.
    """

    at: TimeNs
    """Time of the input."""
    job: int | None = Field(None, ge=0, le=2**32 - 1)
    """Number of the job that it starts, or that it is for; default: a new one, or that of the last start."""
    start: StartSettings | None = None
    """Starts a command: `{ node = "sta1", command = "ping h1" }`."""
    flow: SessionFlowSettings | None = None
    """Starts a TCP flow: `{ from = "sta1", to = "h1", cca = "bbr" }`."""
    write: Annotated[str, BeforeValidator(_within_limit)] | None = None
    """Writes this text to the standard input of the job, or types it on its terminal."""
    write_base64: str | None = None
    """Bytes to write to the standard input, in base64."""
    close_input: bool | None = None
    """Ends the standard input of the job. A flow stops: what it has written is still delivered."""
    resize: Annotated[list[int], Field(min_length=2, max_length=2)] | None = None
    """Lines and columns of the job's terminal."""
    signal: int | None = Field(None, ge=1, le=64)
    """Sends the job, and all that it has started, the signal of this number."""
    link: LinkSettings | None = None
    """Switches an interface on or off: `{ node = "sta1", interface = "wlan0", up = false }`."""
    wire: WireEndSettings | None = None
    """Changes an end of a wire: `{ node = "ap1", interface = "eth0", rate = "5 Mbit/s", delay = "5 ms" }`."""
    move: MoveSettings | None = None
    """Moves a radio: `{ node = "sta1", position = ["3 m", "4 m", "1 m"] }`."""
    rssi: RssiSettings | None = None
    """Fixes the power from one radio at another: `{ from = "sta1", to = "ap1", rssi = "-70 dBm" }`."""
    loss: LossSettings | None = None
    """Fixes the loss from one radio to another: `{ from = "sta1", to = "ap1", probability = 0.1 }`."""
    end: bool | None = None
    """Ends the run."""

    @model_validator(mode="after")
    def _one_act(self) -> "SessionSettings":
        acts = [name for name in ACTS if getattr(self, name) is not None]
        if len(acts) != 1:
            found = f"has {' and '.join(acts)}" if acts else "does nothing"
            raise ValueError(f"{found}; give it one of {', '.join(ACTS)}")
        return self


# The keys that say what an input does.
ACTS = tuple(name for name in SessionSettings.model_fields if name not in ("at", "job"))
