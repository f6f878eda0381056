"""A server and a client of SSH for tests, with keys, users and configurations of their own."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from support.real_network import RealNetwork, sh

SERVER = "/usr/sbin/sshd"
CLIENT = "/usr/bin/ssh"
# The folder that sshd wants for the process without privileges; systems have it where a server runs.
EMPTY = Path("/run/sshd")


@dataclass
class Ssh:
    """Ways into the nodes of a network: `ssh NODE` and `ssh root-NODE`, by the client in the folder `path`.

    A connection starts a server of its own in the node's namespace, as inetd does (`sshd -i`).
    """

    network: RealNetwork
    folder: Path
    user: str = field(default_factory=lambda: f"airtcp-{os.getpid()}")

    def __enter__(self) -> "Ssh":
        if not Path(SERVER).exists():
            pytest.fail(f"{SERVER} is missing: make test-deps")
        EMPTY.mkdir(mode=0o755, exist_ok=True)
        self.path.mkdir(parents=True)
        # The user must reach the keys that the server reads for it.
        self.folder.chmod(0o755)
        home = self.folder / "home"
        sh("useradd", "--home-dir", str(home), "--create-home", "--shell", "/bin/sh", self.user)
        # No password, and not locked: sshd refuses users that are locked.
        sh("usermod", "--password", "*", self.user)
        for key in ("host", "own"):
            sh("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(self.folder / key))
        shutil.copy(self.folder / "own.pub", self.folder / "authorized")
        self._write_server()
        self._write_client()
        return self

    def __exit__(self, *_: object) -> None:
        subprocess.run(["pkill", "-KILL", "-u", self.user], check=False)
        sh("userdel", self.user, check=False)

    @property
    def path(self) -> Path:
        """The folder of the client, for PATH: it reads the configuration of the test instead of the user's."""
        return self.folder / "bin"

    def ways(self, *nodes: str, root: bool = False) -> dict[str, str]:
        """Ways into nodes, for lab files."""
        return {node: f'ssh = "{"root-" if root else ""}{node}"' for node in nodes}

    def files(self) -> list[str]:
        """Files of the user in folders of temporary files."""
        folders = ("/tmp", "/var/tmp", "/dev/shm", str(self.folder / "home"))
        found = sh("find", *folders, "-maxdepth", "1", "-user", self.user, "-name", "airtcp-*", check=False)
        return sorted(found.split())

    def processes(self) -> list[int]:
        """Processes of the user."""
        return [int(word) for word in sh("pgrep", "-u", self.user, check=False).split()]

    def _write_server(self) -> None:
        lines = [
            f"HostKey {self.folder / 'host'}",
            f"AuthorizedKeysFile {self.folder / 'authorized'}",
            # The folders of tests belong to whoever runs them.
            "StrictModes no",
            "PasswordAuthentication no",
            "KbdInteractiveAuthentication no",
            "PermitRootLogin prohibit-password",
            "UsePAM no",
            "PidFile none",
        ]
        (self.folder / "sshd_config").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def _write_client(self) -> None:
        lines = []
        for node in ("h1", "r1", "h2"):
            server = (
                f"ip netns exec {self.network.namespace(node)} {SERVER} -i -f {self.folder / 'sshd_config'}"
            )
            for alias, user in ((node, self.user), (f"root-{node}", "root")):
                lines += [f"Host {alias}", f"  User {user}", f"  ProxyCommand {server}"]
        lines += ["Host closed", "  HostName 127.0.0.1", "  Port 1"]
        lines += [
            "Host *",
            f"  IdentityFile {self.folder / 'own'}",
            "  IdentitiesOnly yes",
            "  StrictHostKeyChecking no",
            f"  UserKnownHostsFile {self.folder / 'known'}",
            "  LogLevel ERROR",
        ]
        (self.folder / "ssh_config").write_text("\n".join(lines) + "\n", encoding="utf-8")
        client = self.path / "ssh"
        client.write_text(f'#!/bin/sh\nexec {CLIENT} -F {self.folder / "ssh_config"} "$@"\n')
        client.chmod(0o755)
