//! Tests of the air from outside: what a kernel would see, and what theory says.

mod books;
mod draws;
mod golden;
mod harness;
mod properties;
mod records;
mod setup;
mod timeline;
