//! Who a guest talks with while it runs, and by what.

use std::fs::File;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};

use airtcp_plan::report::{EXCHANGE_BYTES, FD_EXCHANGE, FD_SESSION_ANSWERS, FD_SESSION_ORDERS};
use command_fds::FdMapping;
use nix::sys::memfd::{MFdFlags, memfd_create};

/// Who a guest talks with while it runs.
#[derive(Debug)]
pub enum Partner {
    /// Nobody.
    Nobody,
    /// The user of its session.
    User(UserPipes),
    /// The guest that computes the other part of its network.
    Guest(Exchange),
}

impl Partner {
    /// The descriptors by which a guest reaches it.
    pub fn mappings(self) -> Vec<FdMapping> {
        match self {
            Self::Nobody => vec![],
            Self::User(pipes) => pipes.mappings().into(),
            Self::Guest(Exchange(parent_fd)) => vec![FdMapping { parent_fd, child_fd: FD_EXCHANGE }],
        }
    }
}

/// What the guest's session and its user talk through.
#[derive(Debug)]
pub struct UserPipes {
    orders: OwnedFd,
    answers: OwnedFd,
}

impl UserPipes {
    /// Copies of these.
    ///
    /// # Errors
    /// Out of file descriptors.
    pub fn of(orders: BorrowedFd<'_>, answers: BorrowedFd<'_>) -> io::Result<Self> {
        Ok(Self { orders: orders.try_clone_to_owned()?, answers: answers.try_clone_to_owned()? })
    }

    fn mappings(self) -> [FdMapping; 2] {
        [(self.orders, FD_SESSION_ORDERS), (self.answers, FD_SESSION_ANSWERS)]
            .map(|(parent_fd, child_fd)| FdMapping { parent_fd, child_fd })
    }
}

/// The memory that both guests of a split network share.
#[derive(Debug)]
pub struct Exchange(OwnedFd);

impl Exchange {
    /// An empty one.
    ///
    /// # Errors
    /// An error of the system.
    pub fn create() -> io::Result<Self> {
        let memory = File::from(memfd_create(c"exchange", MFdFlags::MFD_CLOEXEC)?);
        memory.set_len(EXCHANGE_BYTES)?;
        Ok(Self(memory.into()))
    }

    /// Another descriptor of the shared memory, for the other guest.
    ///
    /// # Errors
    /// Out of file descriptors.
    pub fn try_clone(&self) -> io::Result<Self> {
        Ok(Self(self.0.try_clone()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::fd::AsFd;
    use std::os::unix::fs::FileExt;

    #[test]
    fn guests_share_empty_memory() {
        let exchange = Exchange::create().unwrap();
        let [one, other] =
            [exchange.try_clone().unwrap(), exchange].map(|Exchange(memory)| File::from(memory));
        let mut seen = [1; 3];
        other.read_exact_at(&mut seen, EXCHANGE_BYTES - 3).unwrap();
        assert_eq!((seen, other.metadata().unwrap().len()), ([0; 3], EXCHANGE_BYTES));
        one.write_all_at(b"abc", EXCHANGE_BYTES - 3).unwrap();
        other.read_exact_at(&mut seen, EXCHANGE_BYTES - 3).unwrap();
        assert_eq!(seen, *b"abc");
    }

    #[test]
    fn each_partner_has_its_descriptors() {
        let numbers = |partner: Partner| partner.mappings().iter().map(|m| m.child_fd).collect::<Vec<_>>();
        let null = File::open("/dev/null").unwrap();
        let pipes = UserPipes::of(null.as_fd(), null.as_fd()).unwrap();
        assert_eq!(numbers(Partner::Nobody), Vec::<i32>::new());
        assert_eq!(numbers(Partner::User(pipes)), [FD_SESSION_ORDERS, FD_SESSION_ANSWERS]);
        assert_eq!(numbers(Partner::Guest(Exchange::create().unwrap())), [FD_EXCHANGE]);
    }
}
