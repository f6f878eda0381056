//! Channel access by hand, and against a slow model.

mod apart;
mod dcf;
mod edca;
mod hidden;
mod property;
mod reference;
mod scene;
mod speed;
mod update_access;
mod update_hearing;
