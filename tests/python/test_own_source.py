"""Kernels of one's own source: which patches a version gets, how a tree is brought up to date, what is refused."""

import difflib
import os
import subprocess
from pathlib import Path

import pytest
from airtcp.kernels import build_tree, hooks
from airtcp.kernels.build_tree import BuildTree, DoesNotApply, Recipe, check_source
from airtcp.kernels.hooks import hooks_for, patch_folders, version_of
from airtcp.kernels.name import chosen, patches_of
from airtcp.kernels.patching import touched_files
from airtcp.kernels.source import kernel_source
from airtcp.kernels.source_tree import NoLinuxTree, SourceFolder, linux_version
from airtcp.kernels.table import FLAVOURS, PATCHES_UNTIL, PLAIN, SERIES
from airtcp.scenario.compile.compiler import compile_file
from airtcp.scenario.errors import ScenarioError
from test_scenario import BASE, FLOW

MAKEFILE = "VERSION = 7\nPATCHLEVEL = 4\nSUBLEVEL = 0\nEXTRAVERSION = -rc2\n\nall:\n"
TCP = "".join(f"line {number}\n" for number in range(1, 21))


def patch_of(name: str, before: str, after: str) -> str:
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), f"a/{name}", f"b/{name}")
    return "Subject: a change\n---\n" + "".join(lines)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in place of `kernel`, with two patches, one in two variants, and a file of ours."""
    folder = tmp_path / "kernel"
    for name, text in {
        "patches/0001-common.patch": patch_of("net/tcp.c", TCP, TCP.replace("line 3\n", "line three\n")),
        "patches/6.12/0002-by-version.patch": patch_of("net/udp.c", TCP, TCP.replace("line 2\n", "old\n")),
        "patches/7.2/0002-by-version.patch": patch_of("net/udp.c", TCP, TCP.replace("line 10\n", "new\n")),
        "patches/6.12/0028-until.patch": patch_of("net/udp.c", TCP, TCP.replace("line 1\n", "gone\n")),
        "src/net/own.c": "int own;\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    monkeypatch.setattr(hooks, "kernel_source", lambda: folder)
    monkeypatch.setattr(build_tree, "kernel_source", lambda: folder)
    return folder


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A tree with two files that patches change, one that none does, and what a build in it has left."""
    folder = tmp_path / "linux"
    for name, text in {
        "Makefile": MAKEFILE,
        "net/tcp.c": TCP,
        "net/udp.c": TCP,
        "net/plain.c": TCP,
        "arch/um/kernel/vmlinux.lds.S": "lds",
        "net/plain.o": "object",
        ".config": "CONFIG_X=y",
        "include/generated/autoconf.h": "generated",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def names(found: list[hooks.Hook]) -> list[str]:
    return [f"{hook.number} {hook.variants[0].first} {hook.required}" for hook in found]


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("6.12", ["0001  True", "0002 6.12 True"]),
        ("6.18", ["0001  True", "0002 6.12 True"]),
        ("7.2", ["0001  True", "0002 7.2 True"]),
        ("8.0", ["0001  True", "0002 7.2 True"]),
        ("6.1", ["0001  True", "0002 6.12 False"]),
    ],
)
@pytest.mark.usefixtures("kernel")
def test_a_patch_serves_from_its_version_on(version: str, expected: list[str]) -> None:
    """0028 serves until 6.12 (series.toml), so nothing here has it; before 6.12 it was not needed, as far as folders tell."""
    assert names(hooks_for(version_of(version), patch_folders(PLAIN))) == expected


@pytest.mark.usefixtures("kernel")
def test_the_first_variant_that_applies_is_taken(source: Path) -> None:
    """The line that the newest variant changes is not there: the older one is tried, and says so."""
    (source / "net/udp.c").write_text(TCP.replace("line 10\n", "another\n"))
    version, outcomes = check_source(source, [], PLAIN)
    assert version == "7.4.0-rc2"
    taken = {outcome.hook.number: outcome.variant and outcome.variant.first for outcome in outcomes}
    assert taken == {"0001": "", "0002": "6.12"}
    ((_, refusals),) = outcomes[1].refused
    assert str(refusals[0]) == "net/udp.c: hunk 1, at line 7"
    assert not any(outcome.missing for outcome in outcomes)


@pytest.mark.usefixtures("kernel")
def test_what_does_not_apply_is_told_with_its_place(source: Path) -> None:
    (source / "net/tcp.c").write_text("")
    (source / "net/udp.c").unlink()
    missing = [outcome for outcome in check_source(source, [], PLAIN)[1] if outcome.missing]
    assert [outcome.hook.number for outcome in missing] == ["0001", "0002"]
    with pytest.raises(DoesNotApply, match=r"(?s)0001-common: does not apply.*net/tcp.c: hunk 1, at line 1"):
        BuildTree(source.parent / "tree").update(Recipe(str(source)))


def test_only_what_changed_is_written(kernel: Path, source: Path, tmp_path: Path) -> None:
    """So that make compiles only that: a second update changes nothing, then exactly the files that are new."""
    tree = BuildTree(tmp_path / "own")
    state, _ = tree.update(Recipe(str(source)))
    assert (state.version, state.series) == ("7.4.0-rc2", "7.2")
    there = {str(file.relative_to(tree.tree)) for file in tree.tree.rglob("*") if file.is_file()}
    assert there == {
        *("Makefile", "net/tcp.c", "net/udp.c", "net/plain.c", "net/own.c", "arch/um/kernel/vmlinux.lds.S")
    }
    assert "line three" in (tree.tree / "net/tcp.c").read_text()
    (tree.tree / "net/plain.o").write_text("compiled here")
    before = times(tree.tree)
    assert tree.update(Recipe(str(source)))[1] == set()
    assert times(tree.tree) == before

    (source / "net/plain.c").write_text("changed")
    (source / "net/tcp.c").write_text(TCP + "line 21\n")
    os.utime(source / "net/udp.c")
    (source / "net/new.c").write_text("new")
    (kernel / "src/net/own.c").unlink()
    told = tree.update(Recipe(str(source)))[1]
    assert told == {"net/plain.c", "net/tcp.c", "net/new.c", "net/own.c"}
    changed = {name for name, time in times(tree.tree).items() if before.get(name) != time}
    assert changed == {"net/plain.c", "net/tcp.c", "net/new.c"}
    assert not (tree.tree / "net/own.c").exists()
    assert (tree.tree / "net/tcp.c").read_text() == TCP.replace("line 3\n", "line three\n") + "line 21\n"

    (source / "net/plain.c").unlink()
    (kernel / "patches/0001-common.patch").unlink()
    tree.update(Recipe(str(source)))
    assert not (tree.tree / "net/plain.c").exists()
    assert (tree.tree / "net/tcp.c").read_text() == TCP + "line 21\n", "no patch changes it any more"


def times(tree: Path) -> dict[str, int]:
    return {
        str(file.relative_to(tree)): file.stat().st_mtime_ns for file in tree.rglob("*") if file.is_file()
    }


@pytest.mark.usefixtures("kernel")
def test_ones_own_patches_come_first(source: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.patch"
    own.write_text(patch_of("net/tcp.c", TCP, TCP.replace("line 15\n", "mine\n")))
    tree = BuildTree(tmp_path / "own")
    tree.update(Recipe(str(source), (str(own),)))
    assert {"mine", "line three"} <= set((tree.tree / "net/tcp.c").read_text().splitlines())
    own.write_text(patch_of("net/tcp.c", "x\n" + TCP, "y\n" + TCP))
    with pytest.raises(DoesNotApply, match=r"own.patch does not apply:\n  net/tcp.c: hunk 1, at line 1"):
        tree.update(Recipe(str(source), (str(own),)))


def test_a_clone_has_what_git_knows(source: Path) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", "-C", str(source), *words], check=True, capture_output=True)

    git("init", "-q")
    (source / ".gitignore").write_text("*.o\n.config\n/include/generated\n")
    git("add", "Makefile", "net/tcp.c", "net/udp.c", ".gitignore")
    found = set(SourceFolder(source).stamps())
    assert found == {
        ".gitignore",
        "Makefile",
        "net/tcp.c",
        "net/udp.c",
        "net/plain.c",
        "arch/um/kernel/vmlinux.lds.S",
    }


@pytest.mark.usefixtures("kernel")
def test_an_archive_is_a_source(source: Path, tmp_path: Path) -> None:
    archive = tmp_path / "linux.tar.xz"
    subprocess.run(["tar", "-cJf", archive, "-C", source.parent, "linux"], check=True)
    assert check_source(archive, [], PLAIN)[0] == "7.4.0-rc2"
    tree = BuildTree(tmp_path / "own")
    tree.update(Recipe(str(archive)))
    assert "line three" in (tree.tree / "net/tcp.c").read_text()
    assert tree.update(Recipe(str(archive)))[1] == set()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda _: None, "no such folder or archive"),
        (lambda path: path.mkdir(), "no Makefile"),
        (lambda path: path.write_text("text"), "can't be unpacked"),
    ],
)
def test_what_is_no_source_is_refused(tmp_path: Path, make, says: str) -> None:
    make(tmp_path / "it")
    with pytest.raises(NoLinuxTree, match=says):
        check_source(tmp_path / "it", [], PLAIN)


def test_a_makefile_of_something_else_is_refused() -> None:
    with pytest.raises(NoLinuxTree, match="VERSION"):
        linux_version("all:\n\techo\n")


@pytest.mark.parametrize("flavour", [PLAIN, *FLAVOURS])
def test_no_patch_is_a_copy_of_the_one_before(flavour: str) -> None:
    """A version without a variant of its own has that of the version before."""
    for hook in hooks_for((99, 0), patch_folders(flavour)):
        texts = [variant.file.read_bytes() for variant in hook.variants]
        assert len(set(texts)) == len(texts), hook.name


def test_numbers_that_end_are_those_of_patches() -> None:
    numbers = {patch.name[:4] for patch in (kernel_source() / "patches").rglob("*.patch")}
    assert set(PATCHES_UNTIL) <= numbers


def test_a_series_has_each_number_once() -> None:
    for series in SERIES:
        numbers = [patch.name[:4] for patch in patches_of(chosen(series, "", ""))]
        assert numbers == sorted(set(numbers))


def test_a_scenario_may_name_a_kernel_of_its_own(scenario_file, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("AIRTCP_KERNELS", str(tmp_path))
    text = 'kernel = "next"\nhz = 1000\n' + BASE + FLOW
    with pytest.raises(
        ScenarioError, match=r'no kernel "next" is built here; .*build it: airtcp kernel build --name next'
    ):
        compile_file(scenario_file(text + 'cca = "prague"\n'))
    (tmp_path / "next-hz1000").mkdir()
    (tmp_path / "next-hz1000" / "kernel.json").write_text(
        '{"base": "6.1", "version": "6.5.0", "congestion_controls": ["cubic", "prague"]}'
    )
    plan = compile_file(scenario_file(text + 'cca = "prague"\n'))
    assert (plan["kernel"], plan["dscp_map"]) == ("next-hz1000", SERIES["6.1"].dscp_map)
    with pytest.raises(ScenarioError, match=r'unknown congestion control "vegas".*TCP_CONG_NAME=y'):
        compile_file(scenario_file(text + 'cca = "vegas"\n'))


@pytest.mark.parametrize("name", ["lab", "hz100", "plain", "a-b", "a+b", "x" * 32, "A"])
def test_names_that_mean_something_else_are_refused(scenario_file, name: str) -> None:
    with pytest.raises(ScenarioError, match=r"is not a kernel series|no kernel|has a key of its own"):
        compile_file(scenario_file(f'kernel = "{name}"\n' + BASE + FLOW))


def test_touched_files_are_those_of_both_sides(tmp_path: Path) -> None:
    patch = tmp_path / "p.patch"
    patch.write_text("--- a/old.c\n+++ b/new.c\n--- /dev/null\n+++ b/made.c\n")
    assert touched_files([patch]) == {"old.c", "new.c", "made.c"}
