"""Keys that people look for under other names, and what to write instead."""

# By key: what is wrong with it (empty: it is just unknown), and the remedy.
OTHER_NAMES = {
    "nic_packets": ("", 'Write nic_queue = "64 packets"'),
    "retry_limit": ("", "Write short_retry_limit, and long_retry_limit for frames beyond the RTS threshold"),
    "rate_control": ("", 'Write rate = "minstrel_ht"'),
    "mode": ("", 'Write standard = "11n" for the cell, rate = "HT-MCS 7" for the mode of its frames'),
    "mcs": ("", 'Write rate = "MCS 7"'),
    "sgi": ("", 'Write guard_interval = "400 ns"'),
    "nss": ("", "Write streams"),
    "ssid": ("", "The name of the table is that of the cell: [wifi.NAME]"),
    "txop": ("", "Write it for an access category: [wifi.NAME.access.best_effort]"),
    "ampdu": ("", 'Write aggregation = { ampdu = "65535 B" }'),
    "amsdu": ("", 'Write aggregation = { amsdu = "7935 B" }'),
    **dict.fromkeys(
        ("fragmentation", "fragmentation_threshold", "frag_threshold", "fragm_threshold"),
        (
            "fragmentation is not modelled: Linux has it off, and 11n replaced it by aggregation",
            "Leave it out",
        ),
    ),
}
