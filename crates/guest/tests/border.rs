//! The border against a kernel that counts references as the real one does, for what a model may ask of it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use airtcp_air::high::DropReason;
use airtcp_air::{Action, Frame, FrameHandle, NicId};
use airtcp_guest::border::Border;
use airtcp_guest::frames::{KernelHandle, Travelling};
use airtcp_guest::host::Host;
use airtcp_units::Instant;
use proptest::prelude::*;

const SENDER: NicId = NicId(1);
const RECEIVER: NicId = NicId(0);
const NOW: Instant = Instant::from_nanos(5);
/// Voice over IPv4 and UDP that may be marked.
const HEAD: [u8; 42] = {
    let mut head = [0; 42];
    (head[12], head[14], head[15], head[23]) = (8, 0x45, 46 << 2 | 1, 17);
    head
};

/// A buffer of the kernel.
#[derive(Debug, Default)]
struct Buffer {
    references: u32,
    completed: bool,
    marked: bool,
}

#[derive(Debug, Default)]
struct Kernel {
    buffers: BTreeMap<usize, Buffer>,
    allocated: usize,
    delivered: u32,
    stopped: bool,
}

impl Kernel {
    fn allocate(&mut self) -> KernelHandle {
        self.allocated += 1;
        self.buffers.insert(self.allocated, Buffer { references: 1, ..Buffer::default() });
        KernelHandle(self.allocated)
    }

    /// The buffer, which must not have been freed.
    fn buffer(&mut self, frame: KernelHandle) -> &mut Buffer {
        self.buffers.get_mut(&frame.0).expect("a frame that is used lives")
    }

    fn complete(&mut self, frame: KernelHandle) {
        let completed = &mut self.buffer(frame).completed;
        assert!(!std::mem::replace(completed, true), "{frame:?} is completed twice");
        self.free(frame);
    }

    fn free(&mut self, frame: KernelHandle) {
        let buffer = self.buffer(frame);
        buffer.references -= 1;
        if buffer.references == 0 {
            assert!(buffer.completed, "{frame:?} is freed, but its sender waits for it");
            self.buffers.remove(&frame.0);
        }
    }
}

#[derive(Clone, Default)]
struct CountingHost(Rc<RefCell<Kernel>>);

impl Host for CountingHost {
    fn deliver(&mut self, _: NicId, frame: KernelHandle) {
        let mut kernel = self.0.borrow_mut();
        kernel.buffer(frame);
        kernel.delivered += 1;
    }
    fn sent(&mut self, _: NicId, frame: KernelHandle) {
        self.0.borrow_mut().complete(frame);
    }
    fn dropped(&mut self, _: NicId, frame: KernelHandle) {
        self.0.borrow_mut().complete(frame);
    }
    fn hold(&mut self, frame: KernelHandle) {
        self.0.borrow_mut().buffer(frame).references += 1;
    }
    fn release(&mut self, frame: KernelHandle) {
        self.0.borrow_mut().free(frame);
    }
    fn mark_ce(&mut self, frame: KernelHandle) {
        let mut kernel = self.0.borrow_mut();
        let buffer = kernel.buffer(frame);
        assert!(buffer.references == 1 && !buffer.completed, "a shared buffer can't be written");
        buffer.marked = true;
    }
    fn relay(&mut self, _: NicId, frame: KernelHandle) -> KernelHandle {
        let mut kernel = self.0.borrow_mut();
        kernel.buffer(frame);
        kernel.allocate()
    }
    fn stop(&mut self, _: NicId) {
        self.0.borrow_mut().stopped = true;
    }
    fn wake(&mut self, _: NicId) {
        self.0.borrow_mut().stopped = false;
    }
}

struct Bench {
    kernel: Rc<RefCell<Kernel>>,
    border: Border<CountingHost>,
}

impl Bench {
    fn new() -> Self {
        let host = CountingHost::default();
        Self { kernel: Rc::clone(&host.0), border: Border::new(host) }
    }

    fn send(&mut self) -> Frame {
        let kernel = self.kernel.borrow_mut().allocate();
        self.border.send(SENDER, Travelling::read(kernel, &HEAD, 1514, 0, airtcp_plan::DscpMap::Rfc8325), NOW)
    }

    fn act(&mut self, actions: &[Action]) {
        for &action in actions {
            assert_eq!(self.border.carry_out(action, NOW), None);
        }
    }

    fn living(&self) -> usize {
        assert_eq!(self.kernel.borrow().buffers.len(), self.border.frames().len());
        self.border.frames().len()
    }
}

const fn deliver(frame: FrameHandle) -> Action {
    Action::Deliver { nic: RECEIVER, frame }
}

const fn sent(frame: FrameHandle) -> Action {
    Action::Sent { nic: SENDER, frame }
}

const fn dropped(frame: FrameHandle) -> Action {
    Action::Dropped { nic: SENDER, frame, reason: DropReason::RetryLimit }
}

#[test]
fn a_frame_is_described_by_its_head() {
    let mut bench = Bench::new();
    let frame = bench.send();
    assert_eq!((frame.bytes, frame.priority, frame.ect), (1514, 6, true));
    assert_eq!(frame.flow, bench.send().flow);
}

#[test]
fn a_frame_that_waits_at_its_receiver_is_completed_and_still_delivered() {
    let mut bench = Bench::new();
    let frame = bench.send().handle;
    bench.act(&[Action::Hold { frame }, sent(frame)]);
    assert!(bench.kernel.borrow().buffers[&1].completed);
    assert_eq!(bench.living(), 1);
    bench.act(&[deliver(frame), Action::Release { frame }]);
    assert_eq!((bench.living(), bench.kernel.borrow().delivered), (0, 1));
}

#[test]
fn a_frame_may_be_delivered_although_its_sender_gave_it_up() {
    let mut bench = Bench::new();
    let frame = bench.send().handle;
    bench.act(&[Action::Hold { frame }, dropped(frame), deliver(frame), Action::Release { frame }]);
    assert_eq!((bench.living(), bench.kernel.borrow().delivered), (0, 1));
}

#[test]
fn a_frame_released_before_its_acknowledgement_stays_with_its_sender() {
    let mut bench = Bench::new();
    let frame = bench.send().handle;
    bench.act(&[Action::Hold { frame }, deliver(frame), Action::Release { frame }]);
    assert_eq!(bench.living(), 1);
    bench.act(&[sent(frame)]);
    assert_eq!(bench.living(), 0);
}

#[test]
fn a_relayed_frame_is_one_of_its_own_with_the_same_class() {
    let mut bench = Bench::new();
    let original = bench.send();
    let relay = Action::Relay { nic: RECEIVER, frame: original.handle };
    let (nic, copy) = bench.border.carry_out(relay, NOW).expect("the model gets it again");
    assert_eq!((nic, copy), (RECEIVER, Frame { handle: copy.handle, ..original }));
    assert_ne!(copy.handle, original.handle);
    bench.act(&[sent(original.handle)]);
    assert_eq!(bench.living(), 1);
    bench.act(&[Action::Sent { nic: RECEIVER, frame: copy.handle }]);
    assert_eq!(bench.living(), 0);
}

#[test]
fn marks_stops_and_wakes_reach_the_kernel() {
    let mut bench = Bench::new();
    let frame = bench.send().handle;
    bench.act(&[Action::MarkCe { nic: SENDER, frame }, Action::Stop { nic: SENDER }]);
    assert!(bench.kernel.borrow().buffers[&1].marked && bench.kernel.borrow().stopped);
    bench.act(&[Action::Wake { nic: SENDER }, sent(frame)]);
    assert!(!bench.kernel.borrow().stopped);
}

/// What may become of frames that the model has not forgotten.
#[derive(Clone, Copy, Debug)]
enum Step {
    Send,
    Mark,
    Hold,
    Release,
    End { sent: bool },
    Relay,
}

/// A frame as a model knows it.
#[derive(Clone, Copy, Debug)]
struct Known {
    handle: FrameHandle,
    holders: u32,
    ended: bool,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => Just(Step::Send),
        1 => Just(Step::Mark),
        2 => Just(Step::Hold),
        3 => Just(Step::Release),
        3 => any::<bool>().prop_map(|sent| Step::End { sent }),
        1 => Just(Step::Relay),
    ]
}

/// Does a step with one frame if it is legal for it.
fn take(bench: &mut Bench, known: &mut Vec<Known>, place: usize, step: Step) {
    let fresh = |handle| Known { handle, holders: 0, ended: false };
    if matches!(step, Step::Send) {
        let frame = bench.send().handle;
        known.push(fresh(frame));
        return;
    }
    let Some(which) = place.checked_rem(known.len()) else { return };
    let Known { handle: frame, holders, ended } = known[which];
    match step {
        Step::Mark if !ended && holders == 0 => bench.act(&[Action::MarkCe { nic: SENDER, frame }]),
        Step::Hold if !ended => {
            bench.act(&[Action::Hold { frame }]);
            known[which].holders += 1;
        }
        Step::Release if holders > 0 => {
            bench.act(&[deliver(frame), Action::Release { frame }]);
            known[which].holders -= 1;
        }
        Step::End { sent: true } if !ended => {
            bench.act(&[sent(frame)]);
            known[which].ended = true;
        }
        Step::End { sent: false } if !ended => {
            bench.act(&[dropped(frame)]);
            known[which].ended = true;
        }
        Step::Relay => {
            let relay = Action::Relay { nic: RECEIVER, frame };
            let (_, copy) = bench.border.carry_out(relay, NOW).expect("the model gets it again");
            known.push(fresh(copy.handle));
        }
        _ => {}
    }
    known.retain(|frame| !frame.ended || frame.holders > 0);
}

proptest! {
    /// Whatever a model legally does, both sides agree on what lives; nothing is used after its end or lost.
    #[test]
    fn both_sides_count_the_same(steps in proptest::collection::vec((any::<usize>(), step()), 0..200)) {
        let mut bench = Bench::new();
        let mut known = Vec::new();
        for (place, step) in steps {
            take(&mut bench, &mut known, place, step);
            prop_assert_eq!(bench.living(), known.len());
        }
        for Known { handle: frame, holders, ended } in known {
            bench.act(&vec![Action::Release { frame }; holders as usize]);
            if !ended {
                bench.act(&[sent(frame)]);
            }
        }
        prop_assert_eq!(bench.living(), 0);
    }
}
