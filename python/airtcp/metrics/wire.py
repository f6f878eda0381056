"""What a wire can carry, by arithmetic: rates of full segments, delays of full queues.

Frames count without preamble, gap and FCS, as Linux's queueing disciplines and airtcp's wires count them.
"""

# Ethernet header; IPv4 and TCP headers with the timestamp option (RFC 7323), inside the MTU.
ETHERNET_BYTES, HEADERS_BYTES = 14, 52


def full_segments_mbps(rate_bps: float, mtu_bytes: int) -> float:
    """Goodput of segments as long as the MTU allows at this rate, in Mbit/s."""
    return float(rate_bps) / 1e6 * (mtu_bytes - HEADERS_BYTES) / (mtu_bytes + ETHERNET_BYTES)


def full_queue_ms(limit_packets: float, rate_bps: float, mtu_bytes: int) -> float:
    """Time in ms that a queue of so many frames as long as the MTU allows takes at this rate."""
    frame_ms = (mtu_bytes + ETHERNET_BYTES) * 8e3 / float(rate_bps)
    return float(limit_packets) * frame_ms
