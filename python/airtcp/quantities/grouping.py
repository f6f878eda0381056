"""Which lines of a figure belong to one group of flows, streams or pings."""

import re
from collections import Counter

from airtcp.data.run_folder import Run
from airtcp.plans.groups import Groups, group_of

# Words of a name, as `ap1 to sta1, best effort`.
_WORDS = re.compile(r"[\w.-]+")


class Grouping:
    """Finds the group of a line: by its name, or by the node that its name has. A line is in one group only,
    the first.

    A node is in a group if all flows and streams of the node are, and if it is not an end of every one of
    the group, as a server is.
    """

    def __init__(self, run: Run, groups: Groups) -> None:
        streams = run.plan.get("datagrams", ())
        names = [one["name"] for one in (*run.flow_plans, *streams, *run.plan["pings"])]
        found = {name: group_of(groups, name) for name in names}
        self._groups = {name: group for name, group in found.items() if group is not None}
        self._nodes = self._node_groups(run, Counter(self._groups.get(name) for name in names))

    def _node_groups(self, run: Run, sizes: Counter[str | None]) -> dict[str, str]:
        found: dict[str, list[str]] = {}
        for one in (*run.flow_plans, *run.plan.get("datagrams", ())):
            for node in {one["from"], one["to"]}:
                found.setdefault(node, []).append(self._groups.get(one["name"], ""))
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
