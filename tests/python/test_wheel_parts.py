"""What the wheel says of its programs: the platform they need, where the kernel's source is, whose code is inside."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from kernel_source import source_note
from notices import PROGRAMS, TARGET, crate_notices, licence_texts
from platform_tag import wheel_tag

ROOT = Path(__file__).resolve().parents[2]


def needed_glibc(file):
    """The same by other means: the names of versions in the text that objdump prints."""
    text = subprocess.run(["objdump", "-T", str(file)], capture_output=True, text=True, check=True).stdout
    numbers = [
        word.strip("()").removeprefix("GLIBC_").split(".") for word in text.split() if "GLIBC_2" in word
    ]
    return max((int(major), int(minor)) for major, minor, *_ in numbers)


def test_the_tag_is_that_of_the_newest_symbol():
    shell, env = Path("/bin/sh"), Path("/usr/bin/env")
    newest = max(needed_glibc(shell), needed_glibc(env))
    assert wheel_tag([shell, env]) == f"manylinux_{newest[0]}_{newest[1]}_x86_64"


def test_a_program_with_libraries_of_its_own_is_refused():
    with pytest.raises(SystemExit, match=r"/bin/tar: needs .*, which not every system has"):
        wheel_tag([Path("/bin/tar")])


def test_a_program_of_another_machine_is_refused(tmp_path):
    other = bytearray(Path("/usr/bin/env").read_bytes()[:64])
    other[18:20] = (183).to_bytes(2, "little")  # e_machine: EM_AARCH64 (elf(5))
    (tmp_path / "program").write_bytes(other.ljust(64, b"\0"))
    with pytest.raises(SystemExit, match="built for AArch64"):
        wheel_tag([tmp_path / "program"])


def test_the_note_names_package_version_and_recipe(tmp_path):
    info = {"series": "6.12", "release": "6.12.9-airtcp", "source": "linux-source-6.12 6.12.9-1~deb12u1"}
    info |= {"recipe": "0123456789ab", "compiler": "gcc 12", "id": "fedcba9876543210"}
    (tmp_path / "kernel.json").write_text(json.dumps(info))
    note = source_note(tmp_path / "kernel.json", "airtcp/_bin/kernels/6.12/linux")
    for part in (
        "linux-source-6.12=6.12.9-1~deb12u1",
        "0123456789ab",
        "fedcba9876543210",
        "gcc 12",
        "snapshot.debian.org",
    ):
        assert part in note


def test_the_notices_have_what_is_linked_and_nothing_else():
    text = crate_notices(ROOT)
    listed = text[: text.index("=====")]
    for crate in ("parquet", "xxhash-rust", "rustix", "serde_json"):
        assert f"\n{crate} " in listed
    for crate in ("proptest", "criterion", "insta", "airtcp-air"):
        assert f"\n{crate} " not in listed
    assert "Apache License" in text
    assert str(Path.home()) not in text


def linked_crates():
    """The same by other means: the trees that cargo prints, without airtcp's own crates."""
    command = ["cargo", "tree", "--locked", "--edges", "normal", "--prefix", "none", "--target", TARGET]
    command += [word for program in PROGRAMS for word in ("--package", program)]
    tree = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    lines = {tuple(line.split()[:2]) for line in tree.splitlines() if line and f"({ROOT}" not in line}
    return {f"{name} {version.removeprefix('v')}" for name, version in lines}


def test_no_crate_is_without_its_notice():
    text = crate_notices(ROOT)
    head, *sections = text.split("=" * 100)
    noticed = {crate for section in sections for crate in section.strip().splitlines()[0].split(", ")}
    linked = linked_crates()
    assert {"landlock", "seccompiler", "enumflags2"} <= {crate.split()[0] for crate in linked}
    assert linked <= noticed
    assert all(f"\n{crate}: " in head for crate in linked)
    # A notice too many does no harm: cargo metadata counts features that only tests ask for.
    assert "The GNU C library" in noticed
    assert "GNU LESSER GENERAL PUBLIC LICENSE" in text


def test_a_crate_without_the_text_of_its_licence_is_an_error(tmp_path):
    crate = {
        "name": "bare",
        "version": "1.0.0",
        "license": "MIT",
        "manifest_path": str(tmp_path / "Cargo.toml"),
    }
    with pytest.raises(SystemExit, match=r"bare 1\.0\.0 .* brings no text of its licence"):
        licence_texts(crate)
    (tmp_path / "LICENSE-MIT").write_text("\n")
    with pytest.raises(SystemExit, match="brings no text"):
        licence_texts(crate)
    (tmp_path / "LICENSE-MIT").write_text("Permission is hereby granted\n")
    assert licence_texts(crate) == ["Permission is hereby granted"]


def test_without_the_programs_no_wheel_is_made(tmp_path):
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    answer = subprocess.run(
        [*command, "--wheel-dir", str(tmp_path), str(ROOT)],
        env={**os.environ, "AIRTCP_RUNNER": str(tmp_path / "airtcp-runner")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode != 0
    assert "'make wheel' builds them" in answer.stdout + answer.stderr
    assert list(tmp_path.iterdir()) == []
