//! Captures of the air: from the model's records to pcapng files.
//!
//! Every MPDU of a PPDU is a packet at the instant at which the PPDU began, which is also its TSFT; those of one A-MPDU follow
//! each other in their order. Packets are in the order of their times. MPDUs that their receiver could not decode are included, with
//! radiotap's flag for a bad frame check sequence.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use airtcp_air::phy::Format;
use airtcp_air::{AirCapture, CapturedMpdu, CapturedPpdu, PpduKind, TimeSpan};
use airtcp_plan::{Capture, CapturePoint, Plan};
use airtcp_units::Instant;

use super::cell_facts::AirFacts;
use super::dot11::{Dot11, EthernetHead, is_bad};
use super::flow_filter::FlowFilter;
use super::pcapng::{CaptureInterface, CapturedPacket, LinkType, PcapngWriter, create_capture};
use super::radio_mpdu::{MpduHeads, SentMpdu, packet_of};
use super::radiotap::{RADIOTAP_BYTES_MAX, Radiotap, Subframe};
use crate::frames::Frames;

/// Every capture of the air of a plan.
#[derive(Debug)]
pub struct AirCaptures {
    dot11: Dot11,
    files: Vec<AirFile>,
}

impl AirCaptures {
    /// Opens the files of a plan's captures of the air in the run's working folder; `None` if there are none.
    ///
    /// # Errors
    /// An error of the file system.
    pub fn create(folder: &Path, plan: &Plan) -> io::Result<Option<Self>> {
        let asked: Vec<_> =
            plan.captures.iter().filter(|capture| matches!(capture.point, CapturePoint::Air {})).collect();
        if asked.is_empty() {
            return Ok(None);
        }
        let files = asked.into_iter().map(|capture| AirFile::create(folder, capture, plan));
        let files = files.collect::<io::Result<_>>()?;
        Ok(Some(Self { dot11: Dot11::new(AirFacts::new(&plan.air)), files }))
    }

    /// The time span in which the air has to be captured.
    pub fn span(&self, epoch: Instant) -> TimeSpan {
        let at = |ns: Option<u64>| {
            Instant::from_nanos(epoch.as_nanos().saturating_add(ns.expect("there is a capture")))
        };
        let start = self.files.iter().map(|file| file.start_ns).min();
        let end = at(self.files.iter().map(|file| file.stop_ns).max());
        TimeSpan { start: at(start).max(epoch), end }
    }

    /// Bytes that have to be kept of each frame.
    pub fn snap_bytes(&self) -> usize {
        self.files.iter().map(|file| file.snap_bytes).max().expect("there is a capture")
    }

    /// Writes what was captured, whose frames are still in transit, and clears it.
    ///
    /// # Errors
    /// An error of the file system.
    pub(crate) fn write(
        &mut self,
        captured: &mut AirCapture,
        sent: SentHeads<'_, impl MpduHeads>,
    ) -> io::Result<()> {
        for ppdu in captured.ppdus() {
            for file in &mut self.files {
                file.write(&self.dot11, Captured { all: captured, ppdu }, sent)?;
            }
        }
        captured.clear();
        Ok(())
    }

    /// Ends the files.
    ///
    /// # Errors
    /// An error of the file system.
    pub(crate) fn close(&mut self) -> io::Result<()> {
        self.files.iter_mut().try_for_each(AirFile::close)
    }
}

/// The first bytes of what was sent, by the handles in a capture.
#[derive(Debug)]
pub struct SentHeads<'a, M> {
    /// First bytes of frames of hosts with airtcp's own MAC.
    pub frames: &'a Frames,
    /// First bytes of MPDUs of mac80211.
    pub mpdus: &'a M,
}

impl<M> Clone for SentHeads<'_, M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M> Copy for SentHeads<'_, M> {}

/// A captured PPDU, and the lists that hold its contents.
#[derive(Clone, Copy, Debug)]
struct Captured<'a> {
    all: &'a AirCapture,
    ppdu: &'a CapturedPpdu,
}

impl<'a> Captured<'a> {
    fn mpdus(self) -> &'a [CapturedMpdu] {
        self.all.mpdus(self.ppdu)
    }

    /// MPDUs of its PSDU; a trigger frame may end it.
    fn subframes(self) -> usize {
        self.mpdus().len() + usize::from(self.ppdu.trigger.is_some())
    }
}

/// A packet that waits for one before it.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Waiting {
    time_ns: u64,
    /// Order of this packet among those of one time.
    number: u64,
    original_bytes: u32,
    bytes: Vec<u8>,
}

/// One file.
#[derive(Debug)]
struct AirFile {
    filter: FlowFilter,
    epoch_ns: u64,
    start_ns: u64,
    stop_ns: u64,
    snap_bytes: usize,
    writer: PcapngWriter<BufWriter<File>>,
    /// The packet being written; kept to reuse its memory.
    packet: Vec<u8>,
    /// Packets of PPDUs that began after one that is still on the air.
    waiting: BinaryHeap<Reverse<Waiting>>,
    packets: u64,
    ampdus: u32,
}

impl AirFile {
    fn create(folder: &Path, capture: &Capture, plan: &Plan) -> io::Result<Self> {
        let mut writer = create_capture(folder, &capture.name, plan)?;
        let snap_bytes = RADIOTAP_BYTES_MAX + capture.snap_bytes;
        writer.interface(&CaptureInterface { name: "air", link_type: LinkType::Radiotap, snap_bytes })?;
        Ok(Self {
            filter: FlowFilter::new(capture, &plan.flows),
            epoch_ns: plan.epoch_ns,
            start_ns: capture.start_ns,
            stop_ns: capture.stop_ns,
            snap_bytes: capture.snap_bytes as usize,
            writer,
            packet: Vec::new(),
            waiting: BinaryHeap::new(),
            packets: 0,
            ampdus: 0,
        })
    }

    fn write(
        &mut self,
        dot11: &Dot11,
        captured: Captured<'_>,
        sent: SentHeads<'_, impl MpduHeads>,
    ) -> io::Result<()> {
        let ppdu = captured.ppdu;
        let start_ns = u64::try_from(ppdu.start_ns).ok();
        if start_ns.is_some_and(|start_ns| start_ns >= self.start_ns && start_ns < self.stop_ns) {
            match ppdu.kind {
                _ if captured.mpdus().iter().any(|mpdu| mpdu.radio.is_some()) => {
                    self.write_of_radio(captured, sent.mpdus)?;
                    self.write_own_trigger(dot11, captured)?;
                }
                PpduKind::Data => {
                    self.write_data(dot11, captured, sent.frames)?;
                    self.write_own_trigger(dot11, captured)?;
                }
                _ if !self.filter.passes_everything() => {}
                PpduKind::QosNull => self.write_qos_null(dot11, ppdu)?,
                PpduKind::MultiStaBlockAck => {
                    self.begin(ppdu, is_bad(ppdu), None);
                    let bytes = dot11.multi_sta_block_ack(&mut self.packet, captured.all, ppdu);
                    self.end(ppdu, bytes)?;
                }
                _ if let Some(trigger) = &ppdu.trigger => {
                    self.begin(ppdu, is_bad(ppdu), None);
                    let bytes = dot11.trigger(&mut self.packet, captured.all, ppdu, trigger);
                    debug_assert_eq!(bytes, ppdu.bytes, "it is as long as the model has it: {ppdu:?}");
                    self.end(ppdu, bytes)?;
                }
                PpduKind::Beacon | PpduKind::BlockAckReq => {
                    let mpdu = &captured.mpdus()[0];
                    self.begin(ppdu, !mpdu.received, None);
                    let bytes = dot11.other(&mut self.packet, ppdu, mpdu);
                    self.end(ppdu, bytes)?;
                }
                _ => {
                    self.begin(ppdu, is_bad(ppdu), None);
                    let bytes = dot11.control(&mut self.packet, captured.all, ppdu);
                    self.end(ppdu, bytes)?;
                }
            }
        }
        self.release(ppdu.on_air_since_ns)
    }

    fn write_data(&mut self, dot11: &Dot11, captured: Captured<'_>, frames: &Frames) -> io::Result<()> {
        let (ppdu, mpdus) = (captured.ppdu, captured.mpdus());
        let aggregate = self.begin_aggregate(ppdu, captured.subframes());
        let head = |&frame| EthernetHead { head: frames.head(frame), bytes: frames.get(frame).bytes };
        for (number, mpdu) in mpdus.iter().enumerate() {
            let inside = captured.all.frames(mpdu).iter().map(head);
            if !inside.clone().any(|frame| self.filter.passes(frame.head)) {
                continue;
            }
            let subframe = aggregate.then(|| self.subframe(number, captured.subframes()));
            self.begin(ppdu, !mpdu.received, subframe);
            let bytes = dot11.data(&mut self.packet, ppdu, mpdu, inside);
            debug_assert_eq!(bytes, mpdu.bytes, "headers are as long as the model has them: {mpdu:?}");
            self.end(ppdu, bytes)?;
        }
        Ok(())
    }

    /// MPDUs of mac80211: data, management or control frames.
    fn write_of_radio(&mut self, captured: Captured<'_>, heads: &impl MpduHeads) -> io::Result<()> {
        let (ppdu, mpdus) = (captured.ppdu, captured.mpdus());
        let aggregate = self.begin_aggregate(ppdu, captured.subframes());
        for (number, mpdu) in mpdus.iter().enumerate() {
            let head = heads.head(mpdu.radio.expect("all MPDUs of a PPDU are one sender's"));
            let passes = || packet_of(head).is_some_and(|packet| self.filter.passes(&packet));
            if !self.filter.passes_everything() && !passes() {
                continue;
            }
            let subframe = aggregate.then(|| self.subframe(number, captured.subframes()));
            self.begin(ppdu, !mpdu.received, subframe);
            let sent = SentMpdu {
                head,
                bytes: mpdu.bytes,
                start_us: (self.epoch_ns + ppdu.start_ns.cast_unsigned()) / 1000,
                nav: ppdu.nav,
                retry: mpdu.retry,
                received: mpdu.received,
            };
            let bytes = sent.write(&mut self.packet);
            self.end(ppdu, bytes)?;
        }
        Ok(())
    }

    /// The trigger frame at the end of a user's PSDU.
    fn write_own_trigger(&mut self, dot11: &Dot11, captured: Captured<'_>) -> io::Result<()> {
        let ppdu = captured.ppdu;
        let Some(trigger) = ppdu.trigger.as_ref().filter(|_| self.filter.passes_everything()) else {
            return Ok(());
        };
        let subframe = self.subframe(captured.mpdus().len(), captured.subframes());
        self.begin(ppdu, !ppdu.trigger_received, Some(subframe));
        let bytes = dot11.trigger(&mut self.packet, captured.all, ppdu, trigger);
        self.end(ppdu, bytes)
    }

    /// `QoS` Null frames, one for each TID of which they say what waits.
    fn write_qos_null(&mut self, dot11: &Dot11, ppdu: &CapturedPpdu) -> io::Result<()> {
        let said = ppdu.queue_sizes.iter().flatten().count();
        self.begin_aggregate(ppdu, said);
        let sizes = (0..).zip(ppdu.queue_sizes).filter_map(|(tid, size)| Some((tid, size?)));
        for (number, (tid, size)) in sizes.enumerate() {
            let subframe = self.subframe(number, said);
            self.begin(ppdu, is_bad(ppdu), Some(subframe));
            let bytes = dot11.qos_null(&mut self.packet, ppdu, tid, size);
            self.end(ppdu, bytes)?;
        }
        Ok(())
    }

    /// Whether the MPDUs of a PPDU are those of an A-MPDU, which gets a number then. From VHT on every PPDU carries one.
    fn begin_aggregate(&mut self, ppdu: &CapturedPpdu, mpdus: usize) -> bool {
        let always = matches!(ppdu.tx.format, Format::Vht | Format::He | Format::Eht);
        let aggregate = always || mpdus > 1;
        self.ampdus += u32::from(aggregate);
        aggregate
    }

    fn subframe(&self, number: usize, of: usize) -> Subframe {
        Subframe { reference: self.ampdus, last: number + 1 == of, alone: of == 1 }
    }

    /// Begins a packet with its radiotap header.
    fn begin(&mut self, ppdu: &CapturedPpdu, bad_fcs: bool, subframe: Option<Subframe>) {
        self.packet.clear();
        let radiotap = Radiotap {
            start_ns: ppdu.start_ns.cast_unsigned(),
            tx: ppdu.tx,
            channel_mhz: ppdu.primary_mhz,
            power: ppdu.power,
            is_triggered: ppdu.is_triggered,
            bad_fcs,
            subframe,
        };
        radiotap.write(&mut self.packet);
    }

    /// Ends a packet after its MPDU of this length: writes it, or keeps it until no earlier packet can follow.
    fn end(&mut self, ppdu: &CapturedPpdu, mpdu_bytes: u32) -> io::Result<()> {
        let header = usize::from(u16::from_le_bytes([self.packet[2], self.packet[3]]));
        self.packet.truncate(header + self.snap_bytes);
        let (time_ns, original_bytes) = (ppdu.start_ns.cast_unsigned(), header as u32 + mpdu_bytes);
        if self.waiting.is_empty() && ppdu.on_air_since_ns.is_none_or(|since| since >= ppdu.start_ns) {
            return write(&mut self.writer, time_ns, original_bytes, &self.packet);
        }
        self.packets += 1;
        let (number, bytes) = (self.packets, self.packet.clone());
        self.waiting.push(Reverse(Waiting { time_ns, number, original_bytes, bytes }));
        Ok(())
    }

    /// Writes the waiting packets before which no other can start any more.
    fn release(&mut self, on_air_since_ns: Option<i64>) -> io::Result<()> {
        let is_due = |waiting: &Waiting| {
            on_air_since_ns
                .is_none_or(|since| u64::try_from(since).is_ok_and(|since| waiting.time_ns <= since))
        };
        while self.waiting.peek().is_some_and(|Reverse(first)| is_due(first)) {
            let Reverse(first) = self.waiting.pop().expect("it was there");
            write(&mut self.writer, first.time_ns, first.original_bytes, &first.bytes)?;
        }
        Ok(())
    }

    fn close(&mut self) -> io::Result<()> {
        self.release(None)?;
        self.writer.flush()
    }
}

fn write(
    writer: &mut PcapngWriter<BufWriter<File>>,
    time_ns: u64,
    original_bytes: u32,
    bytes: &[u8],
) -> io::Result<()> {
    let comment = None;
    writer.packet(&CapturedPacket { interface: 0, time_ns, bytes, original_bytes, direction: None, comment })
}
