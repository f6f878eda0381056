"""Keys that people look for under other names or in other tables, and what to write instead."""

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Hint:
    """What to write instead of a key, and what is wrong with it beside being unknown."""

    remedy: str
    what: str = "unknown key"


def other_name(key: str) -> Hint | None:
    """The hint for an unknown key such as `wifi.home.rssi`, if there is one."""
    path = re.sub(r"\[\d+\]", "", key).split(".")
    table, name = path[0] if len(path) > 1 else "", path[-1]
    if table == "wifi" and len(path) > 3 and path[2] == "radio" and name in _RADIO:
        return _RADIO[name]
    own = _TABLES.get(table, {})
    return own.get(name.lower()) or _EVERYWHERE.get(name.lower())


def remedies(name: str) -> list[str]:
    """What to write instead of a key, in whatever tables it is looked for."""
    tables = [*_TABLES.values(), _RADIO, _EVERYWHERE]
    hints = [table[name.lower()] for table in tables if name.lower() in table]
    return list(dict.fromkeys(hint.remedy for hint in hints))


def _each(names: str, remedy: str, what: str = "unknown key") -> dict[str, Hint]:
    return dict.fromkeys(names.split(), Hint(remedy, what))


_SIGNAL = (
    'Signals are between radios: write [channel] rssi = "-60 dBm" for all of them, [[channel.link]] for a'
    " pair, or [wifi.NAME.radio.NODE] rssi for one station"
)
_PLACES = (
    'Write [wifi.NAME.radio.NODE] position = ["5 m", "0 m", "1 m"] for each radio, and [channel]'
    ' propagation = "log_distance"'
)
_LOSS = (
    "Write [[channel.loss]] with from, to and probability, or, for errors that follow from the signal,"
    ' [channel] reception = "table"'
)
_CONGESTION_CONTROL = "Write cca in each [[flow]]"
_MTU = "Write mtu at the top of the file: it is that of every interface"
_NETEM = 'Write queue = "netem limit 1000 loss 1%", or a trace that has losses'
_SINGLE_USER = "not modelled: transmission is single-user"
_TIMING = "it follows from the standard"
_SEE_LIMITS = "Leave it out; airtcp docs limitations says what is not modelled"

_RADIO = {
    **_each("signal rx_power received_power power_at_ap", 'Write rssi = "-60 dBm"'),
    **_each("distance range location", 'Write position = ["5 m", "0 m", "1 m"]'),
    **_each("mobility speed velocity path route", "Write waypoints, a list of times and positions"),
}
_WIFI = {
    **_each("rssi signal signal_strength rx_power received_power level", _SIGNAL),
    **_each("snr sinr", f'{_SIGNAL}. Noise is thermal, with [channel] noise_figure = "7 dB"'),
    **_each("noise noise_floor noise_level", 'Write [channel] noise_figure = "7 dB"; the noise is thermal'),
    **_each(
        "propagation path_loss pathloss propagation_model channel_model exponent",
        'Write [channel] propagation = "log_distance"',
    ),
    **_each("distance range position positions location places x y", _PLACES),
    **_each("waypoints mobility speed velocity", "Write waypoints in [wifi.NAME.radio.NODE]"),
    **_each("fading", 'Write [channel] fading = { kind = "rayleigh", coherence = "24 ms" }'),
    **_each("shadowing", 'Write [channel.shadowing] sigma = "6 dB"'),
    **_each("wall walls floor_plan", "Write [[channel.wall]] with points and material"),
    **_each("per loss packet_loss error_rate ber fer losses", _LOSS),
    **_each("capture capture_effect", "Write [channel] capture"),
    **_each("cca_threshold carrier_sense cs_threshold cs_range", "Write [channel] carrier_sense"),
    **_each("energy_detection ed_threshold", "Write [channel] energy_detection"),
    **_each("sensitivity rx_sensitivity", "Write [channel] sensitivity"),
    **_each("interference interferer microwave bluetooth", "Write [[interferer]] with kind and rssi"),
    **_each(
        "encryption wpa wpa2 wpa3 password psk key_mgmt auth authentication",
        'Write mac = "linux" and security = "wpa2"',
    ),
    **_each("roaming handover", 'Give two cells of mac = "linux" the same ssid; airtcp docs linux-wifi'),
    **_each("ofdma mu_mimo mumimo ru mlo multi_link", _SEE_LIMITS, _SINGLE_USER),
    **_each("bss_color bss_colour bss_coloring spatial_reuse obss_pd twt", _SEE_LIMITS, "not modelled"),
    **_each("sifs difs pifs eifs aifs slot_time ack_timeout", "Leave it out", _TIMING),
    **_each("wmm edca wme", "Write qos = true"),
    **_each("aifsn", "Write it for an access category: [wifi.NAME.access.best_effort] aifsn"),
    **_each("cwmin", "Write cw_min = 15"),
    **_each("cwmax", "Write cw_max = 1023"),
    **_each("bw bandwidth channel_width ch_width chanwidth", 'Write width = "40 MHz"'),
    **_each("ap aps access_points", 'Write access_point = "ap1"; one for each cell'),
    **_each("clients client sta stas nodes hosts devices users", 'Write stations = ["sta1", "sta2"]'),
    **_each("mimo spatial_streams nss chains", "Write streams = 2"),
    **_each("gi sgi short_gi", 'Write guard_interval = "400 ns"'),
    **_each("txpower power eirp", 'Write tx_power = "20 dBm"'),
    **_each("antenna_gain gain", 'Write tx_power = "20 dBm" with the gain in it'),
    **_each("buffer buffer_size queue_size qdisc aqm", 'Write queue = "100 packets", or nic_queue'),
    **_each("ht vht he eht ieee80211n hw_mode phy protocol technology", 'Write standard = "11n"'),
    **_each("freq", 'Write frequency = "5180 MHz"'),
    **_each("retries max_retries retry", "Write short_retry_limit = 7"),
    **_each("rts rts_cts rtscts", 'Write rts_threshold = "500 B"'),
    **_each("tx_rate phy_rate data_rate bitrate mbps speed_mbps", 'Write rate = "54 Mbit/s"'),
    **_each("mcs", 'Write rate = "MCS 7"'),
    **_each("mode", 'Write standard = "11n" for the cell, and rate = "HT-MCS 7" for the mode of its frames'),
    **_each("rate_control rate_adaptation", 'Write rate = "minstrel_ht"'),
    **_each("nic_packets", 'Write nic_queue = "64 packets"'),
    **_each("retry_limit", "Write short_retry_limit, and long_retry_limit beyond the RTS threshold"),
    **_each("mesh adhoc ibss ad_hoc", 'Write kind = "mesh" or kind = "ibss"'),
    **_each("ssid", "The name of the table is that of the cell: [wifi.NAME]"),
    **_each("txop", "Write it for an access category: [wifi.NAME.access.best_effort] txop"),
    **_each("ampdu", 'Write aggregation = { ampdu = "65535 B" }'),
    **_each("amsdu", 'Write aggregation = { amsdu = "7935 B" }'),
    **_each(
        "fragmentation fragmentation_threshold frag_threshold fragm_threshold",
        "Leave it out",
        "fragmentation is not modelled: Linux has it off, and 11n replaced it by aggregation",
    ),
}
_ECN = 'Write [node.NAME] ecn = "on" for the nodes at both ends, or ecn at the top of the scenario for all'
_WIRE = {
    **_each("bandwidth bw capacity speed throughput link_rate", 'Write rate = "10 Mbit/s"'),
    **_each("latency lat propagation_delay", 'Write delay = "5 ms"'),
    **_each("rtt", 'Write delay = "5 ms", the delay of one direction'),
    **_each("loss per packet_loss loss_rate drop", _NETEM),
    **_each("jitter", 'Write queue = "netem limit 1000 delay 5ms 1ms", or a trace'),
    **_each("buffer buffer_size limit queue_size queue_limit qdisc aqm", 'Write queue = "100 packets"'),
    **_each("from to nodes ends endpoints node src dst a b", 'Write between = ["ap1", "h1"]'),
    **_each("mtu", _MTU),
    **_each("duplex", "Leave it out", "every wire is full duplex"),
}
_ENDS = {
    **_each("src source client sender", "Write from"),
    **_each("dst destination dest server receiver", "Write to"),
    **_each("end until", 'Write stop = "5 s"'),
    **_each("begin delay offset", 'Write start = "1 s"'),
    **_each("mss", _MTU),
    **_each("tos priority ac access_category traffic_class qos", 'Write dscp = "EF"'),
    **_each(
        "parallel number count copies flows connections",
        "Write several tables, or lists of nodes in from and to",
    ),
}
_STREAM = {
    **_ENDS,
    **_each("time seconds", 'Write duration = "5 s"'),
}
_CONNECTION = {
    **_STREAM,
    **_each("congestion congestion_control cc tcp ca algorithm", 'Write cca = "cubic"'),
    **_each("ecn accecn", _ECN, "ECN is a setting of a node in Linux, not of a connection"),
    **_each(
        "mptcp multipath",
        "Run a program that uses MPTCP in a [[program]]; airtcp docs programs says how",
        "built-in connections are plain TCP",
    ),
    **_each(
        "window buffer rcvbuf sndbuf receive_window rwnd",
        'Write [sysctl] "net.ipv4.tcp_rmem" = "4096 131072 6291456", or net.ipv4.tcp_wmem',
    ),
}
_FLOW = {
    **_CONNECTION,
    **_each("size volume length data", 'Write bytes = "10 MB"'),
    **_each("rate bandwidth bitrate limit", 'Write pacing = "10 Mbit/s", or [[udp]] with a rate'),
    **_each(
        "protocol proto type kind transport udp", "Leave it out: a flow is TCP, and [[udp]] sends datagrams"
    ),
    **_each("reverse direction downlink uplink", "Exchange the nodes of from and to"),
    **_each("rtt latency", "Write the delay of one direction in [[wire]]"),
    **_each("app application workload", "Write [[web]], [[video]], [[voip]], [[request]] or [[program]]"),
}
_DATAGRAMS = {
    **_STREAM,
    **_each("size packet_size length bytes", "Write payload = 1472"),
    **_each("bandwidth bitrate bw", 'Write rate = "1 Mbit/s"'),
    **_each("interval", "Write rate and payload: from these the interval follows"),
}
_PING = {
    **_ENDS,
    **_each("size packet_size length bytes", "Write payload = 56"),
    **_each("count time seconds duration", 'Write stop = "5 s"'),
    **_each("rate period every", 'Write interval = "0.2 s"'),
}
_PROGRAM = {
    **_each("cmd run exec script", "Write command"),
    **_each("on host in at station", "Write node"),
    **_each("time delay begin", 'Write start = "1 s"'),
}
_INTERFERER = {
    **_each("channel freq center centre", "Write frequency, the middle of its band"),
    **_each("width", 'Write bandwidth = "20 MHz"'),
    **_each("power signal", 'Write rssi = "-60 dBm", or tx_power and a position'),
    **_each("duty duty_cycle", "Write on and off, the times of its bursts and pauses"),
}
_CAPTURE = {
    **_each("station host at radio", "Write node"),
    **_each("filter bpf", "Leave it out: Wireshark and tshark filter the file"),
    **_each("snaplen length size", 'Write snap = "96 B"'),
    **_each("file path out", "Write name: the file is pcap/NAME.pcapng of the run folder"),
}
_SAMPLING = {
    **_each("interval period rate step", 'Write flows = "10 ms", or the name of another series'),
    **_each("tcp cwnd rtt tcp_info", 'Write flows = "10 ms"'),
    **_each("queue queues backlog", 'Write qdiscs = "10 ms"'),
}
_CHANNEL = {
    **_each("signal power rx_power received_power", 'Write rssi = "-60 dBm"'),
    **_each("model path_loss pathloss propagation_model", 'Write propagation = "log_distance"'),
    **_each("n path_loss_exponent pathloss_exponent", "Write exponent = 3.0"),
    **_each("noise noise_floor snr", 'Write noise_figure = "7 dB"; the noise is thermal'),
    **_each("per ber error_rate", _LOSS),
    **_each("number width frequency", "Write it in the cell, [wifi.NAME]"),
}
_NODE = {
    **_each("ip address ipv4 addr", "Write addresses"),
    **_each("position x y", _PLACES),
    **_each("cca congestion_control", _CONGESTION_CONTROL),
    **_each("tcp_ecn accecn l4s", 'Write ecn = "on", or "accurate" for AccECN'),
}
_TOP = {
    **_each("station stations sta ap cell cells network bss wlan", 'Write [wifi.NAME] stations = ["sta1"]'),
    **_each("nodes host hosts switch router", "Cells and wires name nodes; [node.NAME] has their settings"),
    **_each("link links cable ethernet", "Write [[wire]] with between, rate and delay"),
    **_each("tcp iperf iperf3 traffic download upload", "Write [[flow]] with from and to"),
    **_each("call calls phone voice", "Write [[voip]] with from and to"),
    **_each("game games gaming", "Write [[udp]] with from, to, rate and payload"),
    **_each("http browsing page", "Write [[web]] or [[request]]"),
    **_each("streaming dash", "Write [[video]] with rates"),
    **_each("time length stop simtime", 'Write duration = "10 s"'),
    **_each("reps repetitions runs seeds", "A scenario is one run; airtcp sweep --reps repeats it"),
    **_each("rssi signal", 'Write [channel] rssi = "-60 dBm"'),
    **_each("propagation path_loss", 'Write [channel] propagation = "log_distance"'),
    **_each("loss per", _LOSS),
    **_each("cca congestion_control", _CONGESTION_CONTROL),
    **_each("tcp_ecn accecn l4s", 'Write ecn = "on", or "accurate" for AccECN'),
    **_each("queue qdisc", "Write queue in [[wire]] or in [wifi.NAME]"),
    **_each("standard stations rate channel_number", "Write it in a cell, [wifi.NAME]"),
}
_EVERYWHERE = {**_each("comment description note title", "Write a comment: # ...")}
_TABLES: Mapping[str, Mapping[str, Hint]] = {
    "": _TOP,
    "wifi": _WIFI,
    "wire": _WIRE,
    "channel": _CHANNEL,
    "node": _NODE,
    "program": _PROGRAM,
    "interferer": _INTERFERER,
    "capture": _CAPTURE,
    "sampling": _SAMPLING,
    "ping": _PING,
    "udp": _DATAGRAMS,
    "voip": _STREAM,
    "flow": _FLOW,
    "request": _CONNECTION,
    "web": _CONNECTION,
    "video": _CONNECTION,
}
