"""Cells whose upper MAC is the kernel's mac80211: what only they can have."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.scenario.keys.parts import Name, Part
from airtcp.scenario.values.units import AmountBytes
from airtcp.wrong_values import in_toml

# Of a WPA passphrase (IEEE 802.11-2020, J.4); hostapd and wpa_supplicant hold passwords of SAE to the same.
PASSPHRASE_LEAST, PASSPHRASE_MOST = 8, 63
SSID_BYTES_MOST = 32  # IEEE 802.11-2020, 9.4.2.2

_PASSPHRASE = "correct horse battery"


def _printable(value: Any) -> Any:
    if isinstance(value, str) and not all(" " <= letter <= "~" for letter in value):
        raise ValueError(f"{in_toml(value)} has characters that are not printable ASCII")
    return value


def _passphrase(value: Any) -> Any:
    if isinstance(value, str) and not PASSPHRASE_LEAST <= len(value) <= PASSPHRASE_MOST:
        length = f"{PASSPHRASE_LEAST} to {PASSPHRASE_MOST} characters"
        raise ValueError(f"a passphrase has {length} (IEEE 802.11-2020, J.4), not {len(value)}")
    return _printable(value)


def _ssid(value: Any) -> Any:
    if isinstance(value, str) and not 1 <= len(value.encode()) <= SSID_BYTES_MOST:
        raise ValueError(f"an SSID has 1 to {SSID_BYTES_MOST} octets (IEEE 802.11-2020, 9.4.2.2)")
    return _printable(value)


def _line(value: Any) -> Any:
    if isinstance(value, str) and not value.strip():
        raise ValueError("the line is empty")
    return _printable(value)


Passphrase = Annotated[str, BeforeValidator(_passphrase)]
Ssid = Annotated[str, BeforeValidator(_ssid)]
Line = Annotated[str, BeforeValidator(_line)]
Security = Literal["open", "wpa2", "wpa3"]


class TxqSettings(Part):
    """Limits of mac80211's queues: `[wifi.NAME.txq]`. Without them mac80211's own hold."""

    packets: int | None = Field(None, ge=1, le=2**31)
    """Most packets in all queues of a radio (mac80211: 8192)."""
    memory: AmountBytes | None = None
    """Most bytes in them (mac80211: 16 MiB, and 4 MiB without VHT)."""
    quantum: AmountBytes | None = None
    """Quantum of a flow (mac80211: 300 B)."""


class BssSettings(Part):
    """A further network on the radio of the access point: `[[wifi.NAME.bss]]`."""

    ssid: Ssid
    """Name of the network."""
    stations: list[Name] = Field(min_length=1)
    """Nodes that are its stations."""
    security: Security = "open"
    """Authentication and encryption, as of a cell."""
    passphrase: Passphrase = _PASSPHRASE
    """Passphrase of the network, as of a cell."""
    network: Literal["own", "shared"] = "own"
    """`own`: its interface is a port of a bridge of its own at the access point (`br1`, `br2`, ...), with the
    `wires`. `shared`: of the access point's bridge.
    """
    wires: list[Name] = Field([])
    """Nodes whose wires to the access point belong to this network."""
    isolated: bool = False
    """The access point forwards no frames between its stations."""


class LinuxSettings(Part):
    """Settings of a cell that only `mac = "linux"` has."""

    setup: Literal["direct", "daemons", "programs"] | None = None
    """What sets up the network: `direct` (airtcp itself, by nl80211: fast, open networks), `daemons`
    (hostapd and wpa_supplicant of this machine), or `programs` (those of a [privileged
    guest](../how-to/lab.md): the cell has no access point, its radios begin without a network, and `stations`
    may name a node several times). Default: `direct`, and `daemons` where there is `security` or an `ssid` of
    several cells.
    """
    security: Security = "open"
    """Open network, WPA2-Personal (PSK, CCMP) or WPA3-Personal (SAE)."""
    passphrase: Passphrase = _PASSPHRASE
    """Passphrase of WPA2, password of WPA3."""
    ssid: Ssid | None = None
    """Name of the network (the mesh ID in a mesh); default: the cell's. Cells with one `ssid` are one network
    in which stations may roam.
    """
    airtime_fairness: bool = True
    """Stations share airtime equally, not frames. Default: `true`, and as the driver has it with a `card`."""
    aql: bool = True
    """Airtime queue limits. Default: `true`, and as the driver has it with a `card`."""
    prefetch: int = Field(0, ge=0, le=8)
    """PPDUs that a radio holds ready beside the one on the air; 0: a PPDU is pulled from mac80211 when the
    medium is won. Real chips hold one or two more.
    """
    dtim: int = Field(2, ge=1, le=255)
    """Beacons from one DTIM to the next (hostapd: 2)."""
    power_save: bool = False
    """Stations sleep between beacons, as Linux lets them by default."""
    uapsd: bool = False
    """U-APSD: sleeping stations fetch frames by sending one."""
    hardware_crypto: bool = True
    """Encryption costs octets on the air and no computing, as with a NIC that does it; `false`: the guest's
    kernel encrypts, and a run takes 15 times the computing time.
    """
    txq: TxqSettings = TxqSettings()
    """Limits of mac80211's queues: `[wifi.NAME.txq]`."""
    bss: list[BssSettings] = Field([], max_length=15)
    """Further networks on the radio of the access point (several BSSs): `[[wifi.NAME.bss]]`."""
    monitors: list[Name] = Field([], max_length=16)
    """Nodes with a radio in monitor mode on the cell's channel, for `tcpdump` and the like."""
    hostapd: list[Line] = Field([])
    """Lines for the end of hostapd's configuration."""
    wpa_supplicant: list[Line] = Field([])
    """Lines for the `network` block of wpa_supplicant's configuration."""
