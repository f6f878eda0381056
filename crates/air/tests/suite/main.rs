//! Tests of the air from outside: what a kernel would see, and what theory says.

mod bianchi;
mod books;
mod draws;
mod durations;
mod golden;
mod goodput;
mod harness;
mod noise;
mod properties;
mod published_durations;
mod records;
mod setup;
mod timeline;
