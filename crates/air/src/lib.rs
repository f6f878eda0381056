//! The pure model of the air.
