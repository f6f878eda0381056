//! The rooms of the Rust code, and what each may use.
//!
//! Each list names rooms from the lowest to the highest. A room may use rooms that stand before it, and of those the named ones
//! only. So the lists have no cycle.

/// A room and the rooms that it uses.
#[derive(Clone, Copy)]
pub(crate) struct Room {
    pub(crate) name: &'static str,
    pub(crate) uses: &'static [&'static str],
}

/// Crates and the crates that they depend on, tests aside. ARCHITECTURE.md shows them.
pub(crate) const CRATES: &[Room] = &[
    Room { name: "units", uses: &[] },
    Room { name: "plan", uses: &["units"] },
    Room { name: "random", uses: &["plan"] },
    Room { name: "workload", uses: &["random", "plan"] },
    Room { name: "air", uses: &["units", "random", "plan"] },
    Room { name: "guest", uses: &["units", "plan", "air"] },
    Room { name: "agent", uses: &["random", "plan", "workload"] },
    Room { name: "runner", uses: &["plan", "air"] },
    Room { name: "testing", uses: &["plan"] },
];

/// The top-level modules of a crate and the modules that they use. A crate that is not listed has too few modules for rooms.
pub(crate) const MODULES: &[(&str, &[Room])] =
    &[("agent", AGENT), ("air", AIR), ("guest", GUEST), ("runner", RUNNER)];

const AGENT: &[Room] = &[
    Room { name: "failure", uses: &[] },
    Room { name: "guest_paths", uses: &[] },
    Room { name: "clock", uses: &[] },
    Room { name: "sys", uses: &["failure", "guest_paths"] },
    Room { name: "process", uses: &["failure"] },
    Room { name: "boot", uses: &["failure", "guest_paths"] },
    Room { name: "ending", uses: &["guest_paths"] },
    Room { name: "netlink", uses: &["failure", "sys"] },
    Room {
        name: "wireless",
        uses: &["failure", "guest_paths", "clock", "sys", "process", "ending", "netlink"],
    },
    Room {
        name: "network",
        uses: &["failure", "guest_paths", "clock", "sys", "process", "netlink", "wireless"],
    },
    Room {
        name: "traffic",
        uses: &[
            "failure",
            "guest_paths",
            "clock",
            "sys",
            "process",
            "ending",
            "netlink",
            "wireless",
            "network",
        ],
    },
    Room {
        name: "measure",
        uses: &["failure", "clock", "sys", "process", "ending", "netlink", "traffic"],
    },
    Room { name: "run", uses: &["failure", "guest_paths", "clock", "boot", "ending", "network", "traffic"] },
];

const AIR: &[Room] = &[
    Room { name: "des", uses: &[] },
    Room { name: "handle", uses: &[] },
    Room { name: "phy", uses: &[] },
    Room { name: "ppdu_kind", uses: &[] },
    Room { name: "random", uses: &[] },
    Room { name: "setup_error", uses: &[] },
    Room { name: "time_span", uses: &[] },
    Room { name: "border", uses: &["handle", "phy", "ppdu_kind"] },
    Room { name: "channel", uses: &["handle", "phy", "random", "setup_error"] },
    Room { name: "queue", uses: &["border"] },
    Room { name: "rate", uses: &["phy", "random", "border"] },
    Room { name: "trace", uses: &["handle", "phy", "ppdu_kind", "border"] },
    Room { name: "high", uses: &["handle", "phy", "random", "setup_error", "border", "queue", "rate"] },
    Room {
        name: "low",
        uses: &[
            "des",
            "handle",
            "phy",
            "ppdu_kind",
            "random",
            "setup_error",
            "time_span",
            "border",
            "channel",
            "trace",
        ],
    },
    Room { name: "linux_mac", uses: &["handle", "phy", "random", "setup_error", "border", "rate", "high"] },
    Room {
        name: "world",
        uses: &[
            "des",
            "handle",
            "phy",
            "random",
            "setup_error",
            "time_span",
            "border",
            "channel",
            "rate",
            "trace",
            "high",
            "low",
            "linux_mac",
        ],
    },
    Room { name: "analytic", uses: &["handle", "phy", "setup_error", "border", "rate", "high", "world"] },
    Room {
        name: "sources",
        uses: &["handle", "phy", "random", "setup_error", "high", "low", "linux_mac", "world", "analytic"],
    },
];

const GUEST: &[Room] = &[
    Room { name: "frame_hash", uses: &[] },
    Room { name: "frame_heads", uses: &[] },
    Room { name: "output", uses: &[] },
    Room { name: "progress", uses: &[] },
    Room { name: "heartbeat", uses: &[] },
    Room { name: "abi", uses: &[] },
    Room { name: "series", uses: &["output"] },
    Room { name: "session", uses: &["output"] },
    Room { name: "frames", uses: &["frame_hash", "frame_heads"] },
    Room { name: "host", uses: &["frames"] },
    Room { name: "border", uses: &["frame_hash", "frames", "host"] },
    Room { name: "radio_config", uses: &["abi"] },
    Room { name: "capture", uses: &["output", "frames"] },
    Room { name: "watch", uses: &["output", "abi", "series", "capture"] },
    Room { name: "radios", uses: &["capture"] },
    Room { name: "recorder", uses: &["output", "series", "capture"] },
    Room {
        name: "engine",
        uses: &[
            "progress",
            "heartbeat",
            "frames",
            "host",
            "border",
            "capture",
            "radios",
            "recorder",
            "session",
        ],
    },
    Room {
        name: "start",
        uses: &[
            "progress",
            "heartbeat",
            "host",
            "capture",
            "watch",
            "radios",
            "recorder",
            "engine",
            "session",
        ],
    },
    Room {
        name: "kernel",
        uses: &[
            "frame_hash",
            "frame_heads",
            "abi",
            "frames",
            "host",
            "radio_config",
            "capture",
            "watch",
            "radios",
            "engine",
            "start",
            "session",
        ],
    },
];

const RUNNER: &[Room] = &[
    Room { name: "wifi_table", uses: &[] },
    Room { name: "addresses", uses: &[] },
    Room { name: "early_end", uses: &[] },
    Room { name: "guest_file", uses: &[] },
    Room { name: "initrd", uses: &[] },
    Room { name: "kernel_fault", uses: &[] },
    Room { name: "memory_folder", uses: &[] },
    Room { name: "own_core", uses: &[] },
    Room { name: "program_flows", uses: &[] },
    Room { name: "system_calls", uses: &[] },
    Room { name: "containment", uses: &["system_calls"] },
    Room { name: "failure", uses: &["guest_file", "kernel_fault"] },
    Room { name: "series", uses: &["guest_file"] },
    Room { name: "console", uses: &["guest_file", "failure"] },
    Room { name: "events", uses: &["failure"] },
    Room { name: "installation", uses: &["failure"] },
    Room { name: "room", uses: &["failure"] },
    Room { name: "host_tools", uses: &["installation"] },
    Room { name: "identity", uses: &["installation"] },
    Room {
        name: "launch",
        uses: &["addresses", "initrd", "memory_folder", "own_core", "containment", "installation"],
    },
    Room { name: "watch", uses: &["guest_file", "own_core", "failure", "console", "events", "room"] },
    Room { name: "run_lock", uses: &["failure", "events", "watch"] },
    Room { name: "verdict", uses: &["addresses", "guest_file", "kernel_fault", "failure", "launch"] },
    Room {
        name: "seal",
        uses: &[
            "early_end",
            "guest_file",
            "program_flows",
            "failure",
            "series",
            "installation",
            "host_tools",
            "identity",
            "watch",
            "verdict",
        ],
    },
    Room { name: "workspace", uses: &["failure", "run_lock"] },
    Room {
        name: "run",
        uses: &[
            "memory_folder",
            "failure",
            "events",
            "installation",
            "room",
            "identity",
            "launch",
            "watch",
            "run_lock",
            "verdict",
            "seal",
            "workspace",
        ],
    },
    Room { name: "air", uses: &["failure", "run"] },
    Room { name: "doctor", uses: &["containment", "failure", "events", "installation", "watch", "run"] },
    Room { name: "names", uses: &["failure", "installation", "identity", "run"] },
    Room {
        name: "session",
        uses: &[
            "failure",
            "installation",
            "launch",
            "memory_folder",
            "run",
            "run_lock",
            "verdict",
            "watch",
            "workspace",
        ],
    },
];
