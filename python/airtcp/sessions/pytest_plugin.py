"""The fixture `airtcp_lab` of pytest: networks for tests, ended with them."""

from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from airtcp.scenario.keys.model import Scenario
    from airtcp.sessions.lab import Lab

_REPORT = pytest.StashKey[pytest.TestReport]()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Keeps how a test went for its fixtures."""
    report = yield
    if report.when == "call":
        item.stash[_REPORT] = report
    return report


@pytest.fixture
def airtcp_lab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[..., "Lab"]]:
    """Starts networks as `airtcp.lab` does; paths are taken from the folder of the test's file.

    They end with the test. Those of a test that failed are kept as plans in its temporary folder.
    """
    from airtcp.sessions.lab import lab

    labs: list[Lab] = []
    with ExitStack() as stack:

        def start(network: "Path | str | Scenario", **options: Any) -> "Lab":
            if isinstance(network, str | Path):
                network = request.path.parent / network
            options.setdefault("store", tmp_path / "runs")
            started = stack.enter_context(lab(network, **options))
            labs.append(started)
            return started

        yield start
        report = request.node.stash.get(_REPORT, None)
        if report is not None and report.failed:
            report.sections.append(("airtcp", "\n".join(_keep(labs, tmp_path))))


def _keep(labs: "list[Lab]", folder: Path) -> Iterator[str]:
    for number, failed in enumerate(labs):
        path = folder / f"failed-session{number + 1 if number else ''}.json"
        failed.save(path)
        yield f"The session is kept; repeat it with: airtcp run {path}"
