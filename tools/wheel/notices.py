"""The licences of the Rust crates inside the programs, whose notices must accompany every copy."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PROGRAMS = ("airtcp-runner", "airtcp-guest", "airtcp-agent")
TARGET = "x86_64-unknown-linux-gnu"
LICENCE_FILES = ("LICENSE*", "LICENCE*", "COPYING*", "COPYRIGHT*", "NOTICE*", "UNLICENSE*", "license*")
HEAD = """What the programs of this package contain besides airtcp's own code.

airtcp-agent is linked statically with the GNU C library (LGPL-2.1-or-later, Debian package libc6-dev); its
source is part of airtcp's (MIT), so that it can be linked again with another version of that library.
The Rust standard library is MIT OR Apache-2.0. The crates follow; their sources are on https://crates.io.
"""
# From Debian's base-files, because the linked C library is Debian's.
C_LIBRARY = "The GNU C library"
C_LIBRARY_LICENCE = Path("/usr/share/common-licenses/LGPL-2.1")


def crate_notices(root: Path) -> str:
    """Name, version and licence of every crate, with its licence texts; equal texts are printed once.

    What has no text of its licence ends it: the programs could not be passed on.
    """
    crates = _crates(root)
    listed = [f"{crate['name']} {crate['version']}: {crate['license']}" for crate in crates]
    users: dict[str, list[str]] = {_c_library_licence(): [C_LIBRARY]}
    for crate in crates:
        for text in licence_texts(crate):
            users.setdefault(text, []).append(f"{crate['name']} {crate['version']}")
    texts = [f"{'=' * 100}\n{', '.join(names)}\n\n{text}" for text, names in users.items()]
    return "\n".join([HEAD, *listed, "", *texts]) + "\n"


def _crates(root: Path) -> list[dict[str, Any]]:
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", TARGET]
    answer = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        raise SystemExit(f"cargo cannot list the crates: {answer.stderr.strip()}")
    metadata = json.loads(answer.stdout)
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    packages = {package["id"]: package for package in metadata["packages"]}
    wanted = {name for name, package in packages.items() if package["name"] in PROGRAMS}
    reached: set[str] = set()
    while wanted:
        one = wanted.pop()
        reached.add(one)
        wanted |= set(_linked(nodes[one])) - reached
    found = [packages[one] for one in reached if packages[one]["source"] is not None]
    return sorted(found, key=lambda crate: (crate["name"], crate["version"]))


def _linked(node: dict[str, Any]) -> Iterator[str]:
    """The crates that a crate is linked with, not those that build or test it."""
    for dependency in node["deps"]:
        if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
            yield dependency["pkg"]


def licence_texts(crate: dict[str, Any]) -> list[str]:
    """The licence texts beside the crate's manifest that are not empty."""
    folder = Path(crate["manifest_path"]).parent
    files = sorted({file for pattern in LICENCE_FILES for file in folder.glob(pattern) if file.is_file()})
    texts = [file.read_text(encoding="utf-8", errors="replace").strip() for file in files]
    if crate["license"] is None or not any(texts):
        raise SystemExit(
            f"{crate['name']} {crate['version']} ({folder}) brings no text of its licence, "
            "which the wheel needs: take another version or another crate"
        )
    return [text for text in texts if text]


def _c_library_licence() -> str:
    try:
        return C_LIBRARY_LICENCE.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise SystemExit(
            f"{C_LIBRARY_LICENCE}: {error.strerror}; it goes with the C library in airtcp-agent: "
            "build the wheel on Debian, or install base-files"
        ) from error
