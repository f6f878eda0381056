//! The session of a run: inputs enter at their instants, from the plan or from a user who stops the clock.
//!
//! ```text
//!   session_next() ---> when the kernel looks next: the next planned input, what the user waits for, the next millisecond
//!   session_look() ---> enters what is due; with a user: waits as long as the clock is stopped, or runs ahead of its pace
//!   session_take() ---> the messages of this instant, to the agent; changes of the air wait for the engine
//!   session_send() ---> what jobs say, to the user and into the transcript
//! ```
//! While the user waits for a condition, the kernel tells what is at the end of each instant, and more ([`waiting`]).
//!
//! Looking changes nothing in the machine, so how often it is done and where the clock stops is no part of a run: only the
//! inputs with their instants are, and the transcript has them.

mod associations;
mod channel;
mod ended_ppdu;
mod happenings;
mod pace;
mod transcript;
mod user;
mod waited_for;
mod waiting;

use std::collections::VecDeque;
use std::io;
use std::path::Path;

use airtcp_air::channel::{check_place, check_power};
use airtcp_air::{DropReason, NicId, PpduRecord};
use airtcp_plan::condition::Loss;
use airtcp_plan::{
    Attachment, JobEvent, MacAddress, NicRole, Plan, Propagation, SessionAct, SessionEvent, SessionInput,
};
use airtcp_units::{Dbm, Duration, Instant};

pub use airtcp_plan::session_messages::{Answer, Order, Until, Why};
use associations::Associations;
pub use channel::UserChannel;
use transcript::Transcript;
use user::User;
pub use waiting::{Waiting, Watched};

use crate::watch::DevicePlace;

/// What the user of a session may ask for of its run.
pub trait RunSoFar {
    /// The hash over all frames so far.
    fn frame_hash(&self) -> String;

    /// Mean power of one NIC at another now.
    fn mean_power(&self, from: NicId, to: NicId) -> Dbm;

    /// Writes all records so far to their files.
    ///
    /// # Errors
    /// An error of the file system.
    fn flush(&mut self) -> io::Result<()>;
}

/// What follows at the instant of a look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Entered {
    /// Whether there are messages for the agent.
    pub messages: bool,
    /// Whether there are changes of the air.
    pub air: bool,
    /// What is watched from now on.
    pub watched: Watched,
}

/// A change of the air that is to be carried out.
pub struct AirChange {
    /// The job of a user who makes it; `None`: a program does.
    pub job: Option<u32>,
    /// The change.
    pub act: SessionAct,
}

/// The inputs of a run, those that have entered, and the user if there is one.
pub struct Session {
    plan: Plan,
    epoch: Instant,
    begun: bool,
    planned: VecDeque<SessionInput>,
    user: Option<User>,
    for_agent: VecDeque<Vec<u8>>,
    for_air: VecDeque<AirChange>,
    /// When a program changed the air since the last look.
    program_change: Option<Instant>,
    transcript: Transcript,
    associations: Associations,
    /// Whether the next samples are the first ones for a condition.
    begins: bool,
    /// The device of each NIC.
    places: Vec<DevicePlace>,
}

impl Session {
    /// The session of a plan; `None` if it has none. A user's first look is at the epoch, where the clock stands.
    ///
    /// # Errors
    /// The transcript can't be created.
    pub fn of(plan: &Plan, folder: &Path, channel: Option<UserChannel>) -> io::Result<Option<Self>> {
        let Some(session) = &plan.session else { return Ok(None) };
        let epoch = Instant::from_nanos(plan.epoch_ns);
        Ok(Some(Self {
            plan: plan.clone(),
            epoch,
            begun: false,
            planned: session.inputs.iter().cloned().collect(),
            user: channel.map(|channel| User::new(channel, epoch)),
            for_agent: VecDeque::new(),
            for_air: VecDeque::new(),
            program_change: None,
            transcript: Transcript::create(folder)?,
            associations: Associations::default(),
            begins: false,
            places: places_of_nics(plan),
        }))
    }

    /// When [`Self::look`] is to be called next, first at the epoch; [`Instant::FAR_FUTURE`] for never.
    pub fn next(&self) -> Instant {
        if !self.begun {
            return self.epoch;
        }
        let planned = self.planned.front().map_or(Instant::FAR_FUTURE, |input| self.instant(input.at_ns));
        let of_user = self.user.as_ref().map_or(Instant::FAR_FUTURE, User::next_look);
        planned.min(of_user).min(self.program_change.unwrap_or(Instant::FAR_FUTURE))
    }

    fn instant(&self, at_ns: u64) -> Instant {
        self.epoch + Duration::from_nanos(at_ns)
    }

    fn at_ns(&self, now: Instant) -> u64 {
        now.saturating_since(self.epoch).as_nanos()
    }

    /// Enters what is due, and waits for the user for as long as the clock is stopped.
    ///
    /// # Errors
    /// The transcript or a record can't be written, or the user's side has gone.
    pub fn look(&mut self, now: Instant, run: &mut impl RunSoFar) -> io::Result<Entered> {
        (self.begun, self.program_change) = (true, None);
        while self.planned.front().is_some_and(|input| self.instant(input.at_ns) <= now) {
            let input = self.planned.pop_front().expect("there is one");
            if let Some(user) = &mut self.user {
                user.tell(&Answer::Entered(&input))?;
            }
            self.enter(input)?;
        }
        if let Some(mut user) = self.user.take() {
            while let Some(order) = user.next_order(now, self.epoch)? {
                self.obey(order, &mut user, now, run)?;
            }
            user.looked(now, self.epoch);
            self.user = Some(user);
        }
        let watched = self.user.as_mut().map_or(Watched::default(), User::watches);
        self.begins = watched.begins;
        Ok(Entered { messages: !self.for_agent.is_empty(), air: !self.for_air.is_empty(), watched })
    }

    fn obey(
        &mut self,
        order: Order,
        user: &mut User,
        now: Instant,
        run: &mut impl RunSoFar,
    ) -> io::Result<()> {
        let at_ns = self.at_ns(now);
        match order {
            Order::Enter { job, act } => self.enter_of(user, SessionInput { at_ns, job, act })?,
            Order::FrameHash {} => user.tell(&Answer::FrameHash { at_ns, hash: &run.frame_hash() })?,
            Order::Flush {} => {
                run.flush()?;
                let signals_dbm = self.signals_dbm(run);
                user.tell(&Answer::Flushed { at_ns, signals_dbm })?;
            }
            Order::Go(until) => user.go(until, now, self.epoch),
            Order::Stop {} => user.stop(),
            Order::Pace { of_real_time } => user.set_pace(of_real_time, now),
        }
        Ok(())
    }

    /// Enters what the user does, unless the network of the plan has no such thing.
    fn enter_of(&mut self, user: &mut User, input: SessionInput) -> io::Result<()> {
        if let Err(refused) = self.plan.check_act("", &input.act) {
            let why = refused.to_string().trim_start_matches('.').to_owned();
            let (at_ns, job) = (input.at_ns, input.job);
            return user.tell(&Answer::Said { at_ns, job, happened: &JobEvent::Refused { why } });
        }
        // What was planned for later would not follow from this.
        self.planned.clear();
        user.tell(&Answer::Entered(&input))?;
        self.enter(input)
    }

    /// Mean power at which each station receives the access point of its cell.
    fn signals_dbm(&self, run: &impl RunSoFar) -> Vec<Option<f64>> {
        let nics = &self.plan.air.nics;
        let access_point_of =
            |cell| nics.iter().position(|other| other.cell == cell && other.role == NicRole::AccessPoint);
        let signals = nics.iter().zip(0..).map(|(nic, number)| {
            let from = access_point_of(nic.cell).filter(|_| nic.role != NicRole::AccessPoint)?;
            Some(run.mean_power(NicId(from as u32), NicId(number)).get()).filter(|dbm| dbm.is_finite())
        });
        signals.collect()
    }

    fn enter(&mut self, input: SessionInput) -> io::Result<()> {
        self.transcript.entered(&input)?;
        if input.act.is_of_the_air() {
            self.for_air.push_back(AirChange { job: Some(input.job), act: input.act });
        } else {
            self.for_agent.push_back(serde_json::to_vec(&input)?);
        }
        Ok(())
    }

    /// The next message for the agent.
    pub fn take_message(&mut self) -> Option<Vec<u8>> {
        self.for_agent.pop_front()
    }

    /// Whether messages for the agent wait.
    pub fn has_messages(&self) -> bool {
        !self.for_agent.is_empty()
    }

    /// Whether changes of the air wait.
    pub fn changes_air(&self) -> bool {
        !self.for_air.is_empty()
    }

    /// The next change of the air.
    pub fn take_change(&mut self) -> Option<AirChange> {
        self.for_air.pop_front()
    }

    /// A job says something, or a program changes the air. What the network of the plan does not have is not changed.
    ///
    /// # Errors
    /// As of [`Self::look`].
    pub fn say(&mut self, event: &SessionEvent, now: Instant) -> io::Result<()> {
        let at_ns = self.at_ns(now);
        self.transcript.said(at_ns, event)?;
        if let JobEvent::AirChange { act } = &event.happened {
            if act.is_of_the_air() && self.plan.check_act("", act).is_ok() {
                self.for_air.push_back(AirChange { job: None, act: act.clone() });
                self.program_change = Some(now);
            }
            return Ok(());
        }
        let Some(user) = &mut self.user else { return Ok(()) };
        user.tell(&Answer::Said { at_ns, job: event.job, happened: &event.happened })?;
        if event.happened.is_last() {
            user.job_ended(event.job, now);
        }
        Ok(())
    }

    /// Why the air can't be changed so, if it can't.
    pub fn refusal(&self, act: &SessionAct) -> Option<String> {
        let propagation = &self.plan.air.channel.propagation;
        let checked = match act {
            SessionAct::Move { .. } if matches!(propagation, Propagation::Rssi { .. }) => {
                return Some(
                    "powers are given in this network, so places say nothing; change them by rssi".to_owned(),
                );
            }
            SessionAct::Move { position_m, .. } => check_place("position", *position_m, propagation),
            SessionAct::Rssi { rssi_dbm, .. } => check_power("rssi", *rssi_dbm),
            _ => Ok(()),
        };
        checked.err().map(|error| error.to_string())
    }

    /// A change of the air was carried out, or refused. A change by a program is not reported to it.
    ///
    /// # Errors
    /// As of [`Self::look`].
    pub fn changed_air(&mut self, job: Option<u32>, refused: Option<String>, now: Instant) -> io::Result<()> {
        let Some(job) = job else { return Ok(()) };
        let happened = refused.map_or(JobEvent::DONE, |why| JobEvent::Refused { why });
        self.say(&SessionEvent { job, happened }, now)
    }

    /// Whether PPDUs have to be recorded for the user.
    pub fn watches_ppdus(&self) -> bool {
        self.user.is_some()
    }

    /// PPDUs have ended.
    ///
    /// # Errors
    /// As of [`Self::look`].
    pub fn saw_ppdus(&mut self, ppdus: &[PpduRecord], now: Instant) -> io::Result<()> {
        self.user.as_mut().map_or(Ok(()), |user| user.saw_ppdus(ppdus, now))
    }

    /// What the user waits for.
    pub fn waiting(&mut self) -> Option<&mut Waiting> {
        self.user.as_mut().and_then(User::waiting)
    }

    /// All that is watched has been sampled for this instant.
    pub fn sampled(&mut self, now: Instant) {
        let (begins, places) = (std::mem::take(&mut self.begins), &self.places);
        if let Some(user) = &mut self.user {
            user.sampled(now, begins, |waiting| waiting.end(|nic| places.get(nic.0 as usize).copied()));
        }
    }

    /// A radio of mac80211 gives up data after its last attempt.
    pub fn given_up(&mut self, loss: Loss, now: Instant) {
        if let Some(user) = &mut self.user {
            user.waits(now, |waiting| waiting.given_up(loss, now));
        }
    }

    /// A radio of the model drops a frame.
    pub fn radio_drops(&mut self, nic: NicId, reason: DropReason, now: Instant) {
        if let Some(waiting) = self.waiting()
            && waiting.waits_for_losses()
        {
            waiting.radio_drops(nic, reason, now);
        }
    }

    /// The NIC of a device, if it is one.
    pub fn nic(&self, place: DevicePlace) -> Option<NicId> {
        self.places.iter().position(|own| *own == place).map(|nic| NicId(nic as u32))
    }

    /// The device of a NIC.
    pub fn place(&self, nic: NicId) -> DevicePlace {
        self.places[nic.0 as usize]
    }

    /// An interface of a radio gains or loses an address.
    pub fn address(&mut self, nic: NicId, address: MacAddress, add: bool) {
        self.associations.address(nic.0, address, add);
    }

    /// A station of mac80211 is associated.
    pub fn associated(&mut self, nic: NicId, peer: MacAddress, now: Instant) {
        let roam = self.associations.associated(nic.0, peer);
        if let (Some(roam), Some(user)) = (roam, &mut self.user) {
            user.waits(now, |waiting| waiting.roamed(roam, now));
        }
    }

    /// The run has ended, with this hash over all frames.
    ///
    /// # Errors
    /// As of [`Self::look`].
    pub fn close(&mut self, frame_hash: &str, now: Instant) -> io::Result<()> {
        let at_ns = self.at_ns(now);
        if let Some(user) = &mut self.user {
            user.tell(&Answer::Ended { at_ns, hash: frame_hash })?;
        }
        self.transcript.close()
    }
}

/// The device of each NIC of the air.
fn places_of_nics(plan: &Plan) -> Vec<DevicePlace> {
    let mut places = vec![DevicePlace { node: 0, interface: 0 }; plan.air.nics.len()];
    for (number, node) in plan.nodes.iter().enumerate() {
        for (place, interface) in node.interfaces.iter().enumerate() {
            if let Attachment::Air { nic } = interface.attachment {
                places[nic as usize] = DevicePlace { node: number as u32, interface: place as u32 };
            }
        }
    }
    places
}
