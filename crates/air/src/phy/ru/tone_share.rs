//! The share of a PPDU that belongs to one of its users.

use airtcp_units::Duration;

/// Tones of a user, of those that all users of its PPDU have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToneShare {
    /// Those of the user.
    pub own: u32,
    /// Those of all.
    pub all: u32,
}

impl ToneShare {
    /// The share of an only user.
    pub const WHOLE: Self = Self { own: 1, all: 1 };

    /// The part of an airtime that counts as the user's: the whole of an exchange is shared among its users.
    #[inline]
    pub const fn of(self, airtime: Duration) -> Duration {
        if self.own == self.all {
            return airtime;
        }
        let nanos = airtime.as_nanos() as u128 * self.own as u128 / self.all as u128;
        Duration::from_nanos(nanos as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn airtime_is_shared_by_tones() {
        let airtime = Duration::from_micros(1000);
        assert_eq!(ToneShare::WHOLE.of(airtime), airtime);
        assert_eq!(ToneShare { own: 52, all: 52 + 106 }.of(airtime), Duration::from_nanos(329_113));
    }
}
