"""The runs of a store on a page: a table, and all that opens from it."""

import json
import re
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.errors import AirtcpError
from airtcp.plans.flat import Value, flatten
from airtcp.plots.style import COLOURS
from airtcp.report.html.kept_runs import read_or_kept
from airtcp.report.html.packing import opened
from airtcp.report.html.read_run import Broken, PageAsked
from airtcp.web.guard import is_token, new_token
from airtcp.web.page import built, page, style

if TYPE_CHECKING:
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

_RUN = re.compile(r"[0-9a-f]{16}")
# Points of a line in a picture of 120 by 28 pixels: two for each pair of pixels.
THUMBNAIL_POINTS = 120
# A page about more runs than this has its own command.
COMPARED_MOST = 20
# Keys that differ between plans without a meaning for the network.
_NO_DIFFERENCE = ("version", "name")


@dataclass(frozen=True)
class Table:
    """Columns, and a row for each run: values, and the same as text."""

    columns: Sequence[str]
    rows: Sequence[Sequence[Value]]
    texts: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Pages:
    """What makes the table, and writes the pages that open from it."""

    table: Callable[[Sequence[str]], Table]
    """By names of quantities."""
    timeline: Callable[[Path, Path], None]
    """Of a run, into a file."""
    report: Callable[[Sequence[Path], Path], None]
    comparison: Callable[[Path, Path, Path], None]
    """Of the second run with the first, into a file."""


class StoreSite:
    """The page of a store, with its secret; pages that were written are kept until it is closed."""

    def __init__(self, store: Path, values: Sequence[str], pages: Pages) -> None:
        self.token = new_token()
        self._store = store
        self._values = values
        self._pages = pages
        self._kept = tempfile.TemporaryDirectory(prefix="airtcp-pages-")
        # One at a time: matplotlib draws in one thread.
        self._writing = threading.Lock()

    def close(self) -> None:
        """Removes what was written."""
        self._kept.cleanup()

    def app(self) -> "Starlette":
        """What answers."""
        from starlette.applications import Starlette
        from starlette.routing import Route

        return Starlette(
            routes=[
                Route("/{token}/", self._asked(self._table)),
                Route("/{token}/lines", self._asked(self._lines)),
                Route("/{token}/plans", self._asked(self._plans)),
                Route("/{token}/timeline", self._asked(self._timeline)),
                Route("/{token}/report", self._asked(self._report)),
                Route("/{token}/comparison", self._asked(self._comparison)),
            ]
        )

    def _asked(self, answer: "Callable[[Request], Response]") -> "Callable[[Request], Response]":
        """An answer for those who know the secret; what is wrong with their words is an answer, too."""
        from starlette.responses import PlainTextResponse

        def checked(request: "Request") -> "Response":
            if not is_token(request.path_params["token"], self.token):
                return PlainTextResponse("not found", 404)
            try:
                return answer(request)
            except AirtcpError as error:
                return PlainTextResponse(str(error), 400)

        return checked

    def _table(self, request: "Request") -> "Response":
        from starlette.responses import HTMLResponse

        asked = request.query_params.get("values")
        values = (
            self._values if asked is None else [word for word in asked.replace(" ", "").split(",") if word]
        )
        problem = ""
        try:
            table = self._pages.table(values)
        except AirtcpError as error:
            # A wrong word must not take the page away.
            problem, values = str(error), self._values
            table = self._pages.table(values)
        data = {
            "columns": table.columns,
            "rows": table.rows,
            "texts": table.texts,
            "values": list(values),
            "problem": problem,
            "colours": list(COLOURS),
            "compared_most": COMPARED_MOST,
        }
        text, rules = page(
            "store", (style("store"),), (built("store"),), title=f"Runs of {self._store}", data=data
        )
        return HTMLResponse(text, headers={"content-security-policy": rules})

    def _runs(self, request: "Request") -> list[Path]:
        names = request.query_params.get("runs", "").split(",")
        if not 1 <= len(names) <= COMPARED_MOST:
            raise AirtcpError(f"choose 1 to {COMPARED_MOST} runs", "runs", "For more: airtcp report STORE")
        for name in names:
            if not _RUN.fullmatch(name) or not (self._store / name / "manifest.json").is_file():
                raise AirtcpError("is no run of this store", name[:40], "Load the page again")
        return [self._store / name for name in names]

    def _lines(self, request: "Request") -> "Response":
        """Lines over time of a run, in few points."""
        from starlette.responses import JSONResponse

        (folder, *_) = self._runs(request)
        with self._writing:
            read = read_or_kept(folder, PageAsked(THUMBNAIL_POINTS))
        if isinstance(read, Broken):
            raise AirtcpError(read.text, str(folder), "")
        return JSONResponse(opened(read.details)["series"])

    def _plans(self, request: "Request") -> "Response":
        """Keys that differ between the plans of runs, with the value of each."""
        from starlette.responses import JSONResponse

        plans = [_flat_plan(folder) for folder in self._runs(request)]
        return JSONResponse({"differences": differences(plans)})

    def _timeline(self, request: "Request") -> "Response":
        (folder, *_) = self._runs(request)
        return self._page(f"timeline-{folder.name}", lambda file: self._pages.timeline(folder, file))

    def _report(self, request: "Request") -> "Response":
        folders = self._runs(request)
        name = "-".join(folder.name for folder in folders)
        return self._page(f"report-{_short(name)}", lambda file: self._pages.report(folders, file))

    def _comparison(self, request: "Request") -> "Response":
        folders = self._runs(request)
        if len(folders) != 2:
            raise AirtcpError("needs two runs", "comparison", "Choose two; a report compares more")
        one, other = folders
        name = f"comparison-{one.name}-{other.name}"
        return self._page(name, lambda file: self._pages.comparison(one, other, file))

    def _page(self, name: str, write: Callable[[Path], None]) -> "Response":
        """A page that is written when it is asked for the first time."""
        from starlette.responses import HTMLResponse

        file = Path(self._kept.name) / f"{name}.html"
        with self._writing:
            if not file.is_file():
                write(file)
        # The page has its policy in itself; this holds where something of it should not.
        rules = "frame-ancestors 'none'; connect-src 'none'; form-action 'none'"
        return HTMLResponse(file.read_text(encoding="utf-8"), headers={"content-security-policy": rules})


def differences(plans: Sequence[Mapping[str, Value]]) -> list[tuple[str, list[str]]]:
    """Each key of these flattened plans with different values, with that of each plan; "-": it has none."""
    keys = dict.fromkeys(key for plan in plans for key in plan)
    rows = ((key, [_text(plan.get(key, "-")) for plan in plans]) for key in keys if key not in _NO_DIFFERENCE)
    return [(key, values) for key, values in rows if len(set(values)) > 1]


def _text(value: Value) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _flat_plan(folder: Path) -> dict[str, Value]:
    from airtcp.data.run_folder import open_run

    run = open_run(folder)
    return flatten(run.plan, run.measured)


def _short(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:16]
