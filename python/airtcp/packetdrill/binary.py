"""The program packetdrill: the user's build, and how a guest reaches it."""

import hashlib
import os
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.execution.host import GUESTS_OWN_FOLDERS
from airtcp.input_file import read_input
from airtcp.packetdrill.scripts import RUNNER, Script
from airtcp.plans.content import content_of
from airtcp.plans.types.plan import PlanFile

NAME = "packetdrill"
_BUILD = "./configure && make packetdrill CFLAGS=-g"
# Linked statically and with symbols it has 2 MB.
_BYTES_MOST = 64 << 20


@dataclass(frozen=True)
class Binary:
    """packetdrill: its path on this machine, the hash of its content, and the file that plans bring."""

    file: Path
    sha256: str
    brought: PlanFile | None

    @property
    def words(self) -> str:
        """How a shell in the guest starts it. The hash is there for the name of the run."""
        path = shlex.quote(str(self.file)) if self.brought is None else f'"$SCENARIO_DIR"/{NAME}'
        return f"PACKETDRILL_SHA256={self.sha256} {path}"


def find_binary(given: Path | None, scripts: Iterable[Script]) -> Binary:
    """packetdrill as given, else as built beside the runner of the scripts, else as installed.

    Raises:
        AirtcpError: there is none.
    """
    if given is not None:
        if not _is_program(given):
            raise AirtcpError("there is no such program", f"--packetdrill {given}", "Check the path")
        return _binary(given)
    runners = dict.fromkeys(script.runner for script in scripts if script.runner is not None)
    built = [runner.with_name(NAME) for runner in runners if runner.name == RUNNER.name]
    for file in built:
        if _is_program(file):
            return _binary(file)
    installed = shutil.which(NAME)
    if installed is None:
        where = shlex.quote(str(built[0].parent)) if built else "packetdrill/gtests/net/packetdrill"
        clone = "" if built else "git clone https://github.com/google/packetdrill && "
        remedy = f"Build it ({clone}cd {where} && {_BUILD}), or name it: --packetdrill FILE"
        raise AirtcpError("packetdrill is not built", str(built[0]) if built else "", remedy)
    return _binary(Path(installed))


def _is_program(file: Path) -> bool:
    return file.is_file() and os.access(file, os.X_OK)


def _binary(file: Path) -> Binary:
    path = file.resolve()
    content = read_input(path, _BYTES_MOST)
    hidden = any(path.is_relative_to(own) for own in GUESTS_OWN_FOLDERS)
    # Bringing it costs the start of a guest a tenth of a second.
    brought: PlanFile = {"path": NAME, "executable": True, "content": content_of(content)}
    return Binary(path, hashlib.sha256(content).hexdigest(), brought if hidden else None)
