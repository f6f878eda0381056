//! Tests of the air from outside: what a kernel would see, and what theory says.

mod bianchi;
mod books;
mod draws;
mod error_rates;
mod golden;
mod goodput;
mod harness;
mod ldpc_symbols;
mod ns3_durations;
mod properties;
mod published_durations;
mod published_rates;
mod records;
mod setup;
mod timeline;
