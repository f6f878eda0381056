//! Tests with real guests: they need what `make build` and `make kernel` make.

mod lab;

mod aggregates;
mod boots;
mod determinism;
mod faults;
mod queues;
