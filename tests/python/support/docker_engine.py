"""A Docker engine for tests: a daemon of its own, and containers that are nodes of a real network.

Containers have no network of Docker's. Their programs are those of this machine, from which the folder `/usr` is
mounted, so that no image has to be fetched.
"""

import io
import os
import shutil
import subprocess
import tarfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.real_network import sh

DAEMON = ("/usr/sbin/dockerd", "/usr/bin/dockerd", "/usr/local/bin/dockerd")
START_MOST_S = 30.0
IMAGE = "airtcp-test"


@dataclass
class Docker:
    """The daemon; `docker` in the folder `path` speaks to it."""

    folder: Path
    _daemon: "subprocess.Popen[bytes] | None" = None
    _containers: list[str] = field(default_factory=list)

    def __enter__(self) -> "Docker":
        program = next((name for name in DAEMON if Path(name).exists()), None)
        client = shutil.which("docker")
        if program is None or client is None or os.geteuid() != 0:
            pytest.skip(
                "no Docker engine can be started: it needs root, dockerd and docker (Debian: docker.io)"
            )
        self.path.mkdir(parents=True)
        script = f'#!/bin/sh\nexec {client} -H unix://{self.folder}/socket "$@"\n'
        (self.path / "docker").write_text(script, encoding="utf-8")
        (self.path / "docker").chmod(0o755)
        log = self.folder / "dockerd.log"
        options = ["--bridge=none", "--iptables=false", "--ip6tables=false", "--storage-driver=vfs"]
        places = {"data-root": "data", "exec-root": "exec", "pidfile": "pid", "host": "socket"}
        options += [
            f"--{key}={'unix://' if key == 'host' else ''}{self.folder / name}"
            for key, name in places.items()
        ]
        with log.open("wb") as file:
            self._daemon = subprocess.Popen([program, *options], stdout=file, stderr=file)
        try:
            self._await_start(log)
            self._load_image()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        for name in self._containers:
            subprocess.run([self.path / "docker", "rm", "-f", name], capture_output=True, check=False)
        if self._daemon is not None:
            self._daemon.terminate()
            self._daemon.wait(timeout=30)

    @property
    def path(self) -> Path:
        """The folder of the client, for PATH."""
        return self.folder / "bin"

    def start(self, name: str, *options: str) -> int:
        """Starts a container that does nothing; the number of its process."""
        self._containers.append(name)
        docker = str(self.path / "docker")
        mounts = ("-v", "/usr:/usr:ro")
        sh(
            docker,
            "run",
            "-d",
            "--network=none",
            "--name",
            name,
            *mounts,
            *options,
            IMAGE,
            "sleep",
            "3600",
        )
        return int(sh(docker, "inspect", "-f", "{{.State.Pid}}", name))

    def inside(self, name: str, *command: str) -> str:
        """What a command prints in a container."""
        return sh(str(self.path / "docker"), "exec", name, *command)

    def _await_start(self, log: Path) -> None:
        end = time.monotonic() + START_MOST_S
        asked = [self.path / "docker", "info"]
        while subprocess.run(asked, capture_output=True, check=False).returncode:
            daemon = self._daemon
            if daemon is None or daemon.poll() is not None or time.monotonic() > end:
                said = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
                pytest.skip(
                    f"no Docker engine can be started here: {said[-1] if said else 'dockerd says nothing'}"
                )
            time.sleep(0.1)

    def _load_image(self) -> None:
        """Nothing but folders, and the names of programs of a system whose `/bin` is `/usr/bin`."""
        content = io.BytesIO()
        with tarfile.open(fileobj=content, mode="w") as tar:
            for name in ("tmp", "var", "var/tmp", "root", "proc", "sys", "dev", "etc", "usr"):
                folder = tarfile.TarInfo(name)
                folder.type, folder.mode = tarfile.DIRTYPE, 0o1777 if name.endswith("tmp") else 0o755
                tar.addfile(folder)
            for name in ("bin", "sbin", "lib", "lib64"):
                link = tarfile.TarInfo(name)
                link.type, link.linkname = tarfile.SYMTYPE, f"usr/{name}"
                tar.addfile(link)
        command = [self.path / "docker", "import", "-", IMAGE]
        done = subprocess.run(command, input=content.getvalue(), capture_output=True, check=False)
        assert done.returncode == 0, done.stderr
