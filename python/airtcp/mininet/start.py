"""The shell command that prepares the guest for a command of Mininet, runs it, and says what differed."""

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_START = """
export PATH="$SCENARIO_DIR/tools:$PATH:$SCENARIO_DIR/fallbacks"
export PYTHONPATH="$SCENARIO_DIR/tools/lib${{PYTHONPATH:+:$PYTHONPATH}}"
export MPLBACKEND=module://airtcp.mininet.guest.saved_figures PYTHONUNBUFFERED=1
# What a shell of root has. Terminals need the name of a display, also where each is a file.
export SHELL=/bin/bash HOME={home} USER=root LOGNAME=root TERM=${{TERM:-{term}}} DISPLAY=:0
mount -a -T "$SCENARIO_DIR/cgroups.fstab"
# sudo and login shells have a PATH of their own.
ln -s "$SCENARIO_DIR"/tools/[a-z]* /usr/local/sbin/ 2>/dev/null
echo {link_mbit_s} >{carried}/mbit_s
# Before scripts look which radios the machine has without mac80211_hwsim: none.
ls /sys/class/ieee80211/* >/dev/null 2>&1 && modprobe mac80211_hwsim radios=0
control=/usr/share/openvswitch/scripts/ovs-ctl
[ ! -x $control ] || $control --system-id=airtcp start >"$RUN_DIR/openvswitch.log" 2>&1 ||
    cat "$RUN_DIR/openvswitch.log" >&2
# Mininet's own installation makes this link, Debian's package does not.
command -v controller >/dev/null || ln -s /usr/bin/ovs-testcontroller /usr/local/bin/controller
# systemd makes this folder, without which sshd does not start.
mkdir -p /run/sshd
command -v python >/dev/null || ln -s /usr/bin/python3 /usr/local/bin/python
cd {folder} || exit
{command}
status=$?
echo $status >"$RUN_DIR/status"
if [ -e /run/airtcp-tc-left-out ]; then
    cp /run/airtcp-tc-left-out "$RUN_DIR/tc-left-out"
    echo "airtcp: $(wc -l <"$RUN_DIR/tc-left-out") changes of radios by tc were left out, which" \\
        "Mininet-WiFi makes for distances, bw and delay: rates and delays are those of the air." \\
        "programs/tc-left-out in the run folder lists them" >&2
fi
[ ! -e /run/airtcp-cpu-limits ] || echo "airtcp: limits of processor time (CPULimitedHost) have no effect:" \\
    "computing takes no virtual time" >&2
[ "$(cat {carried}/waited)" = 0 ] || echo "airtcp: links without bw were full: they carry" \\
    "{link_mbit_s} Mbit/s in each direction, in place of what the processor of a machine passes on." \\
    "Give them bw, or all of them another rate: airtcp mininet --link-rate '10 Gbit/s'" >&2
[ ! -d "$RUN_DIR/terminals" ] || echo "airtcp: there is no display: what terminals show is in" \\
    "programs/terminals of the run folder" >&2
{about_positions}keep-files {folder} {folders}
exit $status
"""
_CARRIED = "/sys/module/airtcp_carried/parameters"
# Words of Mininet-WiFi by which a script gives radios places.
_PLACES = re.compile(rb"\bposition\s*=|setPosition|[mM]obility")
_ABOUT_POSITIONS = """[ -e /run/airtcp-wmediumd ] || echo "airtcp: positions have no effect on the air" \\
    "without wmediumd: every radio receives every other at -45 dBm." \\
    "Add link=wmediumd, wmediumd_mode=interference to Mininet_wifi()" >&2
"""
LINK_MBIT_S = 1000
"""What a link without `bw` carries in each direction. With more, a virtual second takes many of real time."""


@dataclass(frozen=True)
class Command:
    """A command of Mininet and where it runs."""

    words: Sequence[str]
    folder: Path
    libraries: Sequence[Path] = ()
    """Folders of Python modules beside those of Debian."""
    link_mbit_s: int = LINK_MBIT_S
    """What links without `bw` carry; 0: without limit."""

    @property
    def scripts(self) -> list[Path]:
        """The words that are files of Python or a shell."""
        paths = [self.folder / word for word in self.words]
        return [path for path in paths if path.suffix in (".py", ".sh") and path.is_file()]

    def line(self) -> str:
        """The shell command that prepares the guest and then runs the command."""
        path = "".join(
            f"export PYTHONPATH={shlex.quote(str(one))}${{PYTHONPATH:+:$PYTHONPATH}}\n"
            for one in self.libraries
        )
        has_places = any(_PLACES.search(script.read_bytes()) for script in self.scripts)
        folders = dict.fromkeys(str(script.resolve().parent) for script in self.scripts)
        return path + _START.format(
            folder=shlex.quote(str(self.folder)),
            folders=shlex.join(folders),
            command=shlex.join(self.words),
            home=shlex.quote(str(Path.home())),
            term=shlex.quote(os.environ.get("TERM", "dumb")),
            link_mbit_s=self.link_mbit_s,
            carried=_CARRIED,
            about_positions=_ABOUT_POSITIONS if has_places else "",
        )
