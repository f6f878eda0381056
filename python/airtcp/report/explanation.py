"""Results of the closed forms for a plan, in tables: capacities by mode, and the PPDUs of an exchange."""

from collections.abc import Mapping, Sequence
from typing import Any

from airtcp.report.table import Table

# Ethernet header without FCS, IPv4 and UDP header: what a source's frame has beside its payload.
HEADERS_BYTES = 14 + 20 + 8


def payload_mbps(throughput_bps: float, frame_bytes: int) -> float:
    """UDP payload per second of Ethernet frames of this length."""
    return throughput_bps / 1e6 * max(0, frame_bytes - HEADERS_BYTES) / frame_bytes


Link = Mapping[str, Any]
_NAMED_ENDS = 3
# Characters of a bar that shows when a PPDU is on the air.
_BAR = 28


def explanation_tables(explanation: Mapping[str, Any]) -> list[Table]:
    """For each kind of link its modes with capacities; with one mode also each PPDU."""
    tables: list[Table] = []
    for links in _alike(explanation["links"]):
        title = f"{_ends(links)}: {_what(links[0])}"
        tables.append(_modes(title, links[0]))
        if len(links[0]["modes"]) == 1:
            tables.append(_ppdus(links[0]))
    return [*tables, *(_shared(txop) for txop in explanation.get("shared_txops", ()))]


def _alike(links: Sequence[Link]) -> list[list[Link]]:
    """Links that differ only in their ends, together."""
    groups: list[list[Link]] = []
    for link in links:
        own = [group for group in groups if _kind(group[0]) == _kind(link)]
        if own:
            own[0].append(link)
        else:
            groups.append([link])
    return groups


def _kind(link: Link) -> dict[str, Any]:
    return {key: value for key, value in link.items() if key not in ("from", "from_node", "to", "to_node")}


def _ends(links: Sequence[Link]) -> str:
    named = ", ".join(f"{link['from_node']} to {link['to_node']}" for link in links[:_NAMED_ENDS])
    more = len(links) - _NAMED_ENDS
    return f"{named} and {more} more" if more > 0 else named


def _what(link: Link) -> str:
    access = link["access"]
    parts = [
        f"frames of {link['frame_bytes']} B",
        f"{'EDCA' if access['edca'] else 'DCF'} with AIFS {_us(access['aifs_ns'])} us",
        f"slots of {_us(access['slot_ns'])} us",
        f"CW {access['cw_min']} to {access['cw_max']}",
    ]
    if access["txop_limit_ns"]:
        parts.append(f"TXOP {_us(access['txop_limit_ns'])} us")
    return ", ".join(parts)


def _modes(title: str, link: Link) -> Table:
    columns = ["mode", "PHY Mbit/s", "frames", "access us", "cycle us", "alone Mbit/s"]
    senders = {one["saturation"]["stations"] for one in link["modes"] if one["saturation"]}
    columns += [f"{n} saturated Mbit/s" for n in senders] + ["collide"] * len(senders)
    table = Table(f"{title} (closed forms; Mbit/s of UDP payload)", columns)
    for mode in link["modes"]:
        together = mode["saturation"]
        table.add(
            mode["mode"],
            f"{mode['rate_bps'] / 1e6:.1f}",
            str(sum(one["frames_per_mpdu"] * one["mpdus"] for one in mode["exchanges"])),
            _us(mode["txop_ns"]),
            _us(mode["cycle_ns"]),
            f"{payload_mbps(mode['throughput_bps'], link['frame_bytes']):.3f}",
            *(_together(together, link["frame_bytes"]) if together else []),
        )
    return table


def _together(saturation: Mapping[str, Any], frame_bytes: int) -> list[str]:
    mbps = payload_mbps(saturation["throughput_bps"], frame_bytes)
    return [f"{mbps:.3f}", f"{saturation['collision_probability']:.1%}"]


def _ppdus(link: Link) -> Table:
    columns = ("PPDU", "mode", "octets", "preamble us", "payload us", "symbols", "extension us", "us")
    table = Table("One exchange, its PPDUs a SIFS apart", columns, left=("mode",))
    for ppdu in link["modes"][0]["exchanges"][0]["ppdus"]:
        symbols = ppdu["payload_symbols"]
        table.add(
            ppdu["kind"],
            ppdu["mode"],
            str(ppdu["psdu_bytes"]),
            *(_us(ppdu[field]) for field in ("preamble_ns", "payload_ns")),
            "-" if symbols is None else str(symbols),
            *(_us(ppdu[field]) for field in ("signal_extension_ns", "duration_ns")),
        )
    return table


def _shared(txop: Mapping[str, Any]) -> Table:
    """Each user of each PPDU of a TXOP, and a bar that shows when it is on the air."""
    length_ns = txop["duration_ns"]
    title = f"A TXOP of {txop['access_point']} for several stations: {_us(length_ns)} us"
    when = f"after {txop['began_ns'] / 1e6:.0f} ms of full queues"
    title += f" (simulated, {when}; frames of {txop['frame_bytes']} B)"
    columns = ("PPDU", "from", "to", "mode", "octets", "start us", "us", "on the air")
    table = Table(title, columns, left=("from", "to", "mode", "on the air"))
    for ppdu in txop["ppdus"]:
        start_ns, end_ns = ppdu["start_ns"], ppdu["end_ns"]
        table.add(
            ppdu["kind"],
            ppdu["from_node"],
            ppdu["to_node"] or "all",
            ppdu["mode"],
            str(ppdu["psdu_bytes"]),
            *map(_us, (start_ns, end_ns - start_ns)),
            _bar(start_ns / length_ns, end_ns / length_ns),
        )
    return table


def _bar(begin: float, end: float) -> str:
    """From and to these shares of a line of `_BAR`; what is too short for a character is one."""
    first = min(_BAR - 1, int(begin * _BAR))
    count = max(1, round(end * _BAR) - first)
    return "." * first + "#" * count + "." * (_BAR - first - count)


def _us(nanoseconds: int) -> str:
    return f"{nanoseconds / 1e3:.3f}".rstrip("0").rstrip(".")
