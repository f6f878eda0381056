"""Which lines of a figure belong to one group of flows, streams or pings."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError

Groups = Mapping[str, Sequence[str]]
"""Names of flows, streams and pings by group, in the order of figures."""

# Words of a name, as `ap1 to sta1, best effort`.
_WORDS = re.compile(r"[\w.-]+")


def chosen_groups(run: Run, texts: Sequence[str]) -> dict[str, list[str]]:
    """The groups of `NAME=PATTERN,PATTERN`: what has such a name, or a node with such a name at an end.

    One that is in two groups is in the first. A group of nothing is an `AirtcpError`.
    """
    traffic = _traffic(run)
    groups: dict[str, list[str]] = {}
    taken: set[str] = set()
    for text in texts:
        name, _, patterns = (part.strip() for part in text.partition("="))
        asked = [pattern.strip() for pattern in patterns.split(",") if pattern.strip()]
        if not name or not asked:
            raise AirtcpError(f'"{text}" is not NAME=PATTERN', "--group", 'Write for example "calls=v*"')
        found = [one["name"] for one in traffic if one["name"] not in taken and _fits(one, asked)]
        if not found:
            known = ", ".join(dict.fromkeys(str(one["name"]) for one in traffic)) or "nothing"
            raise AirtcpError(f'no flow, stream or ping is in "{text}"', "--group", f"The run has {known}")
        groups.setdefault(name, []).extend(dict.fromkeys(found))
        taken.update(found)
    return groups


def _traffic(run: Run) -> list[dict[str, Any]]:
    return [*run.flow_plans, *run.plan.get("datagrams", ()), *run.plan["pings"]]


def _fits(one: Mapping[str, Any], patterns: Sequence[str]) -> bool:
    names = (one["name"], one["from"], one["to"])
    return any(fnmatchcase(str(name), pattern) for name in names for pattern in patterns)


class Grouping:
    """Finds the group of a line: by its name, or by the node that its name has.

    A node is in a group if all flows and streams of the node are, and if it is not an end of every one of
    the group, as a server is.
    """

    def __init__(self, run: Run, groups: Groups) -> None:
        self._groups = {member: group for group, members in groups.items() for member in members}
        self._nodes = self._node_groups(run)

    def _node_groups(self, run: Run) -> dict[str, str]:
        found: dict[str, list[str]] = {}
        for one in (*run.flow_plans, *run.plan.get("datagrams", ())):
            for node in {one["from"], one["to"]}:
                found.setdefault(node, []).append(self._groups.get(one["name"], ""))
        sizes = Counter(self._groups.get(one["name"], "") for one in _traffic(run))
        return {
            node: own[0]
            for node, own in found.items()
            if len(set(own)) == 1 and own[0] and not 1 < sizes[own[0]] == len(own)
        }

    def of(self, name: str) -> str:
        """The name that a line has as part of a group; empty if it is in none.

        Of a place it is the group's name in place of the node's: `ap1 to calls`.
        """
        if name in self._groups:
            return self._groups[name]
        groups = {self._nodes[word] for word in _WORDS.findall(name) if word in self._nodes}
        if len(groups) != 1:
            return ""
        return _WORDS.sub(lambda word: self._nodes.get(word[0], word[0]), name)
