"""The series of a run folder and their columns, as this version reads them."""

FLOWS = (
    *("time_ns", "flow", "bytes_received", "bytes_acked", "cwnd", "ssthresh", "srtt_us", "rttvar_us"),
    *("min_rtt_us", "rto_us", "unacked", "sacked", "lost", "retrans", "total_retrans", "snd_mss"),
    *("pacing_rate_bps", "delivery_rate_bps", "busy_us", "rwnd_limited_us", "sndbuf_limited_us"),
    *("ca_state", "delivery_app_limited"),
)
PINGS = ("time_ns", "ping", "sequence", "rtt_ns")
AIR = (
    *("time_ns", "nic", "queue_packets", "accepted", "sent", "dropped", "transmissions", "retries"),
    *("collisions", "corrupted", "airtime_ns"),
)

# Columns that must be there, all integers; more are welcome (the raw `tcp_info`, later additions).
COLUMNS = {"flows": FLOWS, "pings": PINGS, "air": AIR}
