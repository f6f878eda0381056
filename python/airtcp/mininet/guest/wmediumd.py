"""`wmediumd`: takes places, powers and signal-to-noise ratios of radios, and gives them to the modelled air.

It reads the configuration and answers the requests (a Unix socket) that Mininet-WiFi makes of wmediumd. What
it makes of them is the mean power with which each radio receives each other; losses follow from the air.
"""

import contextlib
import json
import random
import re
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from airtcp.mininet.guest import path_loss

SOCKET = "/var/run/wmediumd.sock"
AIR = "/run/airtcp-air"
STARTED = Path("/run/airtcp-wmediumd")
"""Is there once a program has started it."""
NOISE_DBM = -91.0
"""Noise of radios in wmediumd: ratios of signal to noise are over it."""
LOOK_S = 1.0
"""How often addresses are looked for that no radio has: all namespaces are asked."""
SILENCE_DBM = -150.0
"""Power of what can't be received."""
NEAR_DBM = -45.0
"""Power of links of which only the loss is given, and of all without wmediumd."""
UNLINKED_DB = -10.0
"""Ratio between radios for which none is given, as Mininet-WiFi has it."""

FADING_S = 0.1
"""How long a link keeps what fading adds. In wmediumd each frame has another; the air takes mean powers."""

_ALL_GIVEN, _NOT_FOUND, _DUPLICATE, _WRONG_MODE = range(4)
# Requests by their types: the name, and the fields after the type. Responses have the type after, repeat the
# request, and end with a result.
_REQUESTS = {
    1: ("snr", "6s6si"),
    3: ("delete_mac", "6s"),
    5: ("delete_number", "i"),
    7: ("add", "6s"),
    9: ("errprob", "6s6si"),
    11: ("specprob", "6s6s144i"),
    13: ("position", "6sfff"),
    15: ("tx_power", "6si"),
    17: ("gain", "6si"),
    19: ("height", "6si"),
    21: ("gaussian", "6sf"),
    23: ("medium", "6si"),
}

# What requests change of a radio's place, by the names above.
_OF_PLACES = {
    "tx_power": "tx_power_dbm",
    "gain": "gain_dbi",
    "height": "height_m",
    "gaussian": "shadowing_db",
}
# Error probabilities are parts of this, and negative: Mininet-WiFi's fixed point overflows at one.
_ONE = 1 << 31


class Air:
    """The guest's air: powers between radios, which are found by their addresses."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.connect(AIR)
        self._numbers: dict[str, int] = {}
        self._next_look_s = 0.0
        self._told: dict[tuple[str, int | None, int | None], dict[str, float]] = {}

    def number_of(self, mac: str) -> int | None:
        """The number of the radio that has this address in whatever namespace; `None`: there is none."""
        if mac not in self._numbers and time.monotonic() >= self._next_look_s:
            self._numbers = _addresses()
            self._next_look_s = time.monotonic() + LOOK_S
        return self._numbers.get(mac)

    def set_power(self, sender: str, receiver: str, power_dbm: float) -> None:
        """From now on one radio receives another with this mean power."""
        self._change(sender, receiver, "rssi", rssi_dbm=round(max(power_dbm, SILENCE_DBM), 3))

    def set_loss(self, sender: str, receiver: str, probability: float) -> None:
        """From now on data frames from one radio to another are lost with this probability."""
        self._change(sender, receiver, "loss", probability=min(max(probability, 0.0), 1.0))

    def forget(self) -> None:
        """Makes the air what it was: all radios receive each other, and nothing is lost."""
        for kind, sender, receiver in self._told:
            value = {"rssi_dbm": NEAR_DBM} if kind == "rssi" else {"probability": 0.0}
            self._send(kind, sender, receiver, value)
        self._told.clear()

    def _change(self, sender: str, receiver: str, kind: str, **value: float) -> None:
        """Tells the air what has changed between two radios that there are."""
        ends = self.number_of(sender), self.number_of(receiver)
        if None in ends or ends[0] == ends[1] or self._told.get((kind, *ends)) == value:
            return
        self._told[kind, *ends] = value
        self._send(kind, *ends, value)

    def _send(self, kind: str, sender: int | None, receiver: int | None, value: dict[str, float]) -> None:
        act = {"kind": kind, **value, "from": sender, "to": receiver}
        self._socket.send(json.dumps(act).encode())


def _addresses() -> dict[str, int]:
    """The numbers of the radios by the addresses of their interfaces, in all namespaces."""
    found: dict[str, int] = {}
    for namespace in _namespaces():
        command = ["nsenter", f"--net={namespace}", "iw", "dev"]
        listed = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        number = 0
        for line in listed.splitlines():
            if wiphy := re.match(r"phy#(\d+)", line):
                number = int(wiphy[1])
            elif address := re.match(r"\s+addr (\S+)", line):
                found[address[1]] = number
    return found


def _namespaces() -> list[Path]:
    """One file of each network namespace that a process is in or that has a name."""
    files = [*Path("/proc").glob("[0-9]*/ns/net"), *Path("/run/netns").iterdir()]
    by_number: dict[int, Path] = {}
    for file in files:
        # A process may have ended.
        with contextlib.suppress(OSError):
            by_number.setdefault(file.stat().st_ino, file)
    return list(by_number.values())


class Radio:
    """What is known of a radio."""

    def __init__(self, mac: str) -> None:
        self.mac = mac
        self.place = path_loss.Place()
        self.medium = 0


class Medium:
    """The radios, and how they receive each other."""

    def __init__(self, air: Air) -> None:
        self._air = air
        self.radios: list[Radio] = []
        self.model: path_loss.Model | None = None
        self.ratios_db: dict[tuple[str, str], float] = {}
        self.losses: dict[tuple[str, str], float] | None = None
        """Error probabilities of links, where the configuration has them."""
        self.noise_dbm = NOISE_DBM
        """Noise of receivers in dBm, with path loss."""
        self.fading_db = 0.0
        """Fading with path loss, in dB: standard deviation of what fading adds to the power of a link."""
        # Of a fixed seed, as all of a run is: wmediumd draws from the C library without seeding it.
        self._random = random.Random(1)
        self._next_fading_s = 0.0

    def radio(self, mac: str) -> Radio | None:
        """The radio of this address."""
        return next((radio for radio in self.radios if radio.mac == mac), None)

    def tell_all(self) -> None:
        """Tells the air how all radios receive each other."""
        for radio in self.radios:
            self.tell(radio)

    def tell(self, radio: Radio) -> None:
        """Tells the air how a radio receives the others, and they it."""
        for other in self.radios:
            if other is not radio:
                for sender, receiver in ((radio, other), (other, radio)):
                    self._air.set_power(sender.mac, receiver.mac, self._power_dbm(sender, receiver))
                    if self.losses is not None:
                        lost = self.losses.get((sender.mac, receiver.mac), 0.0)
                        self._air.set_loss(sender.mac, receiver.mac, lost)

    def fade(self) -> None:
        """Draws anew what fading adds to each link, if it is time."""
        if time.monotonic() >= self._next_fading_s:
            self._next_fading_s = time.monotonic() + FADING_S
            self.tell_all()

    def _power_dbm(self, sender: Radio, receiver: Radio) -> float:
        if sender.medium != receiver.medium:
            return SILENCE_DBM
        if self.losses is not None:
            return NEAR_DBM if (sender.mac, receiver.mac) in self.losses else SILENCE_DBM
        if self.model is not None:
            # Receivers of the air have one noise. The ratio to it counts, so the power is less by what the
            # noise of the configuration is more.
            over_noise_db = self.model.received_dbm(sender.place, receiver.place) - self.noise_dbm
            return NOISE_DBM + over_noise_db + self._random.gauss(0.0, self.fading_db)
        return NOISE_DBM + self.ratios_db.get((sender.mac, receiver.mac), UNLINKED_DB)


def _number(config: str, name: str, usual: float) -> float:
    found = re.search(rf"\b{name}\s*=\s*(-?\d+(?:\.\d+)?)\s*;", config)
    return float(found[1]) if found else usual


def _list_of(config: str, name: str) -> str:
    found = re.search(rf"\b{name}\s*=\s*[\[(](.*?)[\])]\s*;", config, re.DOTALL)
    return found[1] if found else ""


def _numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", text)]


def read_config(config: str, air: Air) -> Medium:
    """The medium of a configuration file."""
    medium = Medium(air)
    medium.radios = [
        Radio(mac.lower()) for mac in re.findall(r'"([0-9A-Fa-f:]{17})"', _list_of(config, "ids"))
    ]
    kind = re.search(r'\btype\s*=\s*"(\w+)"', config)
    for number, group in enumerate(re.findall(r"\(([^()]*)\)", _list_of_groups(config, "medium_array"))):
        for member in _numbers(group):
            medium.radios[int(member)].medium = number + 1
    links = medium.ratios_db
    if kind and kind[1] == "prob":
        links = medium.losses = {}
    for first, second, value in _triples(_list_of_groups(config, "links")):
        links[medium.radios[int(first)].mac, medium.radios[int(second)].mac] = value
    if kind and kind[1] == "path_loss":
        medium.model = path_loss.Model.of(config)
        for radio, position in zip(
            medium.radios, _triples(_list_of_groups(config, "positions")), strict=False
        ):
            radio.place.position_m = position
        for radio, power in zip(medium.radios, _numbers(_list_of(config, "tx_powers")), strict=False):
            radio.place.tx_power_dbm = power
        medium.noise_dbm = _number(config, "noise_threshold", NOISE_DBM)
        medium.fading_db = _number(config, "fading_coefficient", 0.0)
    return medium


def _list_of_groups(config: str, name: str) -> str:
    found = re.search(rf"\b{name}\s*=\s*\((.*?)\)\s*;", config, re.DOTALL)
    return found[1] + ")" if found else ""


def _triples(text: str) -> list[tuple[float, float, float]]:
    triples = []
    for group in re.findall(r"\(([^()]*)\)", text):
        first, second, third = _numbers(group)
        triples.append((first, second, third))
    return triples


def _mac(octets: bytes) -> str:
    return octets.hex(":")


class Requests(socketserver.BaseRequestHandler):
    """One client: requests one after the other."""

    medium: Medium

    def handle(self) -> None:
        """Until the client has gone."""
        while kind := self._receive(1):
            if kind[0] not in _REQUESTS:
                return
            name, fields = _REQUESTS[kind[0]]
            request = struct.Struct("!" + fields)
            body = self._receive(request.size)
            values = request.unpack(body)
            answer = bytes([kind[0] + 1]) + (kind + body if name != "specprob" else body[:12])
            if name == "add":
                result, number = self._add(_mac(values[0]))
                answer += struct.pack("!i", number)
            else:
                result = self._apply(name, values)
            self.request.sendall(answer + bytes([result]))

    def _receive(self, size: int) -> bytes:
        received = b""
        while len(received) < size:
            chunk = self.request.recv(size - len(received))
            if not chunk:
                return b""
            received += chunk
        return received

    def _add(self, mac: str) -> tuple[int, int]:
        if self.medium.radio(mac):
            return _DUPLICATE, -1
        self.medium.radios.append(Radio(mac))
        self.medium.tell(self.medium.radios[-1])
        return _ALL_GIVEN, len(self.medium.radios) - 1

    def _apply(self, name: str, values: Sequence[Any]) -> int:
        if name == "delete_number":
            known = 0 <= values[0] < len(self.medium.radios)
            return self._delete(self.medium.radios[values[0]]) if known else _NOT_FOUND
        if name in ("snr", "errprob", "specprob"):
            return self._apply_to_link(name, [_mac(end) for end in values[:2]], values[2])
        radio = self.medium.radio(_mac(values[0]))
        if radio is None:
            return _NOT_FOUND
        if name == "delete_mac":
            return self._delete(radio)
        if name == "position":
            radio.place.position_m = tuple(values[1:])
        elif name == "medium":
            radio.medium = values[1]
        else:
            setattr(radio.place, _OF_PLACES[name], float(values[1]))
        self.medium.tell(radio)
        return _ALL_GIVEN

    def _apply_to_link(self, name: str, ends: Sequence[str], value: int) -> int:
        sender, receiver = (self.medium.radio(mac) for mac in ends)
        if sender is None or receiver is None:
            return _NOT_FOUND
        link = (sender.mac, receiver.mac)
        if name == "snr" and self.medium.losses is None:
            self.medium.ratios_db[link] = value
        elif name == "errprob" and self.medium.losses is not None:
            self.medium.losses[link] = -value / _ONE
        else:
            return _WRONG_MODE
        self.medium.tell(sender)
        return _ALL_GIVEN

    def _delete(self, radio: Radio) -> int:
        self.medium.radios.remove(radio)
        return _ALL_GIVEN


def main() -> None:
    """Reads the configuration, tells the air, and serves until it is killed."""
    words = sys.argv[1:]
    if "-c" not in words[:-1]:
        sys.exit("wmediumd: only configuration files (-c) are supported")
    config = Path(words[words.index("-c") + 1]).read_text(encoding="utf-8")
    Path(SOCKET).unlink(missing_ok=True)
    STARTED.touch()
    air = Air()

    def end(*_: object) -> None:
        air.forget()
        sys.exit()

    signal.signal(signal.SIGTERM, end)
    with socketserver.UnixStreamServer(SOCKET, Requests) as server:
        # Whoever connects waits meanwhile.
        Requests.medium = read_config(config, air)
        Requests.medium.tell_all()
        if Requests.medium.fading_db:
            server.service_actions = Requests.medium.fade  # type: ignore[method-assign]
            server.serve_forever(poll_interval=FADING_S)
        server.serve_forever(poll_interval=3600)
