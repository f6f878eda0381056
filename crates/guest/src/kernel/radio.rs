//! Radios of mac80211: the driver's functions as [`Mac80211`].

use std::ffi::{c_int, c_uint, c_ulonglong};

use airtcp_air::NicId;
use airtcp_air::border::{
    AccessCategory, ControlFrame, MpduFate, MpduHandle, PpduStatus, Protection, RateChain, RxStatus, TxqId,
};
use airtcp_air::linux_mac::{Mac80211, RadioMpdu, RadioMpduKind};
use airtcp_air::phy::Format;
use airtcp_plan::MacAddress;
use airtcp_units::{Dbm, Instant};

use super::radio_rates::{chain_of, kernel_rate};
use crate::abi::{
    HostTable, KernelMpdu, KernelPpduStatus, KernelRate, KernelRxStatus, NONE, RATES_PROBE, STAGES, fate,
    mpdu,
};
use crate::capture::control_frame::{self, duration_us};
use crate::capture::radio_mpdu::MpduHeads;
use crate::frame_hash::{Crossing, FrameHash, of_frame};
use crate::frame_heads::FrameHeads;
use crate::radios::Radios;

/// mac80211 behind its driver.
pub(super) struct KernelRadios {
    table: HostTable,
    hash: FrameHash,
    /// Hash of each MPDU on its way, by its handle.
    hashes: Vec<u64>,
    /// First bytes of each MPDU on its way, if they are kept.
    heads: Option<FrameHeads>,
    /// Radio of each queue.
    owners: Vec<NicId>,
    /// The PPDU that was received last, and how many there were.
    received: Option<(NicId, Instant)>,
    ppdus: u32,
    handles: Vec<c_ulonglong>,
    /// A control frame for a monitor; kept to reuse its memory.
    control: Vec<u8>,
}

impl KernelRadios {
    pub(super) fn new(table: HostTable) -> Self {
        Self {
            table,
            hash: FrameHash::default(),
            hashes: Vec::new(),
            heads: None,
            owners: Vec::new(),
            received: None,
            ppdus: 0,
            handles: Vec::new(),
            control: Vec::new(),
        }
    }

    /// Takes an MPDU over from the driver.
    ///
    /// # Safety
    /// `head_len` bytes at `head` are valid.
    pub(super) unsafe fn take(&mut self, now: Instant, nic: NicId, kernel: &KernelMpdu) -> RadioMpdu {
        // SAFETY: the caller's promise.
        let head = unsafe { std::slice::from_raw_parts(kernel.head, kernel.head_len as usize) };
        let hash = of_frame(head, kernel.bytes);
        let place = kernel.handle as usize;
        if place >= self.hashes.len() {
            self.hashes.resize(place + 1, 0);
        }
        self.hashes[place] = hash;
        if let Some(heads) = &mut self.heads {
            heads.read(head);
            heads.settle(place);
        }
        self.hash.add(Crossing::Transmit, nic.0, now.as_nanos(), hash);
        RadioMpdu {
            handle: MpduHandle(kernel.handle),
            receiver: MacAddress(kernel.ra),
            transmitter: MacAddress(kernel.ta),
            bytes: kernel.bytes,
            tid: kernel.tid,
            sequence: kernel.sequence,
            kind: kind_of(kernel.flags),
            no_ack: kernel.flags & mpdu::NO_ACK != 0,
            agreed: kernel.flags & mpdu::AGREED != 0,
            slow: kernel.flags & mpdu::SLOW != 0,
        }
    }

    /// A queue that the driver has named for this radio.
    fn asked(&mut self, nic: NicId, txq: c_uint) -> TxqId {
        if txq as usize >= self.owners.len() {
            self.owners.resize(txq as usize + 1, nic);
        }
        self.owners[txq as usize] = nic;
        TxqId(txq)
    }

    fn list(&mut self, mpdus: &[MpduHandle]) {
        self.handles.clear();
        self.handles.extend(mpdus.iter().map(|handle| handle.0));
    }

    /// How a PPDU was received, for the driver; `last`: with its last MPDU. From VHT on every PPDU carries an A-MPDU.
    fn reception(&mut self, ppdu: &RxStatus, last: bool) -> KernelRxStatus {
        let always = matches!(ppdu.tx.format, Format::Vht | Format::He | Format::Eht);
        KernelRxStatus {
            rate: kernel_rate(ppdu.tx, 1, Protection::None),
            ppdu: self.number(ppdu.from, ppdu.start),
            signal_dbm: libm::round(ppdu.rssi.get()) as c_int,
            aggregate: if always || ppdu.mpdus > 1 { ppdu.mpdus } else { 0 },
            last: last.into(),
            duration_us: duration_us(ppdu.nav),
            airtime_us: (ppdu.share.of(ppdu.end.since(ppdu.start)).as_nanos() / NS_PER_US) as c_uint,
            start: ppdu.start.as_nanos(),
            end: ppdu.end.as_nanos(),
        }
    }

    /// A number for the PPDU that this reception is of.
    fn number(&mut self, from: NicId, start: Instant) -> u32 {
        if self.received != Some((from, start)) {
            self.received = Some((from, start));
            self.ppdus = self.ppdus.wrapping_add(1);
        }
        self.ppdus
    }
}

impl MpduHeads for KernelRadios {
    fn head(&self, mpdu: MpduHandle) -> &[u8] {
        self.heads.as_ref().expect("heads are kept where the air is captured").get(mpdu.index())
    }
}

impl Radios for KernelRadios {
    fn keep_heads(&mut self, snap_bytes: usize) {
        self.heads = Some(FrameHeads::new(snap_bytes));
    }

    fn crossed(&self) -> Option<u64> {
        (!self.hashes.is_empty()).then(|| self.hash.value())
    }
}

/// Kind of an MPDU by the driver's flags. One that samples a rate goes alone, so it may join no aggregate.
fn kind_of(flags: c_uint) -> RadioMpduKind {
    match flags {
        _ if flags & mpdu::BAR != 0 => RadioMpduKind::BlockAckReq,
        _ if flags & mpdu::BEACON != 0 => RadioMpduKind::Beacon,
        _ if flags & mpdu::AGGREGABLE != 0 && flags & mpdu::PROBE == 0 => RadioMpduKind::Aggregable,
        _ if flags & mpdu::DATA != 0 => RadioMpduKind::Data,
        _ => RadioMpduKind::Management,
    }
}

fn fate_code(fate: MpduFate) -> c_uint {
    match fate {
        MpduFate::Acked => fate::ACKED,
        MpduFate::Sent => fate::SENT,
        MpduFate::GivenUp => fate::GIVEN_UP,
        MpduFate::Purged => fate::PURGED,
    }
}

/// Microseconds, as mac80211 counts airtime.
const NS_PER_US: u64 = 1000;

impl Mac80211 for KernelRadios {
    fn has(&mut self, nic: NicId, ac: AccessCategory) -> bool {
        // SAFETY: the NIC is a radio: the world asks of no other.
        unsafe { (self.table.has)(nic.0, ac as c_uint) != 0 }
    }

    fn next_txq(&mut self, _now: Instant, nic: NicId, ac: AccessCategory) -> Option<TxqId> {
        // SAFETY: as above.
        let txq = unsafe { (self.table.next_txq)(nic.0, ac as c_uint) };
        (txq != NONE).then(|| self.asked(nic, txq))
    }

    fn dequeue(&mut self, now: Instant, txq: TxqId) -> Option<RadioMpdu> {
        let mut kernel = std::mem::MaybeUninit::uninit();
        // SAFETY: the queue came from the driver and has not been purged; it fills the structure if it answers so.
        if unsafe { (self.table.dequeue)(txq.0, kernel.as_mut_ptr()) } == 0 {
            return None;
        }
        // SAFETY: it has filled it, with a pointer that is valid until it is called again.
        Some(unsafe { self.take(now, self.owners[txq.index()], kernel.assume_init_ref()) })
    }

    fn return_txq(&mut self, _now: Instant, txq: TxqId, more: bool) {
        // SAFETY: as above.
        unsafe { (self.table.return_txq)(txq.0, more.into()) }
    }

    fn uplink_txq(&mut self, nic: NicId, tid: u8) -> Option<TxqId> {
        // SAFETY: the NIC is a radio, and a TID has three bits.
        let txq = unsafe { (self.table.uplink_txq)(nic.0, tid.into()) };
        (txq != NONE).then(|| self.asked(nic, txq))
    }

    fn depth(&mut self, txq: TxqId) -> u64 {
        // SAFETY: the queue came from the driver and has not been purged.
        unsafe { (self.table.depth)(txq.0) }
    }

    fn rates(&mut self, _now: Instant, _nic: NicId, mpdu: MpduHandle) -> RateChain {
        let mut stages = [KernelRate::default(); STAGES];
        // SAFETY: the handle came from the driver and has not ended; there is room for as many stages as it may write.
        let answer = unsafe { (self.table.rates)(mpdu.0, stages.as_mut_ptr()) };
        chain_of(&stages[..(answer & !RATES_PROBE) as usize], answer & RATES_PROBE != 0)
    }

    fn ppdu_done(
        &mut self,
        _now: Instant,
        _nic: NicId,
        mpdus: &[MpduHandle],
        status: &PpduStatus,
        response: Option<Dbm>,
    ) {
        let filled = KernelPpduStatus {
            rate: kernel_rate(status.tx, 1, status.protection),
            mpdus: status.mpdus,
            acked: status.acked,
            airtime_us: (status.airtime.as_nanos() / NS_PER_US) as c_uint,
            cleared: status.cleared.into(),
            answered: status.answered.into(),
            probe: status.probe.into(),
            tid: status.tid,
            response_dbm: response.map_or(0, |power| libm::round(power.get()) as c_int),
            solicited: status.solicited.into(),
        };
        assert_eq!(mpdus.len(), status.mpdus as usize, "a status is of its MPDUs");
        self.list(mpdus);
        // SAFETY: the handles came from the driver and have not ended; both pointers are valid for the time of the call.
        unsafe { (self.table.ppdu_done)(self.handles.as_ptr(), &raw const filled) }
    }

    fn mpdu_done(&mut self, _now: Instant, _nic: NicId, mpdu: MpduHandle, fate: MpduFate) {
        // SAFETY: the handle came from the driver; the world ends it only once.
        unsafe { (self.table.mpdu_done)(mpdu.0, fate_code(fate)) }
    }

    fn rx(&mut self, now: Instant, nic: NicId, mpdus: &[MpduHandle], ppdu: &RxStatus) {
        for mpdu in mpdus {
            self.hash.add(Crossing::Deliver, nic.0, now.as_nanos(), self.hashes[mpdu.index()]);
        }
        let filled = self.reception(ppdu, ppdu.last.is_some_and(|last| mpdus.last() == Some(&last)));
        self.list(mpdus);
        let count = mpdus.len() as c_uint;
        // SAFETY: the NIC is a radio, the handles have not ended, and the pointers are valid for the time of the call.
        unsafe { (self.table.rx)(nic.0, self.handles.as_ptr(), count, &raw const filled) }
    }

    fn rx_interrupt(&mut self, _now: Instant, nic: NicId) {
        // SAFETY: the NIC is a radio.
        unsafe { (self.table.rx_interrupt)(nic.0) }
    }

    fn hear(&mut self, now: Instant, nic: NicId, frame: &ControlFrame<'_>, ppdu: &RxStatus) {
        let mut octets = std::mem::take(&mut self.control);
        octets.clear();
        control_frame::write(frame, false, |part| octets.extend_from_slice(part));
        let len = octets.len() as c_uint;
        self.hash.add(Crossing::Deliver, nic.0, now.as_nanos(), of_frame(&octets, len));
        let filled = self.reception(ppdu, false);
        // SAFETY: the NIC is a radio, and the pointers are valid for the time of the call.
        unsafe { (self.table.rx_control)(nic.0, octets.as_ptr(), len, &raw const filled) }
        self.control = octets;
    }
}
