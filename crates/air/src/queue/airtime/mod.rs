//! Medium time of stations: what each may still use in its turn, and what is in transit to each (airtime queue limit;
//! Linux, `net/mac80211/tx.c` and `sta_info.c`).

use airtcp_plan::FqCodelPlan;
use airtcp_units::{Duration, Instant};

use crate::border::AccessCategory;

/// How long a station that has nothing to send goes on paying off its debt (Linux, `ieee80211_sta_keep_active`: HZ / 10).
const REMEMBERED: Duration = Duration::from_millis(100);

/// An estimate is kept in ten bits of 4 us each (Linux, `ieee80211_info_set_tx_time_est`).
const ESTIMATE_MAX_US: u64 = 4095;
const ESTIMATE_STEP_US: u64 = 4;

/// What the queues make of an estimate.
#[inline]
pub(crate) fn kept(estimate: Duration) -> Duration {
    let us = estimate.div_floor(Duration::from_micros(1)).min(ESTIMATE_MAX_US);
    Duration::from_micros(us - us % ESTIMATE_STEP_US)
}

#[derive(Clone, Copy, Debug, Default)]
struct Account {
    /// Time left in this turn, in nanoseconds.
    deficit_ns: i64,
    /// Estimates of the frames on their way.
    pending: Duration,
    /// Time at which the station last had something to send.
    active: Option<Instant>,
}

/// The accounts of all stations in all categories. The group has none.
#[derive(Debug)]
pub(crate) struct Airtime {
    accounts: Vec<[Account; 4]>,
    weights: Vec<u32>,
    pending: Duration,
    pending_by_category: [Duration; 4],
    quantum: Duration,
    is_fair: bool,
    /// Low and high limit of one station and category.
    limits: Option<[Duration; 2]>,
    threshold: Duration,
}

impl Airtime {
    /// Nobody has used anything.
    pub(super) fn new(plan: &FqCodelPlan, stations: u32) -> Self {
        assert!(plan.airtime_quantum_us > 0, "no airtime quantum");
        let micros = |us: u32| Duration::from_micros(u64::from(us));
        Self {
            accounts: vec![[Account::default(); 4]; stations as usize],
            weights: vec![1; stations as usize],
            pending: Duration::ZERO,
            pending_by_category: [Duration::ZERO; 4],
            quantum: micros(plan.airtime_quantum_us),
            is_fair: plan.airtime_fairness,
            limits: plan.aql_us.map(|limits| limits.map(micros)),
            threshold: micros(plan.aql_threshold_us),
        }
    }

    /// Whether stations take turns by medium time, and not by transmissions.
    #[inline]
    pub(super) const fn is_fair(&self) -> bool {
        self.is_fair
    }

    /// A station's share, in quanta per turn.
    #[cfg(test)]
    pub(super) fn set_weight(&mut self, station: u32, weight: u32) {
        assert!(weight > 0, "a station of no weight");
        self.weights[station as usize] = weight;
    }

    #[inline]
    fn account(&self, station: u32, ac: AccessCategory) -> Option<&Account> {
        self.accounts.get(station as usize).map(|accounts| &accounts[ac as usize])
    }

    #[inline]
    fn account_mut(&mut self, station: u32, ac: AccessCategory) -> Option<&mut Account> {
        self.accounts.get_mut(station as usize).map(|accounts| &mut accounts[ac as usize])
    }

    /// The station has something to send, and joins the rotation.
    #[inline]
    pub(super) fn set_active(&mut self, now: Instant, station: u32, ac: AccessCategory) {
        if let Some(account) = self.account_mut(station, ac) {
            account.active = Some(now);
        }
    }

    /// Whether the station has used more than its share of this turn. Frames in transit to it count as used.
    #[inline]
    pub(super) fn is_indebted(&self, station: u32, ac: AccessCategory) -> bool {
        self.is_fair
            && self
                .account(station, ac)
                .is_some_and(|account| account.deficit_ns < account.pending.as_nanos().cast_signed())
    }

    /// The station's next turn.
    #[inline]
    pub(super) fn next_turn(&mut self, station: u32, ac: AccessCategory) {
        let turn = self.quantum * u64::from(self.weights[station as usize]);
        if let Some(account) = self.account_mut(station, ac) {
            account.deficit_ns += turn.as_nanos().cast_signed();
        }
    }

    /// Whether a station without anything to send stays in the rotation to pay off its debt.
    #[inline]
    pub(super) fn pays_off(&self, now: Instant, station: u32, ac: AccessCategory) -> bool {
        self.is_indebted(station, ac) && self.was_active(now, station, ac)
    }

    fn was_active(&self, now: Instant, station: u32, ac: AccessCategory) -> bool {
        let active = self.account(station, ac).and_then(|account| account.active);
        active.is_some_and(|active| now.since(active) <= REMEMBERED)
    }

    /// Medium time was used for this station. It costs nothing if the station has been out of the rotation for long.
    #[inline]
    pub(super) fn used(&mut self, now: Instant, station: u32, ac: AccessCategory, used: Duration) {
        if self.was_active(now, station, ac)
            && let Some(account) = self.account_mut(station, ac)
        {
            account.deficit_ns -= used.as_nanos().cast_signed();
        }
    }

    /// A frame is on its way to this station.
    #[inline]
    pub(super) fn start(&mut self, station: u32, ac: AccessCategory, estimate: Duration) {
        if self.limits.is_none() {
            return;
        }
        let kept = kept(estimate);
        if let Some(account) = self.account_mut(station, ac) {
            account.pending += kept;
            self.pending += kept;
            self.pending_by_category[ac as usize] += kept;
        }
    }

    /// A frame to this station is at its end. Panics if there is none.
    #[inline]
    pub(super) fn complete(&mut self, station: u32, ac: AccessCategory, estimate: Duration) {
        if self.limits.is_none() {
            return;
        }
        let kept = kept(estimate);
        if let Some(account) = self.account_mut(station, ac) {
            assert!(account.pending >= kept, "more airtime completed than was pending");
            account.pending = account.pending - kept;
            self.pending = self.pending - kept;
            self.pending_by_category[ac as usize] = self.pending_by_category[ac as usize] - kept;
        }
    }

    /// Whether more may be on its way to this station: less than the low limit is, or less than the high one and the
    /// NIC as a whole is below its threshold.
    #[inline]
    pub(super) fn may_send(&self, station: u32, ac: AccessCategory) -> bool {
        let (Some([low, high]), Some(account)) = (self.limits, self.account(station, ac)) else {
            return true;
        };
        account.pending < low || (self.pending < self.threshold && account.pending < high)
    }

    /// Whether more of this category may be on its way, with this many queues in the rotation
    /// (Linux, `ieee80211_txq_schedule_airtime_check`).
    #[inline]
    pub(super) fn may_category_send(&self, ac: AccessCategory, queues: u32) -> bool {
        let Some([low, high]) = self.limits else { return true };
        let others = u64::from(queues.saturating_sub(1));
        let limit = Duration::from_nanos((low * others).as_nanos() / 2) + high;
        self.pending_by_category[ac as usize] < limit
    }
}

#[cfg(test)]
mod tests;
