"""Bisection: conditions, and the search in planted histories; no kernel is built."""

import subprocess
from pathlib import Path

import pytest
from airtcp.bisection import kernel_tree
from airtcp.bisection.condition import read_condition, values_text
from airtcp.bisection.history import patch_files, patch_series, worktree
from airtcp.bisection.kernel_test import KernelTest, kernel_of
from airtcp.bisection.search import EndIsWrong, Judged, Search, overlapping
from airtcp.cli import bisect as command
from airtcp.errors import AirtcpError
from airtcp.execution import kernel_build
from airtcp.execution.kernel_build import BuildFailed, build_quietly, reason_of
from airtcp.kernels.name import KernelName

COMMITS = 64


def git(folder, *words):
    call = ["git", "-C", str(folder), "-c", "user.name=t", "-c", "user.email=t@example.org", *words]
    return subprocess.run(call, check=True, capture_output=True, text=True).stdout.strip()


def commit(folder, subject, **files):
    for name, text in files.items():
        (folder / name).write_text(text)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", subject)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    folder = tmp_path / "linux"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch", "main")
    commit(folder, "begin", value="good", step="0")
    return folder


def judge(folder):
    """What stands in the file `value`: good, bad, or skip."""

    def test():
        value = (folder / "value").read_text()
        return Judged(value, f"value {value}", {"rtt": [1.0 if value == "good" else 2.0]})

    return test


def searched(repository, tmp_path, good, bad="HEAD"):
    steps = []
    with worktree(repository, (good, bad), tmp_path / "aside") as history:
        found = Search(history, judge(history.folder), steps.append).run()
    return found, steps


def planted(repository, position, skipped=()):
    """A history of 64 commits, of which that at the position and all after it are bad."""
    ids = [git(repository, "rev-parse", "HEAD")]
    for number in range(1, COMMITS + 1):
        value = "skip" if number in skipped else "bad" if number >= position else "good"
        ids.append(commit(repository, f"commit {number}", value=value, step=str(number)))
    return ids


@pytest.mark.parametrize("position", [1, 2, 7, 20, 31, 32, 33, 50, 63, 64])
def test_the_first_bad_commit_of_64_is_found_wherever_it_is(repository, tmp_path, position):
    ids = planted(repository, position)
    found, steps = searched(repository, tmp_path, ids[0])
    assert [one.id for one in found.commits] == [ids[position]]
    assert found.commits[0].subject == f"commit {position}"
    # Both ends, and the logarithm of 64.
    assert len(steps) <= 2 + 6
    assert found.tested(found.commits[0]).verdict == "bad"


def test_commits_that_cannot_be_tested_are_skipped(repository, tmp_path):
    ids = planted(repository, 40, skipped=(30, 31, 32, 33, 34))
    found, _ = searched(repository, tmp_path, ids[0])
    assert [one.id for one in found.commits] == [ids[40]]
    assert found.skipped >= 1


def test_if_only_skipped_commits_are_left_all_that_may_be_it_are_told(repository, tmp_path):
    ids = planted(repository, 40, skipped=(38, 39))
    found, _ = searched(repository, tmp_path, ids[0])
    assert {one.id for one in found.commits} == {ids[38], ids[39], ids[40]}


def test_the_commit_on_a_merged_branch_is_found(repository, tmp_path):
    begin = git(repository, "rev-parse", "HEAD")
    git(repository, "checkout", "--quiet", "-b", "topic")
    commit(repository, "topic 1", topic="1")
    wanted = commit(repository, "topic 2", value="bad")
    commit(repository, "topic 3", topic="3")
    git(repository, "checkout", "--quiet", "main")
    for number in range(8):
        commit(repository, f"main {number}", step=f"main {number}")
    git(repository, "merge", "--quiet", "--no-ff", "--message", "merge topic", "topic")
    for number in range(8):
        commit(repository, f"later {number}", step=f"later {number}")
    found, _ = searched(repository, tmp_path, begin)
    assert [one.id for one in found.commits] == [wanted]


def test_the_checkout_of_the_user_is_not_touched(repository, tmp_path):
    ids = planted(repository, 10)
    (repository / "value").write_text("changed by hand")
    (repository / ".git" / "hooks" / "post-checkout").write_text("#!/bin/sh\ntouch hooked\n")
    (repository / ".git" / "hooks" / "post-checkout").chmod(0o755)
    before = git(repository, "status", "--porcelain", "--branch"), git(repository, "for-each-ref")
    found, _ = searched(repository, tmp_path, ids[0])
    assert found.commits[0].id == ids[10]
    assert (git(repository, "status", "--porcelain", "--branch"), git(repository, "for-each-ref")) == before
    assert git(repository, "worktree", "list").count("\n") == 0
    assert not (tmp_path / "aside").exists()
    assert (repository / "value").read_text() == "changed by hand"


def test_an_end_that_is_not_what_is_said_of_it_ends_the_search(repository, tmp_path):
    ids = planted(repository, 10, skipped=(20,))
    with pytest.raises(EndIsWrong, match="the bad end meets the condition, too: value good"):
        searched(repository, tmp_path, ids[0], ids[9])
    with pytest.raises(EndIsWrong, match="the good end does not meet the condition: value bad"):
        searched(repository, tmp_path, ids[11])
    with pytest.raises(EndIsWrong, match="the bad end can't be tested"):
        searched(repository, tmp_path, ids[0], ids[20])
    with pytest.raises(AirtcpError, match="are the same commit"):
        searched(repository, tmp_path, ids[3], ids[3])
    with pytest.raises(AirtcpError, match='has no commit "nosuch"'):
        searched(repository, tmp_path, "nosuch")
    with pytest.raises(AirtcpError, match="is no repository of git"):
        searched(tmp_path, tmp_path, "a")
    assert git(repository, "worktree", "list").count("\n") == 0


def test_a_regression_that_was_fixed_before_the_good_commit_is_told(repository, tmp_path):
    git(repository, "checkout", "--quiet", "-b", "fixed")
    base = commit(repository, "base is bad", value="bad")
    good = commit(repository, "fix", value="good")
    git(repository, "checkout", "--quiet", "-b", "other", base)
    commit(repository, "other", step="1")
    with pytest.raises(AirtcpError, match="merge base"):
        searched(repository, tmp_path, good, "other")


def test_the_first_bad_of_a_series_of_patches_is_found(tmp_path):
    folder = tmp_path / "series"
    folder.mkdir()
    for number in range(1, 21):
        (folder / f"{number:04}-change.patch").write_text("")
    (folder / "README").write_text("")
    files = patch_files([folder])
    assert [file.name for file in files] == [f"{number:04}-change.patch" for number in range(1, 21)]
    history = patch_series(files, ["--series", "6.12"], tmp_path / "history")

    def test():
        words = history.build_words()
        assert words[:2] == ["--series", "6.12"]
        count = words.count("--patch")
        assert words[3::2] == [str(file) for file in files[:count]]
        return Judged("skip" if count == 10 else "bad" if count >= 13 else "good", "")

    found = Search(history, test, lambda _: None).run()
    assert [one.subject for one in found.commits] == ["0013-change.patch"]
    with pytest.raises(AirtcpError, match="has no patches"):
        patch_files([tmp_path / "history"])


# Conditions.


@pytest.mark.parametrize(
    ("text", "values", "met"),
    [
        ("rtt.p95 < 40 ms", {"rtt.p95": 39.9}, True),
        ("rtt.p95 < 40 ms", {"rtt.p95": 40.0}, False),
        ("rtt.p95 < 0.04 s", {"rtt.p95": 39.9}, True),
        ("throughput >= 20 Mbit/s", {"throughput": 20.0}, True),
        ("goodput>=20000 kbit/s", {"throughput": 19.9}, False),
        ("datagram_loss < 1 %", {"datagram_loss": 0.009}, True),
        ("datagram_loss < 1%", {"datagram_loss": 0.011}, False),
        ("retransmits <= 3 segments", {"retransmits": 3.0}, True),
        ("retransmits <= 3", {"retransmits": 4.0}, False),
        ("throughput > 5 Mbit/s and rtt < 9 ms", {"throughput": 6.0, "rtt": 10.0}, False),
        ("throughput > 5 Mbit/s or rtt < 9 ms", {"throughput": 6.0, "rtt": 10.0}, True),
    ],
)
def test_conditions_compare_quantities_in_their_units(text, values, met):
    assert read_condition(text).met(values) is met


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "says nothing"),
        ("rtt", "does not compare a quantity with a number"),
        ("rtt <", "does not compare"),
        ("rt < 3 ms", 'there is no quantity "rt". Did you mean "rtt"'),
        ("rtt < 3", '"3" has no unit'),
        ("rtt < 3 packets", "is not a unit of time"),
        ("rtt.p955 < 3 ms", 'there is no statistic "p955"'),
        ("jain_index > 2 ms", "can't be compared"),
        ("rtt < 3 ms and", "joins nothing"),
    ],
)
def test_wrong_conditions_are_told(text, told):
    with pytest.raises(AirtcpError, match=told.replace("(", r"\(")):
        read_condition(text)


def test_values_are_told_with_the_range_of_seeds():
    numbers = read_condition("rtt.p95 < 40 ms and throughput > 1 Mbit/s").numbers
    text = values_text(numbers, {"rtt.p95": [38.0, 40.0], "throughput": [2.0, 2.0]})
    assert text == "rtt.p95 39.00 ms (38.00 to 40.00), throughput 2.00 Mbit/s"


def test_ends_whose_seeds_overlap_are_told():
    good, bad = Judged("good", "", {"rtt": [1.0, 3.0]}), Judged("bad", "", {"rtt": [2.0, 5.0]})
    assert overlapping(good, bad) == ["rtt"]
    assert overlapping(good, Judged("bad", "", {"rtt": [3.5, 5.0]})) == []


# Building, and what is left.


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("  compiling 50 %\nnet/a.c:3:1: error: no\nairtcp: the compiler failed", "net/a.c:3:1: error: no"),
        (
            "airtcp: these patches of airtcp do not apply:\n  0001-a: does not apply",
            "these patches of airtcp do not apply:; 0001-a: does not apply",
        ),
        ("", "the builder ended with status 2"),
    ],
)
def test_the_reason_of_a_failed_build_is_the_builders(said, reason):
    assert reason_of(said, 2) == reason


def test_a_build_that_fails_is_an_error_with_its_reason(tmp_path, monkeypatch):
    script = tmp_path / "build"
    script.write_text("echo out; echo 'airtcp: no gcc' >&2; exit 1\n")
    monkeypatch.setattr(kernel_build, "kernel_builder", lambda: script)
    with pytest.raises(BuildFailed, match="no gcc"):
        build_quietly(["--name", "x"], tmp_path / "log")


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """A folder of kernels, and a builder that puts a kernel there as the real one does."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    monkeypatch.setenv("AIRTCP_KERNELS", str(folder))

    def build(words: list[str], log: Path) -> None:
        name = words[words.index("--name") + 1]
        log.write_text("built\n")
        (folder / f".own-{name}" / "tree").mkdir(parents=True, exist_ok=True)
        source = Path(words[words.index("--source") + 1])
        if (source / "value").read_text() == "skip":
            raise BuildFailed("net/a.c:1:1: error: no")
        built = folder / f"{name}-6.12-{(source / 'step').read_text()}"
        built.mkdir(exist_ok=True)
        (built / "linux").write_text((source / "value").read_text())
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to(built.name)

    monkeypatch.setattr(kernel_tree, "build_quietly", build)
    return folder


@pytest.fixture
def values(monkeypatch, kernels):  # noqa: ARG001 (before the runner is looked for)
    """Runs that have an RTT of 10 ms on good kernels, of 90 ms on others."""
    monkeypatch.setattr(KernelTest, "_runs", lambda _, kernel: [kernel])
    monkeypatch.setattr(
        KernelTest,
        "_values",
        lambda test, folders: {
            "rtt": [10.0 if (folders[0] / "linux").read_text() == "good" else 90.0] * len(test.seeds)
        },
    )
    monkeypatch.setattr("airtcp.execution.locate.find_runner", lambda: Path("runner"))


@pytest.mark.usefixtures("values")
def test_the_command_finds_the_commit_and_leaves_nothing(repository, first_toml, kernels, capsys):
    ids = planted(repository, 23, skipped=(32,))
    command.bisect(first_toml, "rtt < 40 ms", repository, ids[0])
    told = capsys.readouterr().out
    assert f"First bad commit: {ids[23]}  commit 23" in told
    assert "good end: rtt 10.00 ms" in told
    assert "first bad: rtt 90.00 ms" in told
    assert "skip  is not built: net/a.c:1:1: error: no" in told
    assert list(kernels.iterdir()) == []
    assert git(repository, "worktree", "list").count("\n") == 0


@pytest.mark.usefixtures("values")
def test_a_kept_tree_stays_and_the_next_search_removes_it(repository, first_toml, kernels):
    ids = planted(repository, 23)
    command.bisect(first_toml, "rtt < 40 ms", repository, ids[0], keep=True)
    # One kernel, of the last step; the worktree is of no use.
    names = sorted(each.name for each in kernels.iterdir())
    assert [name.partition("bisect_")[0] for name in names] == [".", ".own-", "", ""]
    assert git(repository, "worktree", "list").count("\n") == 0
    command.bisect(first_toml, "rtt < 40 ms", repository, ids[0])
    assert list(kernels.iterdir()) == []


@pytest.mark.usefixtures("values")
def test_an_interrupted_search_leaves_nothing(repository, first_toml, kernels, monkeypatch):
    ids = planted(repository, 23)

    def interrupted(_, kernel):
        if "-6.12-32" in kernel.name:
            raise KeyboardInterrupt
        return [kernel]

    monkeypatch.setattr(KernelTest, "_runs", interrupted)
    with pytest.raises(KeyboardInterrupt):
        command.bisect(first_toml, "rtt < 40 ms", repository, ids[0])
    assert list(kernels.iterdir()) == []
    assert git(repository, "worktree", "list").count("\n") == 0
    assert git(repository, "for-each-ref", "refs/bisect") == ""


def test_the_kernel_has_the_frequency_of_the_scenario(scenario_file, first_toml):
    text = first_toml.read_text()
    assert str(kernel_of(scenario_file(text), "bisect_1")) == "bisect_1"
    assert str(kernel_of(scenario_file(f"hz = 1000\n{text}"), "bisect_1")) == "bisect_1-hz1000"
    prague = text.replace("[[flow]]", '[[flow]]\ncca = "prague"')
    assert kernel_of(scenario_file(f"hz = 1000\n{prague}"), "bisect_1") == KernelName("bisect_1", hz=1000)
    with pytest.raises(AirtcpError, match="rat"):
        kernel_of(scenario_file(text.replace("rate", "rat")), "bisect_1")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, "there is nothing to search"),
        ({"source": Path("x")}, "there is nothing to search"),
        ({"patches": ["first.toml"], "good": "a"}, "exclude each other"),
    ],
)
def test_options_that_name_no_search_are_told(first_toml, options, told):
    patches = [first_toml] if "patches" in options else None
    with pytest.raises(AirtcpError, match=told):
        command.bisect(first_toml, "rtt < 4 ms", **{**options, "patches": patches})
