"""Pages of a running session (headless Chromium): who drives, who looks, and that looking moves nothing."""

import contextlib
import http.client
import json
import os
import re
import subprocess

import pexpect
import pytest
from support.command import COMMAND, environment

pytestmark = pytest.mark.guest

NETWORK = """
name = "live"
duration = "10 s"
[wifi.home]
stations = ["sta1", "sta2"]
[channel]
propagation = "free_space"
[wifi.home.radio.sta1]
position = ["3 m", "0 m"]
[[flow]]
from = "sta1"
to = "ap1"
[sampling]
ppdus = true
"""


@pytest.fixture
def settings() -> dict[str, str]:
    from airtcp.kernels.folder_name import kernels_folder

    kernels = {"AIRTCP_KERNELS": str(kernels_folder())}
    return {**environment(), **kernels, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"}


@contextlib.contextmanager
def shell(tmp_path, settings):
    """A shell at a terminal, and the addresses of its pages."""
    network = tmp_path / "live.toml"
    network.write_text(NETWORK)
    program, *beginning = COMMAND
    words = [*beginning, "shell", str(network), "--store", str(tmp_path / "runs"), "--web"]
    spawned = pexpect.spawn(program, words, encoding="utf-8", timeout=120, env=settings, dimensions=(30, 100))
    try:
        spawned.expect(r"To drive: (http://\S+)")
        drive = spawned.match.group(1)
        spawned.expect(r"To look:\s+(http://\S+)")
        look = spawned.match.group(1)
        spawned.expect("0.000000 s>")
        yield spawned, drive, look
    finally:
        spawned.close(force=True)


def opened(browser, address, problems, width=1400, scheme="light"):
    page = browser.new_page(viewport={"width": width, "height": 1000}, color_scheme=scheme)
    page.set_default_timeout(120_000)
    page.on("console", lambda message: problems.append(message.text))
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith((address, "data:", "blob:")) else problems.append(request.url)
        ),
    )
    page.goto(address)
    page.wait_for_selector("main.live[data-version] canvas.tracks")
    return page


def stands_at(page, text):
    page.wait_for_function(
        "(text) => document.querySelector('.drive .state').textContent.startsWith(text)", arg=text
    )


def test_pages_follow_and_one_drives(browser, tmp_path, settings):
    problems: list[str] = []
    with shell(tmp_path, settings) as (prompt, drive, look):
        driver, looker = opened(browser, drive, problems), opened(browser, look, problems)
        assert looker.get_by_role("button", name="Let this length of time pass").count() == 0
        assert not looker.locator(".drivers").is_visible()
        driver.locator(".drivers select").select_option("100 ms")
        driver.get_by_role("button", name="Let this length of time pass").click()
        for page in (driver, looker):
            stands_at(page, "0.100000 s")
        prompt.expect(r"0\.000000 s> run 100 ms")
        prompt.expect(r"0\.100000 s>")
        # The prompt works beside, and both pages show it.
        prompt.sendline("run 50 ms")
        for page in (driver, looker):
            stands_at(page, "0.150000 s")
            page.wait_for_function("() => document.querySelector('.log').textContent.includes('run 50 ms')")
        driver.get_by_role("button", name="Take the network back by this length").click()
        for page in (driver, looker):
            stands_at(page, "0.050000 s")
        driver.get_by_role("button", name="Let time pass until the next PPDU has ended").click()
        looker.wait_for_function("() => document.querySelector('.log').textContent.includes('octets at')")
        prompt.sendline("move sta1 1,2")
        moved = "airtcpTimeline.pages[0]?.model.header.floor.radios.find((r) => r.name === 'sta1').way.at(-1).slice(1).join()"
        looker.wait_for_function(f"() => {moved} === '1,2'")
        driver.get_by_label("A line for the prompt").fill("py 1")
        driver.get_by_role("button", name="Ask the prompt for this line").click()
        driver.wait_for_function(
            "() => document.querySelector('.wrong').textContent.includes('a page may ask for')"
        )
        assert [text for text in problems if "400" not in text] == []
        # A second page that may drive does when it takes the wheel.
        second = opened(browser, drive, problems)
        assert not second.locator(".drivers").is_visible()
        second.get_by_role("button", name="Drive from this page").click()
        second.wait_for_selector(".drivers", state="visible")
        driver.wait_for_selector(".drivers", state="hidden")
        prompt.sendline("exit")
        prompt.expect(pexpect.EOF)
        stands_at(second, "The session is over")
        assert [text for text in problems if "400" not in text] == []
        for page in (driver, looker, second):
            page.close()


@pytest.mark.parametrize("width", [1000, 1400, 2000])
def test_pages_fit_the_window_and_follow_its_colours(browser, tmp_path, settings, width):
    with shell(tmp_path, settings) as (_, drive, _look):
        for scheme in ("light", "dark"):
            problems: list[str] = []
            page = opened(browser, drive, problems, width, scheme)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
            assert (paper == "rgb(255, 255, 255)") == (scheme == "light")
            assert problems == []
            page.close()


def post(address, what, content, **headers):
    host, token = re.match(r"http://([^/]+)/([^/]+)/", address).groups()
    connection = http.client.HTTPConnection(host, timeout=60)
    given = {"Origin": f"http://{host}", "Content-Type": "application/json", **headers}
    connection.request("POST", f"/{token}/{what}", json.dumps(content), given)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def test_who_looks_can_not_drive(browser, tmp_path, settings):
    problems: list[str] = []
    with shell(tmp_path, settings) as (prompt, drive, look):
        page = opened(browser, drive, problems)
        client = json.loads(page.locator("#data").text_content())["client"]
        run = {"client": client, "line": "run 1 s"}
        assert post(look, "line", run) == (403, "this address is for looking")
        assert post(look, "stop", run)[0] == 403
        assert post(look, "wheel", run)[0] == 403
        assert post(drive.replace(drive[-8:], "AAAAAAA/"), "line", run)[0] == 404
        assert post(drive, "line", {**run, "client": "0" * 16}) == (409, "another page drives")
        assert post(drive, "line", run, Origin="http://evil.example")[0] == 403
        assert post(drive, "line", run, Host="evil.example")[0] == 403
        assert post(drive, "line", run, **{"Content-Type": "text/plain"})[0] == 403
        for line in ("py 1", "source /etc/passwd", "save x.toml", "sta1 ls", "exit", "", "run 1 s\nexit"):
            assert post(drive, "line", {**run, "line": line})[0] == 400, line
        assert post(drive, "line", {**run, "line": "x" * 5000})[0] == 413
        prompt.sendline("hash")
        prompt.expect(r"[0-9a-f]{16}")
        assert post(drive, "line", run)[0] == 202
        prompt.expect(r"1\.000000 s>")
        page.close()


LINES = "run 300 ms\nstep\nmove sta1 1,2\nrun 200 ms\nback 100 ms\nrun 300 ms\nhash\n"


def test_looking_moves_nothing(tmp_path, settings):
    """The same lines, with nobody and with somebody who looks after each of them."""
    network = tmp_path / "live.toml"
    network.write_text(NETWORK)
    words = [*COMMAND, "shell", str(network), "--store", str(tmp_path / "runs")]
    alone = subprocess.run(
        words, input=LINES, env=settings, capture_output=True, text=True, check=True
    ).stdout
    expected = re.findall(r"^[0-9a-f]{16}$", alone, re.MULTILINE)[-1]
    reading, writing = os.pipe()
    followed = subprocess.Popen(
        [*words, "--web"],
        stdin=reading,
        env=settings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        said = followed.stderr.readline() + followed.stderr.readline()
        host, token = re.search(r"To look:\s+http://([^/]+)/([^/]+)/", said).groups()
        connection = http.client.HTTPConnection(host, timeout=120)
        connection.request("GET", f"/{token}/events?client={'a' * 16}")
        events = connection.getresponse()
        os.write(writing, LINES.encode())
        os.close(writing)
        versions, found = set(), []
        while not found:
            line = events.fp.readline().decode()
            if line.startswith("data: "):
                told = json.loads(line[6:])
                versions.add(told["version"])
                found = re.findall(r"^[0-9a-f]{16}$", told["log"], re.MULTILINE)
        connection.close()
    finally:
        followed.terminate()
        followed.communicate()
    assert len(versions) >= 4, "nobody looked"
    assert found == [expected]
