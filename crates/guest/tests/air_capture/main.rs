//! Captures of the air: from frames of a kernel made of nothing to packets of a pcapng file.

mod aggregates;
mod bench;
mod exchanges;
mod other_frames;
