"""The page of a store in a browser (headless Chromium), and who may ask its server for what."""

import http.client
import json
import subprocess
from pathlib import Path

import pytest
from airtcp.cli import view
from airtcp.cli.run_table import Wanted, run_table, shown
from airtcp.scenario.compile.compiler import compile_file
from airtcp.web.server import Server
from airtcp.web.store_site import Pages, StoreSite, differences
from support.command import COMMAND, environment
from support.run_folder import Shape, write_run_folder

EVIL = "<script>document.title=1</script><b>"
VALUES = ["throughput", "rtt"]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """Six runs: two congestion controls, three seeds; a station has a name that is a program."""
    from conftest import SCENARIOS

    place = tmp_path_factory.mktemp("store") / "runs"
    for number, cca in enumerate(["cubic", "bbr"]):
        for seed in (1, 2, 3):
            plan = compile_file(SCENARIOS / "first.toml", {"seed": seed, "flow[*].cca": cca})
            text = json.dumps({**plan, "name": f"{EVIL}{cca[:2]}"}).replace('"sta1', f'"{EVIL[:8]}')
            write_run_folder(place, json.loads(text), Shape(rate_mbps=8 + number + seed / 10))
    return place


@pytest.fixture(scope="module")
def site(store):
    pages = Pages(lambda own: view._table(store, own), view._timeline, view._report, view._comparison)
    site, server = StoreSite(store, VALUES, pages), Server()
    server.start(site.app())
    yield server, site
    server.close()
    site.close()


@pytest.fixture(scope="module")
def address(site):
    server, site = site
    return f"{server.address}/{site.token}/"


@pytest.fixture
def opened(browser, address):
    context = browser.new_context(viewport={"width": 1400, "height": 1000})
    page = context.new_page()
    problems, requests = [], []
    context.on("console", lambda message: problems.append(message.text))
    context.on("weberror", lambda error: problems.append(str(error.error)))
    context.on("request", lambda request: requests.append(request.url))
    page.goto(address)
    page.wait_for_selector("main[data-ready]")
    yield page
    assert problems == []
    assert all(url.startswith((address, "data:", "blob:")) for url in requests)
    context.close()


def head_of(page):
    return page.locator("table.runs thead th button").all_inner_texts()


def rows_of(page):
    """The cells of each row under the names of columns."""
    rows = []
    for row in page.locator("table.runs tbody tr").all():
        cells = row.locator("td").all_inner_texts()
        rows.append([row.get_attribute("data-run"), *cells[2:-1]])
    return rows


def listed(store, name="*", where=None, sort=""):
    table = run_table(store, Wanted(VALUES, name, where or {}, sort))
    return table.columns, shown(table)


def test_the_table_is_that_of_store_ls(opened, store):
    columns, rows = listed(store)
    assert head_of(opened) == columns
    assert rows_of(opened) == rows
    assert opened.locator("script:not([id])").count() == 1
    assert opened.locator("b").count() == 0
    assert opened.title() != "1"


@pytest.mark.parametrize("sort", ["throughput", "-throughput", "seed", "-seed", "cca", "-name"])
def test_it_sorts_as_store_ls(opened, store, sort):
    button = opened.get_by_role("button", name=f"Sort by {sort.removeprefix('-')}", exact=True)
    for _ in range(1 + sort.startswith("-")):
        button.click()
    assert rows_of(opened) == listed(store, sort=sort)[1]


@pytest.mark.parametrize(
    ("name", "where"), [("*bb", ""), ("*", "cca=bbr,seed=2"), ("*[!b]", "seed=3"), ("nothing", "")]
)
def test_it_filters_as_store_ls(opened, store, name, where):
    from airtcp.cli.option_lists import pairs

    opened.get_by_label("Name", exact=True).fill(name)
    opened.get_by_label("Where", exact=True).fill(where)
    assert rows_of(opened) == listed(store, name, pairs(where, "--where"))[1]
    count = opened.locator(".controls output").first.inner_text()
    assert count == f"{len(rows_of(opened))} of 6 runs"


def test_wrong_words_are_named_and_the_page_stays(opened, address):
    opened.get_by_label("Where", exact=True).fill("colour=red")
    assert opened.locator("[role=alert]").inner_text() == 'there is no column "colour"'
    assert len(rows_of(opened)) == 6
    opened.goto(f"{address}?values=nonsense")
    opened.wait_for_selector("main[data-ready]")
    assert "nonsense" in opened.locator("[role=alert]").inner_text()
    assert len(rows_of(opened)) == 6


def test_pins_stay_on_top_and_in_the_address(opened, store):
    run = listed(store)[1][4][0]
    opened.get_by_role("button", name=f"Pin {run}", exact=True).click()
    opened.get_by_role("button", name="Sort by throughput", exact=True).click()
    opened.get_by_label("Where", exact=True).fill("cca=nothing")
    assert [row[0] for row in rows_of(opened)] == [run]
    opened.reload()
    opened.wait_for_selector("main[data-ready]")
    assert [row[0] for row in rows_of(opened)] == [run]
    opened.get_by_role("button", name="Unpin all").click()
    assert rows_of(opened) == []


def test_chosen_runs_are_compared_side_by_side(opened, store):
    columns, rows = listed(store)
    first, second = rows[0], rows[5]
    for row in (first, second):
        opened.get_by_label(f"Choose {row[0]}").check()
    opened.get_by_role("button", name="Compare the chosen runs").click()
    values = opened.locator("table.side", has=opened.locator("caption", has_text="Values"))
    values.wait_for()
    found = [
        [row.locator("th").inner_text(), *row.locator("td").all_inner_texts()]
        for row in values.locator("tbody tr").all()
    ]
    assert found == [list(line) for line in zip(columns[1:], first[1:], second[1:], strict=True)]
    plans = opened.locator("table.side", has=opened.locator("caption", has_text="Differences of the plans"))
    assert "congestion_control" in plans.inner_text() or "seed" in plans.inner_text()
    assert opened.locator(".pictures svg path").count() >= 2


def test_small_pictures_are_drawn_on_one_scale(opened):
    opened.wait_for_function("() => document.querySelectorAll('.small-picture svg path').length >= 6")


@pytest.mark.parametrize("what", ["timeline", "report"])
def test_pages_of_a_run_open(opened, store, what):
    run = listed(store)[1][0][0]
    with opened.context.expect_page() as waited:
        opened.locator(f"tr[data-run='{run}']").get_by_role("link", name=what).click()
    page = waited.value
    page.wait_for_load_state()
    assert run in page.content()
    if what == "timeline":
        page.wait_for_selector("canvas.tracks")
    assert page.title() != "1"


@pytest.mark.parametrize("link", ["Report of these runs", "Ratios of the first to the second"])
def test_comparisons_of_two_runs_open(opened, store, link):
    for row in listed(store)[1][:2]:
        opened.get_by_label(f"Choose {row[0]}").check()
    opened.get_by_role("button", name="Compare the chosen runs").click()
    with opened.context.expect_page() as waited:
        opened.get_by_role("link", name=link).click()
    waited.value.wait_for_load_state()
    assert waited.value.locator("h1").count() == 1
    assert waited.value.title() != "1"


@pytest.mark.parametrize("width", [1000, 1400, 2000])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_the_window_and_follows_its_colours(browser, address, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(address)
    page.wait_for_selector("main[data-ready]")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
    page.close()


# Who may ask for what


def ask(server, path, method="GET", host=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest(method, path, skip_host=True)
    for name, value in {"Host": host or f"127.0.0.1:{server.port}", **headers}.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    answer.body = answer.read()
    connection.close()
    return answer


def test_only_who_knows_the_secret_gets_something(site):
    server, site = site
    assert ask(server, f"/{site.token}/").status == 200
    for path in (
        "/",
        "/x/",
        f"/{site.token[:-1]}/",
        f"/{site.token}x/",
        "/x/lines",
        "/favicon.ico",
        f"/{site.token}",
    ):
        answer = ask(server, path)
        assert answer.status in (307, 404), path
        assert b"runs" not in answer.body


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1", "127.0.0.1.evil.example"])
def test_another_name_of_the_host_is_refused(site, host):
    server, site = site
    assert ask(server, f"/{site.token}/", host=host).status == 403


def test_pages_of_others_are_refused(site):
    server, site = site
    assert ask(server, f"/{site.token}/", Origin="http://evil.example").status == 403
    assert ask(server, f"/{site.token}/", "POST").status == 403
    answer = ask(server, f"/{site.token}/")
    assert answer.getheader("access-control-allow-origin") is None
    assert answer.getheader("referrer-policy") == "no-referrer"
    policy = answer.getheader("content-security-policy")
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    script = policy.split("script-src")[1].split(";")[0]
    assert "unsafe" not in script


@pytest.mark.parametrize(
    "runs", ["", "..", "../../etc", "%2e%2e%2f%2e%2e", "0" * 16, "/etc/passwd", ",".join(["0" * 16] * 21)]
)
@pytest.mark.parametrize("what", ["timeline", "report", "lines", "plans", "comparison"])
def test_nothing_but_runs_of_the_store_is_read(site, what, runs):
    server, site = site
    assert ask(server, f"/{site.token}/{what}?runs={runs}").status == 400


def test_other_paths_lead_nowhere(site):
    server, site = site
    for path in ("../", "..%2f..%2fetc/passwd", "runs/", "static/x", "timeline/../../../etc/passwd"):
        assert ask(server, f"/{site.token}/{path}").status == 404


def test_differences_are_of_keys_with_other_values():
    one, other = {"seed": 1, "a.b": 2, "c": "x"}, {"seed": 2, "a.b": 2, "d": True}
    assert differences([one, other]) == [("seed", ["1", "2"]), ("c", ["x", "-"]), ("d", ["-", "true"])]


def test_the_command_serves_until_it_is_ended(store):
    command = [*COMMAND, "view", str(store), "--values", "throughput"]
    with subprocess.Popen(command, env=environment(), stdout=subprocess.PIPE, text=True) as serving:
        try:
            line = serving.stdout.readline()
            assert f"Runs of {store}: http://127.0.0.1:" in line
            port, token = line.rsplit(":", 1)[1].strip().strip("/").split("/")
            connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=20)
            connection.request("GET", f"/{token}/")
            assert connection.getresponse().status == 200
        finally:
            serving.terminate()
            serving.communicate(timeout=20)
    assert serving.returncode == 0


def test_a_store_is_no_file(store, tmp_path):
    done = subprocess.run(
        [*COMMAND, "view", str(store), "--out", str(tmp_path / "x.html")],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "airtcp report" in done.stderr
    assert not Path(tmp_path / "x.html").exists()
