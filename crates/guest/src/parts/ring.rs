//! The memory that two guests share: for each part what it sends, and how far it is.
//!
//! The first half belongs to what part 0 sends, the second half to what part 1 sends. A half is a header and a ring of frames, with
//! one writer and one reader.

#![expect(unsafe_code, reason = "memory that another process reads and writes")]

use std::fs::File;
use std::io;
use std::os::fd::FromRawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration as RealDuration;

use airtcp_plan::PARTS;
use airtcp_plan::report::FD_EXCHANGE;
use airtcp_units::Instant;
use memmap2::{MmapOptions, MmapRaw};
use rustix::thread::futex;

/// The ring begins on the page after the header, so that both guests do not write to the same lines of the caches.
const HEADER_BYTES: usize = 4096;
/// The numbers before the bytes of a frame.
const NUMBERS_BYTES: usize = 32;
/// Frames begin at multiples of this.
const ALIGNMENT: usize = 8;
/// How often a guest looks for the other one before it sleeps: for up to a millisecond. To wake a sleeping process takes tens of
/// microseconds, and each guest has a core of its own.
const LOOKS: u32 = 20_000;
/// A guest that sleeps looks after this time, too.
const SLEEP_MOST: RealDuration = RealDuration::from_millis(100);

/// A frame on a wire between the parts: its first bytes, after which it has zeros up to its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image<'a> {
    /// The kernel's number of the device at which its wire begins.
    pub ifindex: u32,
    /// Time at which the frame arrives.
    pub arrival: Instant,
    /// The first bytes.
    pub bytes: &'a [u8],
    /// Length without FCS.
    pub len: u32,
    /// Start of the bytes whose checksum is missing, and the place of the checksum from there; as the kernel has them.
    pub checksum: [u32; 2],
}

#[repr(C)]
struct Header {
    /// Time before which all that the writing part sends has been sent.
    reached_ns: AtomicU64,
    /// Bytes put into the ring so far.
    written: AtomicU64,
    /// Bytes taken out of it.
    taken: AtomicU64,
    /// Changes whenever a reader that sleeps is woken.
    wakes: AtomicU32,
    /// Whether the reader sleeps, or is about to.
    asleep: AtomicU32,
    /// Whether the reader has ended: nobody takes anything any more.
    refused: AtomicU32,
}

/// Half of the memory.
#[derive(Clone)]
struct Half {
    memory: Arc<MmapRaw>,
    start: usize,
    /// Bytes of the ring.
    size: usize,
}

// SAFETY: the memory stays mapped as long as a half is there, and its ring is accessed by the protocol of `written` and `taken`.
unsafe impl Send for Half {}

impl Half {
    #[expect(clippy::cast_ptr_alignment, reason = "a half begins on a page")]
    fn header(&self) -> &Header {
        // SAFETY: a half begins on a page of the mapping and is longer than a header, which consists of atomics for which all
        // bytes are valid.
        unsafe { &*self.memory.as_ptr().add(self.start).cast::<Header>() }
    }

    /// Where in memory this place of the ring is, and how many bytes follow it before the ring begins anew.
    fn at(&self, place: u64) -> (*mut u8, usize) {
        let place = (place % self.size as u64) as usize;
        // SAFETY: the ring is inside the mapping.
        (unsafe { self.memory.as_mut_ptr().add(self.start + HEADER_BYTES + place) }, self.size - place)
    }

    /// Copies into the ring. The caller is its writer, and the reader has taken what was there.
    fn put(&self, place: u64, bytes: &[u8]) {
        let (to, room) = self.at(place);
        let (first, rest) = bytes.split_at(bytes.len().min(room));
        // SAFETY: `first` ends before the ring does, and `rest` is shorter than it; nobody else accesses these bytes.
        unsafe {
            to.copy_from_nonoverlapping(first.as_ptr(), first.len());
            self.at(0).0.copy_from_nonoverlapping(rest.as_ptr(), rest.len());
        }
    }

    /// Copies out of the ring. The caller is its reader, and the writer has written all of it.
    fn get(&self, place: u64, bytes: &mut [u8]) {
        let (from, room) = self.at(place);
        let at = bytes.len().min(room);
        let (first, rest) = bytes.split_at_mut(at);
        // SAFETY: as above.
        unsafe {
            from.copy_to_nonoverlapping(first.as_mut_ptr(), first.len());
            self.at(0).0.copy_to_nonoverlapping(rest.as_mut_ptr(), rest.len());
        }
    }
}

/// The writing end of a half.
pub struct Outgoing {
    half: Half,
    entry: Vec<u8>,
}

/// The reading end of a half.
pub struct Incoming {
    half: Half,
    /// Frames that were taken and have not entered.
    kept: Vec<u8>,
}

/// The ends of the rings in both halves of shared memory, by the part that writes.
///
/// # Errors
/// It can't be mapped.
pub fn share(file: &File) -> io::Result<[(Outgoing, Incoming); PARTS]> {
    let memory = Arc::new(MmapOptions::new().map_raw(file)?);
    let half_bytes = memory.len() / PARTS / HEADER_BYTES * HEADER_BYTES;
    assert!(half_bytes > HEADER_BYTES, "two halves with room");
    Ok(std::array::from_fn(|part| {
        let size = half_bytes - HEADER_BYTES;
        let half = Half { memory: Arc::clone(&memory), start: part * half_bytes, size };
        (Outgoing { half: half.clone(), entry: Vec::new() }, Incoming { half, kept: Vec::new() })
    }))
}

/// The memory that the runner has given to this process.
pub(super) fn inherited() -> io::Result<[(Outgoing, Incoming); PARTS]> {
    // SAFETY: the runner opens it for this process, and nothing else in it knows its number.
    share(&unsafe { File::from_raw_fd(FD_EXCHANGE) })
}

impl Outgoing {
    /// Puts a frame into the ring, and returns whether there was room for it.
    pub(super) fn send(&mut self, image: &Image<'_>) -> bool {
        let header = self.half.header();
        if header.refused.load(Ordering::Acquire) != 0 {
            return true;
        }
        self.entry.clear();
        write(image, &mut self.entry);
        let (written, taken) = (header.written.load(Ordering::Relaxed), header.taken.load(Ordering::Acquire));
        let entry = self.entry.len() as u64;
        assert!(entry <= self.half.size as u64, "a frame is shorter than the ring");
        if written + entry - taken > self.half.size as u64 {
            return false;
        }
        self.half.put(written, &self.entry);
        header.written.store(written + entry, Ordering::Release);
        true
    }

    /// Announces that all that is sent before this time is in the ring.
    pub(super) fn reach(&mut self, time: Instant) {
        let header = self.half.header();
        header.reached_ns.store(time.as_nanos(), Ordering::SeqCst);
        if header.asleep.swap(0, Ordering::SeqCst) != 0 {
            header.wakes.fetch_add(1, Ordering::SeqCst);
            // The reader looks again after some time, whatever this returns.
            let _ = futex::wake(&header.wakes, futex::Flags::empty(), 1);
        }
    }
}

impl Incoming {
    /// The time before which all that is sent is in the ring.
    pub(super) fn reached(&self) -> Instant {
        Instant::from_nanos(self.half.header().reached_ns.load(Ordering::SeqCst))
    }

    /// Waits until that is another time.
    pub(super) fn wait_beyond(&self, reached: Instant) {
        for _ in 0..LOOKS {
            if self.reached() != reached {
                return;
            }
            std::hint::spin_loop();
        }
        let header = self.half.header();
        let wakes = header.wakes.load(Ordering::SeqCst);
        header.asleep.store(1, Ordering::SeqCst);
        // The writer stores its time before it looks whether to wake anybody.
        if self.reached() == reached {
            let most = futex::Timespec { tv_sec: 0, tv_nsec: SLEEP_MOST.as_nanos() as i64 };
            let _ = futex::wait(&header.wakes, futex::Flags::empty(), wakes, Some(&most));
        }
    }

    /// Takes all frames out of the ring.
    pub(super) fn keep(&mut self) {
        let header = self.half.header();
        let (written, taken) = (header.written.load(Ordering::Acquire), header.taken.load(Ordering::Relaxed));
        let at = self.kept.len();
        self.kept.resize(at + (written - taken) as usize, 0);
        self.half.get(taken, &mut self.kept[at..]);
        header.taken.store(written, Ordering::Release);
    }

    /// Takes all frames, in the order in which they were sent.
    pub(super) fn take(&mut self, enter: &mut impl FnMut(&Image<'_>)) {
        self.keep();
        let mut rest = &self.kept[..];
        while !rest.is_empty() {
            let (image, after) = read(rest);
            enter(&image);
            rest = after;
        }
        self.kept.clear();
    }

    /// Nobody takes anything any more.
    pub(super) fn refuse(&self) {
        self.half.header().refused.store(1, Ordering::Release);
    }
}

fn padded(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGNMENT)
}

/// Appends a frame as it is in the ring.
fn write(image: &Image<'_>, entry: &mut Vec<u8>) {
    let Image { ifindex, arrival, bytes, len, checksum: [start, place] } = *image;
    entry.extend(arrival.as_nanos().to_le_bytes());
    for number in [ifindex, bytes.len() as u32, len, start, place, 0] {
        entry.extend(number.to_le_bytes());
    }
    entry.extend(bytes);
    entry.resize(padded(entry.len()), 0);
}

/// The first frame, and what follows it.
fn read(entries: &[u8]) -> (Image<'_>, &[u8]) {
    let (numbers, rest) = entries.split_at(NUMBERS_BYTES);
    let number = |place: usize| {
        u32::from_le_bytes(numbers[8 + 4 * place..][..4].try_into().expect("a number has four bytes"))
    };
    let arrival = u64::from_le_bytes(numbers[..8].try_into().expect("a time has eight bytes"));
    let count = number(1) as usize;
    let image = Image {
        ifindex: number(0),
        arrival: Instant::from_nanos(arrival),
        bytes: &rest[..count],
        len: number(2),
        checksum: [number(3), number(4)],
    };
    (image, &rest[padded(count)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory with rings of one page.
    fn ways() -> [(Outgoing, Incoming); PARTS] {
        let file = tempfile::tempfile().unwrap();
        file.set_len(4 * HEADER_BYTES as u64).unwrap();
        share(&file).unwrap()
    }

    fn image(number: u32, bytes: &[u8]) -> Image<'_> {
        let arrival = Instant::from_nanos(u64::from(number) * 10);
        Image { ifindex: number, arrival, bytes, len: 1500, checksum: [14, u32::MAX] }
    }

    #[test]
    fn frames_arrive_in_their_order_and_whole() {
        let [(mut outgoing, mut incoming), (_, mut other)] = ways();
        let bytes: Vec<u8> = (0..=250).collect();
        // Several times the size of the ring, and never at the same place.
        for round in 0..40_u32 {
            for number in 0..5 {
                let length = (round * 7 + number * 31) as usize % 250;
                assert!(outgoing.send(&image(round * 5 + number, &bytes[..length])));
            }
            let mut number = 0;
            incoming.take(&mut |got| {
                let length = (round * 7 + number * 31) as usize % 250;
                assert_eq!(*got, image(round * 5 + number, &bytes[..length]));
                number += 1;
            });
            assert_eq!(number, 5);
        }
        other.take(&mut |_| panic!("the other direction has none"));
    }

    #[test]
    fn a_full_ring_takes_no_frame_until_some_are_taken() {
        let [(mut outgoing, mut incoming), _] = ways();
        let bytes = [7; 1000];
        let sent =
            (0..HEADER_BYTES as u32).take_while(|&number| outgoing.send(&image(number, &bytes))).count();
        assert_eq!(sent, HEADER_BYTES / (NUMBERS_BYTES + bytes.len()));
        incoming.keep();
        assert!(outgoing.send(&image(sent as u32, &bytes)));
        let mut taken = 0;
        incoming.take(&mut |got| {
            assert_eq!(got.ifindex, taken);
            taken += 1;
        });
        assert_eq!(taken as usize, sent + 1);
        incoming.refuse();
        assert!(
            (0..20).all(|number| outgoing.send(&image(number, &bytes))),
            "a guest that has ended holds nobody up"
        );
    }

    #[test]
    fn who_sleeps_is_woken_by_a_new_time() {
        let [(mut outgoing, incoming), _] = ways();
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                incoming.wait_beyond(Instant::ZERO);
                while incoming.reached() == Instant::ZERO {
                    incoming.wait_beyond(Instant::ZERO);
                }
                incoming.reached()
            });
            std::thread::sleep(RealDuration::from_millis(20));
            outgoing.reach(Instant::from_nanos(5));
            assert_eq!(reader.join().unwrap(), Instant::from_nanos(5));
        });
    }
}
