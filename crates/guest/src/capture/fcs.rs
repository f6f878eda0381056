//! The frame check sequence (IEEE 802.11-2020, 9.2.4.8): the CRC-32 of Ethernet, least significant octet first.

/// The generator polynomial, its lowest power in the highest bit.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// The remainder of each octet.
const REMAINDERS: [u32; 256] = {
    let mut table = [0; 256];
    let mut octet = 0;
    while octet < 256 {
        let (mut remainder, mut bit) = (octet as u32, 0);
        while bit < 8 {
            remainder = if remainder & 1 == 1 { remainder >> 1 ^ POLYNOMIAL } else { remainder >> 1 };
            bit += 1;
        }
        table[octet] = remainder;
        octet += 1;
    }
    table
};

/// The octets that end a frame with these before them.
pub(super) fn of(frame: &[u8]) -> [u8; 4] {
    let step = |crc: u32, octet: &u8| crc >> 8 ^ REMAINDERS[(crc as u8 ^ octet) as usize];
    (!frame.iter().fold(u32::MAX, step)).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of CRC-32: that of the nine digits is 0xCBF43926.
    #[test]
    fn the_digits_have_their_check_value() {
        assert_eq!(of(b"123456789"), 0xcbf4_3926_u32.to_le_bytes());
        assert_eq!(of(b""), [0; 4]);
    }
}
