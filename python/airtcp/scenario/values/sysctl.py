"""Keys of kernel settings, as sysctl(8) writes them."""

import re

_KEY = re.compile(r"[a-z0-9_]+(\.[A-Za-z0-9_\-/]+)+")


def sysctl_path(key: str) -> str | None:
    """The file of a dotted key; a `/` in it stands for a dot in a name (`conf.eth0/1`).

    `None`: it is no key, or would lead out of /proc/sys.
    """
    if not _KEY.fullmatch(key):
        return None
    relative = key.translate(str.maketrans("./", "/."))
    return None if {"", ".", ".."} & set(relative.split("/")) else f"/proc/sys/{relative}"
