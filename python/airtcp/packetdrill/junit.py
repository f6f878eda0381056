"""Results as JUnit XML, which systems of continuous integration read."""

from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from airtcp.packetdrill.result import Result, Verdict
from airtcp.visible_text import visible


def write_junit(results: Sequence[Result], file: Path) -> None:
    """Writes a test suite for each folder of scripts, with a test case for each script and IP version.

    Times are virtual seconds. A known failure counts as skipped, with its reason.
    """
    root = ElementTree.Element("testsuites", name="packetdrill")
    for folder in dict.fromkeys((one.case.script.suite, one.case.script.folder) for one in results):
        members = [one for one in results if (one.case.script.suite, one.case.script.folder) == folder]
        suite = ElementTree.SubElement(root, "testsuite", name=folder[1], tests=str(len(members)))
        suite.set("failures", str(sum(one.is_unexpected for one in members)))
        suite.set("skipped", str(sum(one.verdict is Verdict.KNOWN for one in members)))
        for one in members:
            _add(suite, one)
    ElementTree.indent(root)
    file.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)


def _add(suite: ElementTree.Element, result: Result) -> None:
    case = result.case
    found = ElementTree.SubElement(suite, "testcase", name=f"{case.script.file.stem} [{case.ip}]")
    found.set("classname", case.script.folder.replace("/", "."))
    found.set("file", case.script.name)
    found.set("time", f"{result.ending.end_ns / 1e9:.9f}")
    if result.verdict is Verdict.KNOWN:
        ElementTree.SubElement(found, "skipped", message=visible(f"known: {result.known}"))
    elif result.is_unexpected:
        where = f"line {result.line}: " if result.line is not None else ""
        failure = ElementTree.SubElement(found, "failure", message=visible(f"{where}{result.reason}"))
        # Characters that XML has not become visible.
        failure.text = "\n".join(visible(line) for line in _lines(result))


def _lines(result: Result) -> list[str]:
    return result.ending.output.decode(errors="replace").splitlines()
