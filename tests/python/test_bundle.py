"""What an installed wheel brings is found and can be started, whatever became of its permissions."""

import os

import pytest
from airtcp.errors import AirtcpError
from airtcp.execution import bundle
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.kernels import source


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A package beside no source tree, as a wheel leaves it: nothing is executable yet."""
    package = tmp_path / "site-packages" / "airtcp"
    programs = package / "_bin"
    kernel = programs / "kernels" / "6.12"
    kernel.mkdir(parents=True)
    for file in (programs / "airtcp-runner", kernel / "linux", programs / "libairtcp_guest.so"):
        file.write_bytes(b"#!/bin/sh\n" + file.name.encode())
        file.chmod(0o644)
    (kernel / "kernel.json").write_text("{}")
    monkeypatch.setattr(bundle, "BUNDLE", programs)
    monkeypatch.setattr(source, "_PACKAGE", package)
    monkeypatch.delenv("AIRTCP_RUNNER", raising=False)
    monkeypatch.delenv("AIRTCP_KERNELS", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return programs


@pytest.fixture
def read_only(installed, monkeypatch):
    """Of another user, or mounted read-only: permissions can't be changed (root could, here)."""

    def refuse(self, *_, **__):
        if self.is_relative_to(installed):
            raise PermissionError(1, "Operation not permitted")
        os.chmod(self, 0o755)  # noqa: PTH101

    monkeypatch.setattr("pathlib.Path.chmod", refuse)
    return installed


def test_lost_permissions_are_given_back(installed):
    assert find_runner() == installed / "airtcp-runner"
    assert find_kernel("6.12") == installed / "kernels" / "6.12"
    assert os.access(installed / "airtcp-runner", os.X_OK)
    assert os.access(installed / "kernels" / "6.12" / "linux", os.X_OK)


def test_where_they_cant_be_given_back_a_copy_is_started(read_only, tmp_path):
    runner, kernel = find_runner(), find_kernel("6.12")
    assert runner.is_relative_to(tmp_path / "cache" / "airtcp")
    assert kernel.parents[1] == runner.parent
    assert os.access(runner, os.X_OK)
    assert os.access(kernel / "linux", os.X_OK)
    assert (runner.parent / "libairtcp_guest.so").read_bytes() == (
        read_only / "libairtcp_guest.so"
    ).read_bytes()
    assert [path.name for path in runner.parents[1].iterdir()] == [runner.parent.name], "nothing else is left"
    assert find_runner() == runner, "it is copied once"


def test_another_version_is_another_copy(read_only):
    first = find_runner()
    (read_only / "libairtcp_guest.so").write_bytes(b"changed")
    assert find_runner().parent != first.parent


@pytest.mark.usefixtures("read_only")
def test_without_a_place_for_the_copy_the_error_names_the_remedy(tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("not a folder")
    with pytest.raises(AirtcpError, match="XDG_CACHE_HOME"):
        find_runner()
    monkeypatch.setattr(bundle, "_may_start", lambda _: False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "noexec"))
    with pytest.raises(AirtcpError, match="is not executable either"):
        find_runner()


@pytest.mark.usefixtures("read_only")
def test_a_user_without_home_is_told(monkeypatch):
    def nowhere():
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("pathlib.Path.home", nowhere)
    with pytest.raises(
        AirtcpError, match="are not executable, and they can't be copied: this user has no home folder"
    ):
        find_runner()


def test_the_variable_wins_over_the_wheel(installed, kernel, monkeypatch, tmp_path):
    monkeypatch.setenv("AIRTCP_KERNELS", str(kernel.parent))
    assert find_kernel("6.12") == kernel
    monkeypatch.setenv("AIRTCP_KERNELS", str(tmp_path / "empty"))
    assert find_kernel("6.12") == installed / "kernels" / "6.12"


@pytest.mark.usefixtures("installed")
def test_another_series_is_looked_for_in_the_cache(tmp_path):
    with pytest.raises(AirtcpError, match=r"no kernel 6\.1 is built"):
        find_kernel("6.1")
    folder = tmp_path / "cache" / "airtcp" / "kernels" / "6.1"
    folder.mkdir(parents=True)
    for name in ("linux", "kernel.json"):
        (folder / name).write_text("")
    assert find_kernel("6.1") == folder


def test_a_package_without_its_programs_is_told(installed):
    (installed / "airtcp-runner").unlink()
    with pytest.raises(AirtcpError, match="make wheel"):
        find_runner()
