"""The rooms of the kernel's drivers include each other's headers only along the declared arrows, which go down."""

import re
from collections.abc import Iterator, Mapping
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

KERNEL = Path(__file__).parents[2] / "kernel"
DRIVERS = KERNEL / "src/arch/um/drivers/airtcp"
# What each room may include besides its own headers. `start` is the file of the top folder, which joins the rooms.
ARROWS: Mapping[str, str] = {
    "start": "probe nic radio wire session parts engine",
    "probe": "radio wire session parts engine",
    "nic": "frame engine",
    "radio": "frame engine",
    "wire": "parts frame engine",
    "session": "engine",
    "parts": "engine",
    "frame": "",
    "engine": "",
    "programs": "",
}


def violations(drivers: Path) -> Iterator[str]:
    """Includes of another room's header that no arrow allows, or of a header that the other room keeps to itself."""
    for file in sorted(drivers.rglob("*.[ch]")):
        room = file.parent.name if file.parent != drivers else "start"
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if not (found := re.match(r'\s*#\s*include\s*"(.*)"', line)):
                continue
            header = (file.parent / found[1]).resolve()
            if header.parent == file.parent.resolve():
                continue
            other = header.parent.name
            place = f"{file.relative_to(drivers)}:{number} includes {found[1]}"
            if header != drivers.resolve() / other / f"{other}.h":
                yield f"{place}, which is no room's header for others"
            elif other not in ARROWS[room].split():
                yield f"{place}, but {room} may include only: {ARROWS[room] or 'its own headers'}"


def test_rooms_include_each_other_along_the_arrows():
    assert list(violations(DRIVERS)) == []


def test_every_folder_is_a_room_that_is_built():
    rooms = {folder.name for folder in DRIVERS.iterdir() if folder.is_dir()}
    assert rooms | {"start"} == ARROWS.keys()
    for folder in (DRIVERS / room for room in rooms):
        built = re.findall(r"(\w+)\.o", (folder / "Makefile").read_text(encoding="utf-8"))
        assert sorted(built) == sorted(file.stem for file in folder.glob("*.c"))


def test_no_circles():
    TopologicalSorter({room: uses.split() for room, uses in ARROWS.items()}).prepare()


def test_the_table_of_the_architecture_has_the_arrows():
    text = (KERNEL.parent / "ARCHITECTURE.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)(?:\.c)?` \| [^|]+ \| +([^|]*?) *\|$", text, re.MULTILINE))
    named = {room: rows[room] for room in ARROWS}
    assert named == {room: uses.replace(" ", ", ") for room, uses in ARROWS.items()} | {"start": "all"}


@pytest.mark.parametrize(
    ("include", "complaint"),
    [
        ("../probe/probe.h", "but wire may include only: parts frame engine"),
        ("../parts/streams.h", "which is no room's header for others"),
        ("../../os.h", "which is no room's header for others"),
    ],
)
def test_what_goes_up_or_into_a_room_is_found_with_its_place(tmp_path, include, complaint):
    (tmp_path / "wire").mkdir()
    (tmp_path / "wire" / "send.c").write_text(f'#include "device.h"\n#include "{include}"\n')
    assert list(violations(tmp_path)) == [f"wire/send.c:2 includes {include}, {complaint}"]
