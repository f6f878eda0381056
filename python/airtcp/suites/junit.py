"""Results as JUnit XML, which systems of continuous integration read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from airtcp.visible_text import visible


@dataclass(frozen=True)
class JunitCase:
    """A test case: its suite, the name of its class, its own, its file, and its virtual seconds.

    `skipped`: why it does not count; `failure`: why it failed; `output`: what it wrote then.
    """

    suite: str
    class_name: str
    name: str
    file: str
    time_s: float
    skipped: str = ""
    failure: str = ""
    output: str = ""


def write_junit(name: str, cases: Sequence[JunitCase], file: Path) -> None:
    """Writes all cases, by their suites."""
    root = ElementTree.Element("testsuites", name=name)
    for suite_name in dict.fromkeys(one.suite for one in cases):
        members = [one for one in cases if one.suite == suite_name]
        suite = ElementTree.SubElement(root, "testsuite", name=suite_name, tests=str(len(members)))
        suite.set("failures", str(sum(bool(one.failure) for one in members)))
        suite.set("skipped", str(sum(bool(one.skipped) for one in members)))
        for one in members:
            _add(suite, one)
    ElementTree.indent(root)
    file.parent.mkdir(parents=True, exist_ok=True)
    ElementTree.ElementTree(root).write(file, encoding="utf-8", xml_declaration=True)


def _add(suite: ElementTree.Element, case: JunitCase) -> None:
    found = ElementTree.SubElement(suite, "testcase", name=case.name)
    found.set("classname", case.class_name)
    found.set("file", case.file)
    found.set("time", f"{case.time_s:.9f}")
    if case.skipped:
        ElementTree.SubElement(found, "skipped", message=visible(case.skipped))
    elif case.failure:
        failure = ElementTree.SubElement(found, "failure", message=visible(case.failure))
        # Characters that XML has not become visible.
        failure.text = "\n".join(visible(line) for line in case.output.splitlines())
