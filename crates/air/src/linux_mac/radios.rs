//! The upper halves of radios of mac80211: what of them is not in the kernel.

use airtcp_plan::{AirPlan, MacAddress};

use super::address_book::AddressBook;
use super::block_ack_tracker::BlockAckTracker;
use super::counters::LinuxCounters;
use super::own_rates::OwnRates;
use super::{RadioMpdu, RadioMpduKind, RadioRequest};
use crate::border::{
    AccessCategory, Addresses, Mpdu, MpduHandle, MpduKind, MuEdcaParameters, Request, TxqId,
};
use crate::high::{Upper, padding_of};
use crate::phy::NominalPadding;
use crate::rate::ErrorModel;
use crate::{NicId, SetupError};

/// What the library keeps for radios of mac80211 above the lower half.
#[derive(Debug)]
pub(crate) struct LinuxRadios {
    /// By NIC; `None`: it has airtcp's own MAC.
    pub(super) radios: Vec<Option<LinuxRadio>>,
    pub(super) book: AddressBook,
    /// By NIC: what it needs after the data of a PPDU.
    pub(super) paddings: Vec<NominalPadding>,
    /// Queues with lower numbers are of airtcp's own MAC.
    first_txq: u32,
    /// The radios of mac80211's queues.
    owners: Vec<NicId>,
    /// Present if a capture or a monitor needs the contents of control frames.
    pub(super) tracker: Option<Box<BlockAckTracker>>,
    /// Kept for its memory.
    pub(super) handles: Vec<MpduHandle>,
}

/// The upper half of one radio.
#[derive(Debug, Default)]
pub(super) struct LinuxRadio {
    pub(super) counts: LinuxCounters,
    /// `None`: rate control is the kernel's.
    pub(super) own_rates: Option<OwnRates>,
    /// By category: what its access point says of it.
    mu_edca: [Option<MuEdcaParameters>; 4],
}

impl LinuxRadios {
    /// The radios of mac80211 among a plan's NICs. They have no addresses yet.
    ///
    /// # Errors
    /// [`SetupError`] with the key at fault: rates or parameters that the standard does not have.
    pub(crate) fn new(
        plan: &AirPlan,
        seed: u64,
        upper: &Upper,
        errors: &dyn ErrorModel,
    ) -> Result<Self, SetupError> {
        let radio = |i: usize| -> Result<_, SetupError> {
            let cell = plan.nics[i].cell as usize;
            if plan.cells[cell].linux.is_none() {
                return Ok(None);
            }
            let own_rates = OwnRates::of(plan, seed, i, upper.cell_rates(cell), errors)?;
            Ok(Some(LinuxRadio { own_rates, ..LinuxRadio::default() }))
        };
        Ok(Self {
            radios: (0..plan.nics.len()).map(radio).collect::<Result<_, _>>()?,
            book: AddressBook::default(),
            paddings: plan.nics.iter().map(padding_of).collect(),
            first_txq: upper.txq_count(),
            owners: Vec::new(),
            tracker: None,
            handles: Vec::new(),
        })
    }

    /// Whether a NIC is a radio of mac80211.
    #[inline]
    pub(crate) fn is_radio(&self, nic: NicId) -> bool {
        self.radios[nic.index()].is_some()
    }

    /// Whether a queue is one of mac80211.
    #[inline]
    pub(crate) const fn is_queue(&self, txq: TxqId) -> bool {
        txq.0 >= self.first_txq
    }

    /// The lower half's name for a queue of mac80211.
    #[inline]
    pub(crate) const fn queue(&self, driver: TxqId) -> TxqId {
        TxqId(self.first_txq + driver.0)
    }

    /// The lower half's name for a queue that the driver has named for this radio.
    #[inline]
    pub(crate) fn asked(&mut self, nic: NicId, driver: TxqId) -> TxqId {
        if driver.index() >= self.owners.len() {
            self.owners.resize(driver.index() + 1, nic);
        }
        self.owners[driver.index()] = nic;
        self.queue(driver)
    }

    /// The radio of a queue that the driver has named.
    #[inline]
    pub(super) fn owner(&self, queue: TxqId) -> NicId {
        self.owners[self.drivers(queue).index()]
    }

    /// The driver's name for it.
    #[inline]
    pub(super) const fn drivers(&self, queue: TxqId) -> TxqId {
        TxqId(queue.0 - self.first_txq)
    }

    #[inline]
    pub(super) fn radio(&mut self, nic: NicId) -> &mut LinuxRadio {
        self.radios[nic.index()].as_mut().expect("it is a radio of mac80211")
    }

    /// What the access point of a radio says of a category for after triggered uplinks.
    pub(crate) fn set_mu_edca(
        &mut self,
        nic: NicId,
        ac: AccessCategory,
        parameters: Option<MuEdcaParameters>,
    ) {
        self.radio(nic).mu_edca[ac as usize] = parameters;
    }

    /// What has been said last.
    pub(crate) fn mu_edca(&self, nic: NicId, ac: AccessCategory) -> Option<MuEdcaParameters> {
        self.radios[nic.index()].as_ref()?.mu_edca[ac as usize]
    }

    /// An interface of a radio has this address now.
    pub(crate) fn add_address(&mut self, nic: NicId, address: MacAddress) {
        self.book.add(address, nic);
    }

    /// No interface of a radio has this address any more.
    pub(crate) fn remove_address(&mut self, nic: NicId, address: MacAddress) {
        self.book.remove(address, nic);
    }

    /// The radio that has this address.
    pub(crate) fn radio_at(&self, address: MacAddress) -> Option<NicId> {
        self.book.receiver(address).nic()
    }

    /// An agreement for a queue that the driver has named begins, or ends with a window of 0.
    pub(crate) fn agreement(&mut self, driver: TxqId, window: u16) {
        if let Some(tracker) = &mut self.tracker {
            tracker.agreement(driver, window);
        }
    }

    /// Windows of the agreements of queues in the driver's order, 0 without one, come from the lower half; there will be a tracker
    /// from now on.
    pub(crate) fn watch(&mut self, windows: impl Iterator<Item = Option<u16>>) {
        if self.tracker.is_none() {
            let of_radios = windows.skip(self.first_txq as usize).map(|window| window.unwrap_or(0));
            self.tracker = Some(Box::new(BlockAckTracker::new(of_radios)));
        }
    }

    /// An MPDU of a radio that the lower half takes, out of a queue if it does not go first.
    pub(crate) fn take(&mut self, nic: NicId, queue: Option<TxqId>, radio_mpdu: &RadioMpdu) -> Mpdu {
        if let Some(tracker) = &mut self.tracker {
            tracker.take(queue, radio_mpdu);
        }
        let RadioMpdu { handle, bytes, tid, sequence, .. } = *radio_mpdu;
        let receiver = self.book.receiver(radio_mpdu.receiver);
        let mpdu = Mpdu { handle, bytes, receiver, tid, sequence, kind: kind(radio_mpdu) };
        self.radio(nic).counts.taken(&mpdu);
        mpdu
    }

    /// What mac80211 wants, as the lower half takes it.
    pub(crate) fn request(&mut self, request: RadioRequest) -> Request {
        match request {
            RadioRequest::Pending(nic, ac) => Request::Pending(nic, ac),
            RadioRequest::SendFirst(nic, ac, mpdu) => {
                Request::SendFirst(nic, ac, self.take(nic, None, &mpdu))
            }
        }
    }

    /// The addresses of an MPDU, if they are kept.
    pub(super) fn addresses(&self, mpdu: &Mpdu) -> Option<Addresses> {
        self.tracker.as_ref()?.addresses(mpdu.handle)
    }

    /// The counts of a radio; `None`: it has airtcp's own MAC.
    pub(crate) fn counts(&self, nic: NicId) -> Option<&LinuxCounters> {
        self.radios[nic.index()].as_ref().map(|radio| &radio.counts)
    }

    /// Checks the counters at the end of a run; `held`: MPDUs of a NIC that the lower half still has. Panics if they do not
    /// balance, which is our bug.
    pub(crate) fn finish(&self, held: impl Fn(NicId) -> (u32, u32)) {
        for (i, radio) in self.radios.iter().enumerate() {
            let Some(LinuxRadio { counts, .. }) = radio else { continue };
            counts.check(i);
            let there = held(NicId(i as u32));
            assert_eq!((counts.held, counts.in_flight), there, "MPDUs, data MPDUs held of air.nics[{i}]");
        }
    }
}

/// What an MPDU is to the lower half. Data that goes as management does is as good as that.
const fn kind(mpdu: &RadioMpdu) -> MpduKind {
    match mpdu.kind {
        RadioMpduKind::Beacon => MpduKind::Beacon,
        RadioMpduKind::BlockAckReq => MpduKind::BlockAckReq,
        RadioMpduKind::Management if mpdu.no_ack => MpduKind::NoAckManagement,
        _ if mpdu.no_ack => MpduKind::NoAck,
        RadioMpduKind::Management => MpduKind::Management,
        _ if mpdu.slow => MpduKind::Management,
        RadioMpduKind::Data => MpduKind::Data,
        RadioMpduKind::Aggregable => MpduKind::Aggregable,
    }
}
