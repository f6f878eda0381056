//! The model of the air held against theory and published numbers. `docs/models/validation.md` has the results.
//!
//! Each file is one subject; its head names source and tolerance. What runs the air builds its scenes with `scene`.

mod scene;

mod effective_snr;
mod error_rates;
mod ldpc_symbols;
mod ns3_durations;
mod ns3_resource_units;
mod published_durations;
mod published_rates;

mod airtime;
mod contention_events;
mod differentiation;
mod goodput;
mod hand_computed_goodput;
mod hidden_stations;
mod random_access;
mod rate_control;
mod saturation;
