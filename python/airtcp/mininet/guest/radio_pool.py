"""Radios of the guest that programs take one by one, as they would make radios of mac80211_hwsim.

Radio N is wiphy `airN` until it is taken. What is taken is noted in a folder, so that every program sees it.
"""

import os
import re
import subprocess
from pathlib import Path

TAKEN = Path("/run/airtcp-radios")
"""Holds a file for each radio that was taken: its number, with the name of its wiphy inside."""
GIVEN_BACK = Path("/run/airtcp-radios-given-back")
"""Holds the file of each radio that was taken and given back."""
_RADIOS = Path("/sys/kernel/debug/ieee80211")
DEBUGFS = Path(os.environ.get("AIRTCP_HWSIM_SIGNS", _RADIOS))
"""Folder in which scripts look for wiphys of mac80211_hwsim: those with a folder `hwsim`.

Programs that read what mac80211 itself has in debugfs get the signs in another folder.
"""

FIRST_CHANNEL_MHZ = "2412"
"""A channel that each radio has."""


class PoolError(Exception):
    """What a program asked for and the guest does not have."""


def output_of(*command: str) -> str:
    """What a command writes; `PoolError` if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PoolError(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout


def prepare() -> None:
    """Once, at the beginning: no radio has an interface, and none is one of mac80211_hwsim."""
    if TAKEN.is_dir():
        return
    if not _RADIOS.is_dir():
        raise PoolError("this guest has no radios; ask for them: airtcp mininet --radios N")
    for interface in re.findall(r"Interface (\S+)", output_of("iw", "dev")):
        output_of("iw", "dev", interface, "del")
    # In debugfs itself nothing can be made.
    DEBUGFS.mkdir(parents=True, exist_ok=True)
    output_of("mount", "-t", "tmpfs", "none", str(DEBUGFS))
    TAKEN.mkdir()
    GIVEN_BACK.mkdir()


def take(given_name: str | None = None) -> int:
    """Takes the next radio: its wiphy gets this name (`phyN`) and an interface. Returns its number."""
    prepare()
    known = {int(number) for number in re.findall(r"^Wiphy air(\d+)$", output_of("iw", "phy"), re.MULTILINE)}
    free = sorted(known - {int(path.name) for path in TAKEN.iterdir()})
    if not free:
        used = len(list(TAKEN.iterdir()))
        raise PoolError(
            f"all {used} radios of this guest are in use; ask for more: airtcp mininet --radios N"
        )
    number = free[0]
    name = given_name or f"phy{number}"
    (TAKEN / str(number)).write_text(name)
    output_of("iw", "phy", f"air{number}", "set", "name", name)
    interface = f"wlan{number}"
    output_of("iw", "phy", name, "interface", "add", interface, "type", "managed")
    if (GIVEN_BACK / str(number)).exists():
        _forget(name, interface)
    (DEBUGFS / name / "hwsim").mkdir(parents=True)
    return number


def _forget(wiphy: str, interface: str) -> None:
    """Makes a radio that was given back as a new one is: a station would join a network that is no more.

    cfg80211 keeps for 30 s what a wiphy heard. It drops it at the end of a scan that asks for this.
    """
    output_of("iw", "phy", wiphy, "set", "rts", "off")
    output_of("iw", "phy", wiphy, "set", "frag", "off")
    output_of("ip", "link", "set", interface, "up")
    output_of("iw", "dev", interface, "scan", "freq", FIRST_CHANNEL_MHZ, "flush", "passive")
    output_of("ip", "link", "set", interface, "down")


def release(name: str) -> None:
    """Gives the radio of this number or wiphy back."""
    for path in TAKEN.iterdir():
        wiphy = path.read_text()
        if name in (path.name, wiphy):
            for interface in re.findall(
                rf"^phy#{path.name}\n\tInterface (\S+)", output_of("iw", "dev"), re.M
            ):
                output_of("iw", "dev", interface, "del")
            output_of("iw", "phy", wiphy, "set", "name", f"air{path.name}")
            (DEBUGFS / wiphy / "hwsim").rmdir()
            (DEBUGFS / wiphy).rmdir()
            path.rename(GIVEN_BACK / path.name)
            return
    raise PoolError(f"{name}: no such radio")
