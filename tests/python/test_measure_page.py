"""The page about measurements: its laboratory is built as it says, and its commands print what it says."""

import re
import shlex
import subprocess
import uuid

import pytest
from airtcp.measurement.reference import lab_reference
from support.command import airtcp
from support.documentation_pages import DOCS, ROOT, blocks, commands, prints
from support.real_network import require_namespaces, sh

PAGE = (DOCS / "how-to" / "measure.md").read_text(encoding="utf-8")
NAMESPACES = ("left", "router", "right")


def test_the_reference_of_lab_files_is_that_of_the_models():
    text = (ROOT / "docs" / "reference" / "lab.md").read_text(encoding="utf-8")
    assert text == lab_reference(), "run: python -m airtcp.measurement.reference > docs/reference/lab.md"


@pytest.fixture
def names():
    """The namespaces of the page under names that no user has; they are removed."""
    require_namespaces()
    prefix = f"airtcp-{uuid.uuid4().hex[:8]}"
    found = {name: f"{prefix}-{name}" for name in NAMESPACES}
    yield found
    for name in found.values():
        sh("ip", "netns", "del", name, check=False)


@pytest.mark.guest
def test_the_first_measurement_of_the_page(names, tmp_path):
    pattern = re.compile(r"\b(left|router|right)\b(?=[ :\"/;]|$)", re.MULTILINE)
    found = blocks(PAGE)
    (script,) = [block.text for block in found if block.language == "sh"]
    script = pattern.sub(lambda match: names[match[1]], script)
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for block in found:
        if block.name is not None:
            text = block.text
            if block.name == "lab.toml":
                text = re.sub(r'netns = "(\w+)"', lambda match: f'netns = "{names[match[1]]}"', text)
            (tmp_path / block.name).write_text(text, encoding="utf-8")
    (console,) = [block for block in found if block.language == "console"]
    for command in commands(console):
        answer = airtcp(*shlex.split(command.line)[1:], cwd=tmp_path)
        assert answer.returncode == 0, answer.stderr
        missing = prints(command.printed, answer.stdout)
        assert missing is None, f"{command.line} does not print {missing!r}:\n{answer.stdout}"
