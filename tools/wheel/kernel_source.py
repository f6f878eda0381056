"""States where the complete source of a wheel's kernel is, as its licence (GPL-2.0) requires."""

import json
from pathlib import Path

TEXT = """# The kernel in this package, its licence and its source

`{place}` is Linux {release} (User-Mode Linux), licensed under the GNU General
Public License, version 2 only (`COPYING` in this folder). There is no warranty.

Its complete corresponding source is
- the Debian package `{package}` in version `{version}`:
  `apt-get install {package}={version}`, or, also when the archive has a newer one,
  <https://snapshot.debian.org/binary/{package}/>;
- `src/`, `patches/`, `flavours/`, `config` and the script `build` of the folder `airtcp/_kernel` in the wheel
  of airtcp of the same version, which unpacks that package's source, adds the files of `src/`, applies the
  patches in the order of their numbers and compiles it:
  `bash build --series {series}` gives the same kernel again (compiler: {compiler}).

SHA-256 of the kernel begins with `{id}`; the hash of configuration and patches is `{recipe}`.

If you pass this package on, pass on or offer the source too, as section 3 of the licence says.
`make wheel-source` in airtcp's source tree puts all of it into one archive beside the wheel.
"""


def source_note(kernel_json: Path, place: str) -> str:
    """The note for the kernel that this `kernel.json` describes, which is at this place in the wheel."""
    info = json.loads(kernel_json.read_text(encoding="utf-8"))
    package, _, version = info["source"].partition(" ")
    fields = ("series", "release", "compiler", "id", "recipe")
    return TEXT.format(package=package, version=version, place=place, **{name: info[name] for name in fields})
