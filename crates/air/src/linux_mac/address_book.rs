//! Which radio has which address.

use airtcp_plan::MacAddress;

use crate::NicId;
use crate::border::Receiver;

/// Addresses of interfaces, ascending. An address that several radios have belongs to the one that took it last.
#[derive(Debug, Default)]
pub(crate) struct AddressBook(Vec<(MacAddress, NicId)>);

impl AddressBook {
    /// A radio's interface has this address now.
    pub(crate) fn add(&mut self, mac: MacAddress, nic: NicId) {
        match self.place(mac) {
            Ok(place) => self.0[place].1 = nic,
            Err(place) => self.0.insert(place, (mac, nic)),
        }
    }

    /// A radio has no interface with this address any more.
    pub(crate) fn remove(&mut self, mac: MacAddress, nic: NicId) {
        if let Ok(place) = self.place(mac) {
            if self.0[place].1 == nic {
                self.0.remove(place);
            }
        }
    }

    /// The receiver of frames for this address.
    #[inline]
    pub(crate) fn receiver(&self, mac: MacAddress) -> Receiver {
        if mac.is_group() {
            return Receiver::Group;
        }
        self.place(mac).map_or(Receiver::Absent, |place| Receiver::One(self.0[place].1))
    }

    fn place(&self, mac: MacAddress) -> Result<usize, usize> {
        self.0.binary_search_by_key(&mac.0, |(known, _)| known.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_leads_to_its_radio_until_it_is_removed() {
        let (a, b) = (MacAddress([2, 0, 0, 0, 0, 1]), MacAddress([2, 0, 0, 0, 0, 2]));
        let mut book = AddressBook::default();
        book.add(b, NicId(4));
        book.add(a, NicId(3));
        assert_eq!((book.receiver(a), book.receiver(b)), (Receiver::One(NicId(3)), Receiver::One(NicId(4))));
        assert_eq!(book.receiver(MacAddress([0xff; 6])), Receiver::Group);
        // Another radio takes it over, and the one before gives it up after that.
        book.add(a, NicId(5));
        book.remove(a, NicId(3));
        assert_eq!(book.receiver(a), Receiver::One(NicId(5)));
        book.remove(a, NicId(5));
        assert_eq!(book.receiver(a), Receiver::Absent);
    }
}
