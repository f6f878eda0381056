"""Ways into machines: the command that starts an agent there."""

import shlex
from dataclasses import dataclass
from pathlib import Path

from airtcp.measurement.lab_file import LabNode

# A shell's part of copying the agent: it takes so many bytes from its standard input into a file of its own,
# in the first folder that allows programs, starts that, and removes it whatever happens. The agent removes it
# too, as soon as it runs. `head -c` reads no byte too many.
_COPY = """\
machine=$(uname -m)
[ "$machine" = {machine} ] || {{ echo "the machine is $machine, the agent is for {machine}" >&2; exit 65; }}
file=$(mktemp "${{TMPDIR:-/tmp}}/airtcp-agent.XXXXXX") || exit 73
trap 'rm -f "$file"' EXIT HUP INT TERM
head -c {size} >"$file" || exit 74
chmod 700 "$file"
for folder in "${{TMPDIR:-/tmp}}" /var/tmp "$HOME" /dev/shm; do
    [ "${{file%/*}}" = "$folder" ] || {{
        other=$(mktemp "$folder/airtcp-agent.XXXXXX") || continue
        mv -f "$file" "$other" && file=$other
    }}
    "$file" --version >/dev/null 2>&1 && {{ "$file" measure --remove-program; exit $?; }}
done
echo "no folder allows programs: ${{TMPDIR:-/tmp}}, /var/tmp, $HOME, /dev/shm" >&2
exit 77
"""
# Of the agent that is built here.
MACHINE = "x86_64"


@dataclass(frozen=True)
class WayIn:
    """The command that starts the agent on a machine."""

    command: list[str]
    program: bytes
    """Beginning of the standard input: the agent's own file, or nothing where it is there already."""

    @property
    def shown(self) -> str:
        """The command as a user would type it."""
        return shlex.join(self.command)


def way_in(node: LabNode, agent: Path) -> WayIn:
    """How the agent of a machine is started; `agent` is its file here."""
    if node.way == "local":
        return WayIn([str(agent), "measure"], b"")
    if node.way == "netns":
        # `ip netns exec` needs root; the agent inside runs as root then.
        root = ["sudo", "-n"] if node.sudo else []
        return WayIn([*root, "ip", "netns", "exec", str(node.netns), str(agent), "measure"], b"")
    program = agent.read_bytes()
    script = _COPY.format(machine=MACHINE, size=len(program))
    if node.way == "docker":
        return WayIn(["docker", "exec", "-i", "--", str(node.docker), "sh", "-c", script], program)
    # No terminal and no questions: what can't be answered must fail.
    return WayIn(["ssh", "-T", "-o", "BatchMode=yes", "--", str(node.ssh), script], program)


def as_root(node: LabNode, command: list[str]) -> list[str]:
    """A command that needs root, as this machine runs it."""
    return ["sudo", "-n", *command] if node.sudo else command
