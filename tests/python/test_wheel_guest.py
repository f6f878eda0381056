"""The wheel, installed where there is nothing else: an ordinary user, no capabilities, a short PATH, no network.

It is built of the parts that are built already (no compiler runs), and installed without its dependencies into an empty
environment; those are found in the tests' own, by a .pth file, so that nothing is downloaded.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.guest

ROOT = Path(__file__).resolve().parents[2]
NOBODY = "nobody"
PROGRAMS = ("airtcp-runner", "libairtcp_guest.so", "airtcp-agent", "kernels/6.12/linux")


@pytest.fixture(scope="module")
def place():
    """A folder that every user may enter; those of pytest belong to one alone."""
    folder = Path(tempfile.mkdtemp(prefix="airtcp-wheel-test-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def wheel(place):
    return wheel_of(ROOT, place / "wheels")


@pytest.fixture(scope="module")
def lab_wheel(place):
    """The kernel of guests for labs."""
    return wheel_of(ROOT / "tools" / "wheel" / "lab", place / "wheels-lab")


def wheel_of(project, folder):
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    must_succeed([*pip, "--wheel-dir", str(folder), str(project)])
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="module")
def work(place):
    """The folder from which an ordinary user works."""
    work = place / "work"
    work.mkdir()
    if os.getuid() == 0:
        shutil.chown(work, NOBODY)
    shutil.copy(ROOT / "tests" / "python" / "scenarios" / "first.toml", work)
    return work


@pytest.fixture(scope="module")
def installed(place, wheel):
    """The environment with the wheel."""
    return environment(place, "venv", wheel)


@pytest.fixture(scope="module")
def installed_for_labs(place, wheel, lab_wheel):
    """An environment with both wheels."""
    return environment(place, "venv-lab", wheel, lab_wheel)


def environment(place, name, *wheels):
    venv = place / name
    must_succeed([interpreter(), "-m", "venv", "--without-pip", str(venv)])
    pip = [sys.executable, "-m", "pip", "--python", str(venv / "bin" / "python"), "install"]
    must_succeed([*pip, "--quiet", "--no-deps", "--no-index", *map(str, wheels)])
    (packages,) = venv.glob("lib/python3*/site-packages")
    if not (place / "dependencies").exists():
        (place / "dependencies").write_text(f"{dependencies(place)}\n")
    shutil.copy(place / "dependencies", packages / "tests.pth")
    return venv


def dependencies(place):
    """The tests' own packages; where the user may not look (a checkout in root's home), linked or copied."""
    packages = Path(sysconfig.get_path("purelib"))
    if subprocess.run([*as_user(), "test", "-r", str(packages / "typer")], check=False).returncode == 0:
        return packages

    def link(source, target):
        try:
            os.link(source, target)
        except OSError:  # another file system
            shutil.copy2(source, target)

    return shutil.copytree(packages, place / "packages", copy_function=link)


def interpreter():
    """A Python of the tests' version that the user may start: the tests' own may lie in a home folder."""
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for candidate in (
        Path(sys.base_prefix, "bin", name),
        Path("/usr/local/bin", name),
        Path("/usr/bin", name),
    ):
        if (
            candidate.exists()
            and subprocess.run([*as_user(), str(candidate), "-c", ""], check=False).returncode == 0
        ):
            return str(candidate)
    pytest.fail(f"no {name} that user {NOBODY} may start")


def as_user():
    """A user without rights who can't get any, as in a container."""
    command = ["setpriv", "--no-new-privs"]
    if os.getuid() == 0:
        user = ["--reuid", NOBODY, "--regid", "nogroup", "--clear-groups"]
        command += [*user, "--bounding-set=-all", "--inh-caps=-all"]
    # setpriv itself still has root's capabilities: what it starts is found with them, what that starts is not.
    return [*command, "env"]


def must_succeed(command):
    answer = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, cwd="/")
    assert answer.returncode == 0, f"{command}: {answer.stdout}{answer.stderr}"


@pytest.fixture
def airtcp(installed, work):
    return command_of(installed, work)


def command_of(venv, work):
    def run(*words, **settings):
        return subprocess.run(
            [*as_user(), str(venv / "bin" / "airtcp"), *words],
            cwd=work,
            env={"PATH": "/usr/bin:/bin", "COLUMNS": "160", **settings},
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return run


def test_the_wheel_says_what_it_needs_and_what_it_holds(wheel):
    assert wheel.name.startswith("airtcp-")
    assert "-py3-none-manylinux_2_" in wheel.name
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        source = archive.read("airtcp/_kernel/SOURCE.md").decode()
        kernel = json.loads(archive.read("airtcp/_bin/kernels/6.12/kernel.json"))
        for program in PROGRAMS:
            assert archive.getinfo(f"airtcp/_bin/{program}").external_attr >> 16 & 0o111 == 0o111, program
    assert kernel["source"].replace(" ", "=") in source
    patches = [path.relative_to(ROOT) for path in (ROOT / "kernel" / "patches").rglob("*.patch")]
    assert {
        f"airtcp/_{path}"
        for path in [*patches, "kernel/config", "kernel/config-6.12", "kernel/build", "kernel/COPYING"]
    } <= names


def test_the_page_says_how_large_the_wheels_are(wheel, lab_wheel):
    page = (ROOT / "docs" / "how-to" / "install.md").read_text(encoding="utf-8")
    for file, words in ((wheel, "The wheel"), (lab_wheel, "The wheel of the lab kernel")):
        (told_mb,) = re.findall(rf"{words} \((\d+) MB\)", page)
        assert abs(file.stat().st_size / 1e6 - int(told_mb)) < 1, file


LAB = """name = "lab"
duration = "1 s"
[guest]
flavour = "lab"
privileged = true
[[wire]]
between = ["h1", "h2"]
rate = "10 Mbit/s"
[[program]]
node = "h1"
command = "ip netns add inner && nft add table inet t && ip netns list && nft list tables"
"""


def runs_a_lab(airtcp, work, **settings):
    (work / "lab.toml").write_text(LAB)
    answer = airtcp("run", "lab.toml", "--fresh", **settings)
    assert answer.returncode == 0, answer.stderr
    (folder,) = re.findall(r"Run folder: (\S+)", answer.stdout)
    outputs = [file.read_text() for file in (work / folder).glob("programs/*.out")]
    assert any("inner" in text and "table inet t" in text for text in outputs), outputs


def test_the_wheel_of_the_lab_kernel_is_found(installed_for_labs, work):
    """An ordinary user, without a compiler or a folder of kernels."""
    airtcp = command_of(installed_for_labs, work)
    told = airtcp("kernel", "path", "--series", "6.12-lab")
    assert told.stdout.startswith(str(installed_for_labs)), told.stderr
    assert airtcp("doctor", "--series", "6.12-lab").stdout.endswith("No problems found.\n")
    runs_a_lab(airtcp, work)
    (package,) = installed_for_labs.glob("lib/python3*/site-packages/airtcp_lab_kernel")
    assert "linux-source-6.12=" in (package / "SOURCE.md").read_text()
    assert "GNU GENERAL PUBLIC LICENSE" in (package / "COPYING").read_text()


def test_without_the_lab_kernel_the_message_names_its_wheel(airtcp, work, place):
    (place / "none").mkdir()
    (work / "lab.toml").write_text(LAB)
    answer = airtcp("run", "lab.toml", "--fresh", AIRTCP_KERNELS=str(place / "none"))
    assert answer.returncode == 2
    assert "Install the wheel airtcp_lab_kernel-" in answer.stderr
    assert "airtcp kernel build --flavour lab" in answer.stderr


def test_a_kernel_wheel_of_another_version_is_refused(installed_for_labs, work):
    (about,) = installed_for_labs.glob("lib/python3*/site-packages/airtcp_lab_kernel-*.dist-info/METADATA")
    text = about.read_text()
    about.write_text(text.replace("\nVersion: ", "\nVersion: 9."))
    try:
        told = command_of(installed_for_labs, work)("kernel", "path", "--series", "6.12-lab")
    finally:
        about.write_text(text)
    assert told.returncode == 2
    assert "airtcp-lab-kernel 9." in told.stderr
    assert "is not for airtcp" in told.stderr


def test_a_class_shares_a_folder_of_kernels(installed_for_labs, airtcp, work, place):
    """One person copies the kernel; the others have airtcp's wheel alone, and may only read the folder."""
    shared = place / "kernels"
    shared.mkdir()
    if os.getuid() == 0:
        shutil.chown(shared, NOBODY)
    copied = command_of(installed_for_labs, work)("kernel", "copy", str(shared), "--series", "6.12-lab")
    assert copied.returncode == 0, copied.stderr
    shared.chmod(0o555)
    told = airtcp("kernel", "path", "--series", "6.12-lab", AIRTCP_KERNELS=str(shared))
    assert told.stdout.startswith(str(shared)), told.stderr
    runs_a_lab(airtcp, work, AIRTCP_KERNELS=str(shared))


def test_the_wheel_has_the_manual_and_the_examples(airtcp):
    """A class has no network, and messages point to pages."""
    assert airtcp("docs").stdout == (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    page = airtcp("docs", "how-to/queues", "--path").stdout.strip()
    assert Path(page).parts[-4:] == ("_manual", "docs", "how-to", "queues.md")
    assert "Root of every random stream" in airtcp("help", "seed").stdout
    told = airtcp("init", "--examples", "--out", "/tmp/airtcp-wheel-examples-of-a-test")
    copied = Path("/tmp/airtcp-wheel-examples-of-a-test")
    try:
        assert told.returncode == 0, told.stderr
        assert (copied / "first-look.ipynb").is_file()
    finally:
        shutil.rmtree(copied, ignore_errors=True)


def test_the_installed_wheel_is_what_runs(airtcp, installed):
    packages = airtcp("kernel", "path")
    assert packages.stdout.strip().startswith(str(installed)), packages.stderr
    studies = airtcp("study", "--list")
    assert "aoyagi2023" in studies.stdout, studies.stderr


def test_doctor_finds_all_well(airtcp):
    answer = airtcp("doctor")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "MISSING" not in answer.stdout
    assert "ok       determinism" in answer.stdout


def test_a_first_run_at_once(airtcp, work):
    answer = airtcp("run", "first.toml", "--store", "first-runs")
    assert answer.returncode == 0, answer.stderr
    (folder,) = (work / "first-runs").glob("[!.]*")
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["agent"]["flows"][0]["congestion_control"] == "cubic"
    assert {path.name for path in work.iterdir()} <= {"first.toml", "first-runs", "lab.toml", "runs"}
