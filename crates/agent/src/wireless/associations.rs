//! Access points and stations without daemons, served by one thread that sleeps until something happens.

use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;

use super::access_point::AccessPoint;
use super::station::{Station, event};
use crate::clock::{since_boot_ns, timespec};
use crate::failure::{KERNEL_REMEDY, Outcome, because};
use crate::netlink::message::{find, replies};
use crate::netlink::nl80211::{attribute, command};

/// Access points and stations whose associations the agent makes itself, without hostapd.
#[derive(Debug, Default)]
pub(super) struct Associations {
    pub(super) access_points: Vec<AccessPoint>,
    pub(super) stations: Vec<Station>,
}

impl Associations {
    /// Serves them until every station is associated.
    ///
    /// # Errors
    /// One is not at the epoch, or the kernel refuses a step.
    pub(super) fn begin(&mut self, epoch_ns: u64) -> Outcome<()> {
        while let Some(waiting) = self.stations.iter().find(|station| !station.joined()) {
            if since_boot_ns() >= epoch_ns {
                return Err(waiting.failure(epoch_ns));
            }
            self.turn(Some(epoch_ns))?;
        }
        Ok(())
    }

    /// Serves them for ever: a station that lost its access point joins it again.
    pub(super) fn go_on(mut self) -> Outcome<()> {
        loop {
            self.turn(None)?;
        }
    }

    /// Waits until something happens, at most until then, and does what is to be done.
    fn turn(&mut self, until_ns: Option<u64>) -> Outcome<()> {
        self.stations.iter_mut().try_for_each(Station::try_to_join)?;
        let retries = self.stations.iter().filter_map(Station::retry_ns);
        let wake_ns = retries.chain(until_ns).min();
        let ready = self.wait(wake_ns).map_err(because(
            "events of nl80211 can't be waited for",
            "network",
            KERNEL_REMEDY,
        ))?;
        let (points, stations) = ready.split_at(self.access_points.len());
        for (point, _) in self.access_points.iter_mut().zip(points).filter(|(_, ready)| **ready) {
            serve_access_point(point)?;
        }
        for (station, _) in self.stations.iter_mut().zip(stations).filter(|(_, ready)| **ready) {
            serve_station(station)?;
        }
        Ok(())
    }

    /// Waits until access points or stations have something to read. The flags are of access points, then of stations.
    fn wait(&self, wake_ns: Option<u64>) -> rustix::io::Result<Vec<bool>> {
        let points = self.access_points.iter().map(|point| point.radio.as_fd());
        let all = points.chain(self.stations.iter().map(|station| station.radio.as_fd()));
        let mut polled: Vec<_> = all.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        let left = wake_ns.map(|wake_ns| timespec(wake_ns.saturating_sub(since_boot_ns())));
        match poll(&mut polled, left.as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        Ok(polled.iter().map(|one| !one.revents().is_empty()).collect())
    }
}

/// A reader that was too slow loses events; what it lost comes again.
fn received(result: rustix::io::Result<Vec<u8>>, place: &str) -> Outcome<Vec<u8>> {
    match result {
        Err(Errno::NOBUFS) => Ok(Vec::new()),
        other => other.map_err(because("events of nl80211 can't be read", place, KERNEL_REMEDY)),
    }
}

fn serve_access_point(point: &mut AccessPoint) -> Outcome<()> {
    let datagram = received(point.radio.receive(), &point.radio.facts.place)?;
    for reply in replies(&datagram) {
        if let Some((command::FRAME, _, attributes)) = event(reply.body) {
            if let Some(frame) = find(attributes, attribute::FRAME) {
                point.answer(frame)?;
            }
        }
    }
    Ok(())
}

fn serve_station(station: &mut Station) -> Outcome<()> {
    let datagram = received(station.radio.receive(), &station.radio.facts.place)?;
    for reply in replies(&datagram) {
        match event(reply.body) {
            Some((number, Some(index), attributes)) if index == station.radio.facts.index => {
                station.handle_event(number, attributes);
            }
            _ => {}
        }
    }
    Ok(())
}
