//! The convolutional code of rate 1/2 and constraint length 7 (IEEE 802.11-2020, 17.3.5.6).

/// States of the encoder: the last six data bits.
pub const STATES: usize = 64;

/// Generator of the first output, octal 133, newest bit first.
pub const GENERATOR_A: u32 = 0o133;

/// Generator of the second output, octal 171, newest bit first.
pub const GENERATOR_B: u32 = 0o171;

/// The two output bits of a shift register of seven bits, newest bit in bit 6.
pub const fn outputs(register: u32) -> [u8; 2] {
    [((register & GENERATOR_A).count_ones() & 1) as u8, ((register & GENERATOR_B).count_ones() & 1) as u8]
}

/// The output bits of every register.
const OUTPUTS: [[u8; 2]; 2 * STATES] = {
    let mut table = [[0; 2]; 2 * STATES];
    let mut register = 0;
    while register < table.len() {
        table[register] = outputs(register as u32);
        register += 1;
    }
    table
};

/// Encodes `data` (one bit per byte, 0 or 1) from the zero state and appends A, B, A, B, ... to `coded`.
pub fn encode(data: &[u8], coded: &mut Vec<u8>) {
    let mut state = 0;
    coded.extend(data.iter().flat_map(|bit| {
        let register = (usize::from(*bit) << 6) | state;
        state = register >> 1;
        OUTPUTS[register]
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answer to a single one is the generators themselves.
    #[test]
    fn impulse_response_is_the_generators() {
        let mut coded = Vec::new();
        encode(&[1, 0, 0, 0, 0, 0, 0], &mut coded);
        let a: Vec<_> = coded.iter().step_by(2).copied().collect();
        let b: Vec<_> = coded.iter().skip(1).step_by(2).copied().collect();
        assert_eq!(a, [1, 0, 1, 1, 0, 1, 1]);
        assert_eq!(b, [1, 1, 1, 1, 0, 0, 1]);
    }

    /// The free distance of this code is 10 (Proakis, Digital Communications, table of rate 1/2 codes).
    #[test]
    fn free_distance_is_ten() {
        let lightest = (1_u32..1 << 10)
            .map(|word| {
                let data: Vec<u8> = (0..16).map(|i| if i < 10 { (word >> i & 1) as u8 } else { 0 }).collect();
                let mut coded = Vec::new();
                encode(&data, &mut coded);
                coded.iter().map(|&bit| u32::from(bit)).sum::<u32>()
            })
            .min();
        assert_eq!(lightest, Some(10));
    }
}
