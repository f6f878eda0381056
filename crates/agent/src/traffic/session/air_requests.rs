//! Changes of the air that privileged programs ask for: each is a datagram to a socket of the guest.

use std::fs::Permissions;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;

use airtcp_plan::{SESSION_DATA_BYTES_MAX, SessionAct};

use crate::guest_paths::AIR_REQUESTS;

/// The socket. Programs of every node reach it: what they ask for says which NICs of the air it is about.
#[derive(Debug)]
pub(super) struct AirRequests(UnixDatagram);

impl AsFd for AirRequests {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl AirRequests {
    /// Makes the socket.
    ///
    /// # Errors
    /// The guest has no memory left.
    pub(super) fn listen() -> io::Result<Self> {
        let socket = UnixDatagram::bind(AIR_REQUESTS)?;
        std::fs::set_permissions(AIR_REQUESTS, Permissions::from_mode(0o600))?;
        socket.set_nonblocking(true)?;
        Ok(Self(socket))
    }

    /// The next change, as JSON of a [`SessionAct`]. What is no change of the air is nothing.
    pub(super) fn receive(&self) -> Option<SessionAct> {
        let mut datagram = vec![0; SESSION_DATA_BYTES_MAX];
        let length = self.0.recv(&mut datagram).ok()?;
        read(&datagram[..length])
    }
}

fn read(datagram: &[u8]) -> Option<SessionAct> {
    serde_json::from_slice(datagram).ok().filter(SessionAct::is_of_the_air)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_air_can_be_changed() {
        let rssi = br#"{"kind":"rssi","from":0,"to":1,"rssi_dbm":-60.5}"#;
        assert!(matches!(read(rssi), Some(SessionAct::Rssi { from: 0, to: 1, .. })));
        assert_eq!(read(br#"{"kind":"end"}"#), None);
        assert_eq!(read(b"\xff"), None);
    }
}
