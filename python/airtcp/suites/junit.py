"""Results as JUnit XML, which systems of continuous integration read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from airtcp.visible_text import visible


@dataclass(frozen=True)
class JunitCase:
    """A case: its folder, name and file, virtual seconds, and why it was skipped or failed, if it did."""

    folder: str
    name: str
    file: str
    time_s: float
    skipped: str = ""
    failure: str = ""
    output: bytes = b""
    """What a case that failed wrote."""


def write_junit(suite: str, cases: Sequence[JunitCase], file: Path) -> None:
    """Writes a test suite for each folder, with its cases in their order."""
    root = ElementTree.Element("testsuites", name=suite)
    for folder in dict.fromkeys(one.folder for one in cases):
        members = [one for one in cases if one.folder == folder]
        found = ElementTree.SubElement(root, "testsuite", name=folder, tests=str(len(members)))
        found.set("failures", str(sum(bool(one.failure) for one in members)))
        found.set("skipped", str(sum(bool(one.skipped) for one in members)))
        for one in members:
            _add(found, one)
    ElementTree.indent(root)
    file.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)


def _add(suite: ElementTree.Element, case: JunitCase) -> None:
    found = ElementTree.SubElement(suite, "testcase", name=case.name)
    found.set("classname", case.folder.replace("/", "."))
    found.set("file", case.file)
    found.set("time", f"{case.time_s:.9f}")
    if case.skipped:
        ElementTree.SubElement(found, "skipped", message=visible(case.skipped))
    if case.failure:
        failure = ElementTree.SubElement(found, "failure", message=visible(case.failure))
        # Characters that XML has not become visible.
        lines = case.output.decode(errors="replace").splitlines()
        failure.text = "\n".join(visible(line) for line in lines)
