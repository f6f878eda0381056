"""The frames of foreign measurements: every column's name, type, unit and meaning."""

from airtcp.formats.column import Column, Table
from airtcp.formats.qlog import QLOG_CONNECTIONS, QLOG_RECOVERY

_START = Column("start_ns", "i64", "ns", "start of the interval, from the start of the transfer")
_END = Column("end_ns", "i64", "ns", "end of the interval")
_RATE = Column("rate_bps", "f64", "bit/s", "payload per time, as the program prints it")
_STREAM = Column("stream", "i64", "", "number of the stream, in the order of the file")
_TEST = Column("test", "i64", "", "number of the test in the file, from 0; `--logfile` appends")
_JITTER = Column("jitter_ms", "f64", "ms", "UDP: variation of the one-way delay (RFC 3550)")
_LOST = Column("lost", "i64", "packet", "UDP: datagrams that did not arrive")
_PACKETS = Column("packets", "i64", "packet", "UDP: datagrams")

IPERF2_INTERVALS = Table(
    "iperf2: intervals",
    "A line of `iperf -y C` (iperf 2), of a TCP client or server or of UDP, also with `-e`.",
    (
        _START,
        _END,
        Column("kind", "text", "", "`interval`, or `total`: a line over all of the transfer"),
        Column("transfer", "i64", "", "number of the transfer; -1: the sum of all at once"),
        Column("source", "text", "", "address of the reporting end"),
        Column("source_port", "i64", "", "its port; 0 in a sum"),
        Column("destination", "text", "", "address of the other end"),
        Column("destination_port", "i64", "", "its port"),
        Column("reported", "text", "", "date and time of the report, as it is in the file"),
        Column("bytes", "i64", "byte", "payload"),
        _RATE,
        _JITTER,
        _LOST,
        _PACKETS,
        Column("out_of_order", "i64", "packet", "UDP: datagrams out of order"),
        Column("retransmits", "i64", "segment", "sent again (sender, with `-e`)"),
        Column("cwnd_bytes", "i64", "byte", "congestion window; iperf prints KiB (sender, with `-e`)"),
        Column("rtt_us", "i64", "us", "smoothed round-trip time (sender, with `-e`)"),
        Column("rttvar_us", "i64", "us", "its variation (sender, with `-e`)"),
    ),
)

_IPERF3_COUNTS = (
    Column("bytes", "i64", "byte", "payload"),
    _RATE,
    Column("retransmits", "i64", "segment", "TCP: sent again (sender)"),
    _JITTER,
    _LOST,
    _PACKETS,
    Column("omitted", "bool", "", "within the time that `--omit` leaves out"),
    Column("sender", "bool", "", "whether the reporting end sends this; null in old versions"),
)

IPERF3_INTERVALS = Table(
    "iperf3: intervals",
    "Each stream in each interval of `iperf3 -J`.",
    (
        _TEST,
        _START,
        _END,
        _STREAM,
        Column("socket", "i64", "", "number of its socket, by which the file names it"),
        *_IPERF3_COUNTS,
        Column("cwnd_bytes", "i64", "byte", "TCP: congestion window (sender)"),
        Column("snd_wnd_bytes", "i64", "byte", "TCP: window that the receiver offers (sender)"),
        Column("rtt_us", "i64", "us", "TCP: smoothed round-trip time (sender)"),
        Column("rttvar_us", "i64", "us", "TCP: its variation (sender)"),
        Column("pmtu_bytes", "i64", "byte", "TCP: path MTU (sender)"),
    ),
)
IPERF3_SUMS = Table(
    "iperf3: sums", "All streams of one direction in each interval.", (_TEST, _START, _END, *_IPERF3_COUNTS)
)
IPERF3_STREAMS = Table(
    "iperf3: streams",
    "Each stream as a whole, as both ends report it.",
    (
        _TEST,
        _STREAM,
        Column("socket", "i64", "", "number of its socket"),
        Column("bytes_sent", "i64", "byte", "payload that the sender handed to its TCP"),
        Column("bytes_received", "i64", "byte", "payload that the receiver read"),
        Column("sent_bps", "f64", "bit/s", "of the sender"),
        Column("received_bps", "f64", "bit/s", "of the receiver"),
        Column("duration_ns", "i64", "ns", "of the stream at the sender"),
        Column("retransmits", "i64", "segment", "sent again"),
        Column("max_cwnd_bytes", "i64", "byte", "largest congestion window"),
        Column("min_rtt_us", "i64", "us", "least smoothed round-trip time"),
        Column("mean_rtt_us", "i64", "us", "mean smoothed round-trip time"),
        Column("max_rtt_us", "i64", "us", "largest smoothed round-trip time"),
        _JITTER,
        _LOST,
        _PACKETS,
    ),
)

PINGS = Table(
    "ping: pings",
    "Each echo request up to the last one in the text.",
    (
        Column("sequence", "i64", "", "number of the request, from 0; counted on where 16 bits wrap"),
        Column("rtt_ns", "i64", "ns", "round-trip time; -1: no answer", least=-1),
        Column("unix_ns", "i64", "ns", "arrival of the answer since 1970 (with `-D`)"),
        Column("ttl", "i64", "", "hop limit of the answer"),
        Column("duplicates", "i64", "", "further answers to the same request"),
    ),
)

PACKETS = Table(
    "pcap: packets",
    "Each TCP packet of a capture, in the order of the file.",
    (
        Column(
            "time_ns", "i64", "ns", "timestamp: since 1970, in airtcp's captures since the epoch", least=None
        ),
        Column("number", "i64", "", "number of the frame in the file, from 1"),
        Column("flow", "i64", "", "number of its connection in the frame `flows`"),
        Column(
            "direction", "i64", "", "0: from the client, which sent the SYN (else the first packet); 1: to it"
        ),
        Column("sequence", "i64", "", "TCP sequence number, raw"),
        Column("acknowledgement", "i64", "", "TCP acknowledgement number, raw; null without ACK"),
        Column("flags", "i64", "", "TCP flags: 1 FIN, 2 SYN, 4 RST, 8 PSH, 16 ACK, 32 URG, 64 ECE, 128 CWR"),
        Column("window", "i64", "", "window field, not scaled"),
        Column("payload_bytes", "i64", "byte", "TCP payload, by the IP length, captured or not"),
        Column("bytes", "i64", "byte", "length of the IP packet"),
        Column("ce", "bool", "", "marked with ECN congestion experienced"),
    ),
)

FLOWS = Table(
    "pcap: flows",
    "Each TCP connection of a capture.",
    (
        Column("flow", "i64", "", "number of the connection, in the order of first packets"),
        Column("client", "text", "", "address of the end that opened it (else: of the first packet)"),
        Column("client_port", "i64", "", "its port"),
        Column("server", "text", "", "address of the other end"),
        Column("server_port", "i64", "", "its port"),
        Column("first_ns", "i64", "ns", "time of the first packet", least=None),
        Column("last_ns", "i64", "ns", "time of the last packet", least=None),
        Column("syn_ns", "i64", "ns", "time of the first SYN; null: not captured", least=None),
        Column(
            "handshake_ns", "i64", "ns", "from that SYN to the client's ACK of the SYN-ACK, where captured"
        ),
        Column("client_packets", "i64", "packet", "from the client"),
        Column("server_packets", "i64", "packet", "from the server"),
        Column(
            "client_payload_bytes", "i64", "byte", "TCP payload from the client, with what was sent again"
        ),
        Column(
            "server_payload_bytes", "i64", "byte", "TCP payload from the server, with what was sent again"
        ),
        Column("client_distinct_bytes", "i64", "byte", "of it, each byte of the stream counted once"),
        Column("server_distinct_bytes", "i64", "byte", "of it, each byte of the stream counted once"),
    ),
)

FLENT_SERIES = Table(
    "flent: series",
    "Each data series of a Flent file, on its common time axis.",
    (
        Column("series", "text", "", "name of the data series"),
        Column("time_ns", "i64", "ns", "from the start of the test (`x_values`)", least=None),
        Column("value", "f64", "", "value; null where Flent has none. Its unit is in `units`", least=None),
        Column("units", "text", "", "unit, if the file names it (`SERIES_META`)"),
    ),
)
FLENT_RAW = Table(
    "flent: raw",
    "Each value as its tool wrote it (`raw_values`).",
    (
        Column("series", "text", "", "name of the data series"),
        Column("unix_ns", "i64", "ns", "since 1970", least=None),
        Column("key", "text", "", "which of the tool's values: `val`, `seq`, ..."),
        Column("value", "f64", "", "value", least=None),
    ),
)

STATIONS = Table(
    "stations: stations",
    "Each station of each dump of `iw ... station dump`, `hostapd_cli all_sta`, `iwinfo ... assoclist` or "
    "`ubus call hostapd... get_clients`.",
    (
        Column("time_ns", "i64", "ns", "of the dump, from the first one; null: dumps have no times"),
        Column("dump", "i64", "", "number of the dump, from 0"),
        Column("station", "text", "", "address of the station"),
        Column("signal_dbm", "f64", "dBm", "power received from it", least=None),
        Column("tx_mbps", "f64", "Mbit/s", "PHY rate to it"),
        Column("rx_mbps", "f64", "Mbit/s", "PHY rate from it"),
        Column("tx_packets", "i64", "packet", "sent to it since it came"),
        Column("tx_retries", "i64", "", "attempts after the first (`iw`)"),
        Column("tx_failed", "i64", "packet", "given up (`iw`)"),
    ),
)

ROUND_TRIPS = Table(
    "irtt, octoping: round_trips",
    "Each packet that was sent to be echoed, in the order of sending.",
    (
        Column("sequence", "i64", "", "number of the packet, from 0"),
        Column("time_ns", "i64", "ns", "when it was sent, from the first"),
        Column("rtt_ns", "i64", "ns", "round-trip time; -1: lost", least=-1),
        Column("up_ns", "i64", "ns", "one-way delay to the server; irtt: by both clocks", least=None),
        Column("down_ns", "i64", "ns", "one-way delay from the server, likewise", least=None),
        Column("lost", "text", "", "`no`; where it was lost: `up`, `down` or `somewhere`"),
    ),
)

SOCKETS = Table(
    "ss: sockets",
    "Each TCP socket of each print of `ss -tin`.",
    (
        Column("time_ns", "i64", "ns", "of the print, from the first one; null: prints have no times"),
        Column("print", "i64", "", "number of the print, from 0"),
        Column("state", "text", "", "`ESTAB`, ..."),
        Column("local", "text", "", "address and port of this end"),
        Column("peer", "text", "", "address and port of the other end"),
        Column("cca", "text", "", "congestion control"),
        Column("rtt_us", "f64", "us", "smoothed round-trip time"),
        Column("rttvar_us", "f64", "us", "its variation"),
        Column("min_rtt_us", "f64", "us", "least round-trip time"),
        Column("rto_us", "f64", "us", "retransmission timeout"),
        Column("cwnd", "i64", "segment", "congestion window"),
        Column("ssthresh", "i64", "segment", "slow start threshold; null before there is one"),
        Column("mss_bytes", "i64", "byte", "largest payload of a segment"),
        Column("unacked", "i64", "segment", "sent and not acknowledged"),
        Column("bytes_acked", "i64", "byte", "acknowledged"),
        Column("bytes_received", "i64", "byte", "received"),
        Column("retransmits", "i64", "segment", "sent again so far"),
        Column("pacing_rate_bps", "f64", "bit/s", "pacing rate"),
        Column("delivery_rate_bps", "f64", "bit/s", "latest delivery rate"),
    ),
)

NETPERF_INTERVALS = Table(
    "netperf: intervals",
    "Each interim result of netperf (`-D`).",
    (
        Column("start_ns", "i64", "ns", "start of the interval, from the start of the first"),
        _END,
        Column("unix_ns", "i64", "ns", "its end since 1970; null: not printed"),
        Column("rate_bps", "f64", "bit/s", "payload per time; null in tests of transactions"),
        Column("transactions_per_s", "f64", "1/s", "of a test of transactions (`TCP_RR`)"),
    ),
)
NETPERF_RESULTS = Table(
    "netperf: results",
    "The result of a test of netperf.",
    (
        Column("test", "text", "", "`TCP_STREAM`, `TCP_MAERTS`, `UDP_STREAM`, `TCP_RR`, ..."),
        Column("elapsed_ns", "i64", "ns", "length of the test"),
        Column("rate_bps", "f64", "bit/s", "payload per time, of UDP what was received"),
        Column("sent_bps", "f64", "bit/s", "of UDP: what was sent"),
        Column("transactions_per_s", "f64", "1/s", "of a test of transactions"),
    ),
)

IPERF_TEXT_INTERVALS = Table(
    "iperf text: intervals",
    "Each line with an interval of the text that iperf 2 or iperf3 prints.",
    (
        _START,
        _END,
        Column("kind", "text", "", "`interval`, or `total`: a line over all of the transfer"),
        Column("stream", "text", "", "number of the stream as printed; `SUM`: of all"),
        Column("end", "text", "", "`sender` or `receiver` in totals of iperf3"),
        Column("bytes", "f64", "byte", "payload, of which the text has three digits"),
        Column("rate_bps", "f64", "bit/s", "payload per time, likewise"),
        _JITTER,
        _LOST,
        _PACKETS,
        Column("retransmits", "i64", "segment", "TCP: sent again (sender)"),
        Column("cwnd_bytes", "f64", "byte", "TCP: congestion window (sender)"),
    ),
)

MM_LINK_EVENTS = Table(
    "mahimahi: events",
    "Each event in a log of `mm-link`.",
    (
        Column("time_ns", "i64", "ns", "from the start of the log; whole milliseconds"),
        Column("event", "text", "", "`arrival`, `departure`, `drop`, `opportunity` (to deliver)"),
        Column("bytes", "i64", "byte", "of the packets, or that could be delivered"),
        Column("packets", "i64", "packet", "that were dropped; else null"),
        Column("delay_ns", "i64", "ns", "of a departure: since its arrival"),
    ),
)

TCPTRACE_CONNECTIONS = Table(
    "tcptrace: connections",
    "Each direction of each connection in the long output of tcptrace (`-l`, with `-r` also RTTs).",
    (
        Column("connection", "i64", "", "number of the connection, from 1"),
        Column("source", "text", "", "address and port of the sender"),
        Column("destination", "text", "", "address and port of the receiver"),
        Column("elapsed_ns", "i64", "ns", "from the first packet to the last"),
        Column("packets", "i64", "packet", "all of this direction"),
        Column("distinct_bytes", "i64", "byte", "payload, each byte counted once"),
        Column("payload_bytes", "i64", "byte", "payload, with what was sent again"),
        Column("retransmits", "i64", "packet", "packets sent again"),
        Column("rate_bps", "f64", "bit/s", "distinct bytes per time"),
        Column("rtt_samples", "i64", "", "samples of the round-trip time"),
        Column("min_rtt_us", "f64", "us", "least"),
        Column("mean_rtt_us", "f64", "us", "mean"),
        Column("max_rtt_us", "f64", "us", "largest"),
    ),
)

RATES = Table(
    "rates: rates",
    "Each line of a CSV file of rates over time.",
    (
        Column("time_ns", "i64", "ns", "from the first line"),
        Column("rate_bps", "f64", "bit/s", "rate from this time until the next line"),
    ),
)

FOREIGN: tuple[Table, ...] = (
    *(IPERF2_INTERVALS, IPERF3_INTERVALS, IPERF3_SUMS, IPERF3_STREAMS, PINGS, PACKETS, FLOWS),
    *(FLENT_SERIES, FLENT_RAW, ROUND_TRIPS, SOCKETS, NETPERF_INTERVALS, NETPERF_RESULTS),
    *(IPERF_TEXT_INTERVALS, MM_LINK_EVENTS, TCPTRACE_CONNECTIONS, STATIONS, RATES),
    *(QLOG_CONNECTIONS, QLOG_RECOVERY),
)
