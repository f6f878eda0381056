//! Symbols of PSDUs with LDPC, counted step by step as IEEE 802.11-2020, 19.3.11.7.5, and IEEE 802.11ax-2021,
//! 27.3.12.5, write it, without the shortcuts of the model.

use airtcp_air::phy::{Band, Coding, Format, Guard, TxVector, Width};

/// Sixtieths, in which 1/2, 2/3, 3/4, 5/6 and tenths of their complements are integers.
const UNIT: u64 = 60;

struct Code {
    payload: u64,
    available: u64,
    /// Code rate in sixtieths.
    rate: u64,
}

impl Code {
    /// Steps b, c and d: whether the puncturing is too much.
    fn punctures_too_much(&self) -> bool {
        let Self { payload, available, rate } = *self;
        let has_room = |margin: u64| UNIT * available >= UNIT * payload + margin * (UNIT - rate);
        let (count, bits) = if available <= 648 {
            (1, if has_room(912) { 1296 } else { 648 })
        } else if available <= 1296 {
            (1, if has_room(1464) { 1944 } else { 1296 })
        } else if available <= 1944 {
            (1, 1944)
        } else if available <= 2592 {
            (2, if has_room(2916) { 1944 } else { 1296 })
        } else {
            ((UNIT * payload).div_ceil(1944 * rate), 1944)
        };
        let total = count * bits;
        let shortened = (total * rate / UNIT).saturating_sub(payload);
        let punctured = total.saturating_sub(available + shortened);
        let parity = total * (UNIT - rate);
        (UNIT * 10 * punctured > parity && 10 * shortened * (UNIT - rate) < 12 * punctured * rate)
            || UNIT * 10 * punctured > 3 * parity
    }
}

/// Bits per subcarrier and code rate in sixtieths.
fn modulation(mcs: u8) -> (u64, u64) {
    let bits = [1, 2, 2, 4, 4, 6, 6, 6, 8, 8, 10, 10, 12, 12][mcs as usize];
    let rate = [30, 30, 45, 30, 45, 40, 45, 50, 45, 50, 45, 50, 45, 50][mcs as usize];
    (bits, rate)
}

fn ht_or_vht_symbols(tx: TxVector, bytes: u32) -> u64 {
    let (bits, rate) = modulation(tx.index);
    let subcarriers = [52, 108, 234, 468][tx.width() as usize];
    let coded = subcarriers * bits * u64::from(tx.streams);
    let payload = 8 * u64::from(bytes) + 16;
    let symbols = (UNIT * payload).div_ceil(coded * rate);
    let padded = if tx.format == Format::Vht { symbols * coded * rate / UNIT } else { payload };
    let code = Code { payload: padded, available: symbols * coded, rate };
    symbols + u64::from(code.punctures_too_much())
}

fn he_symbols(tx: TxVector, bytes: u32) -> u64 {
    let (bits, rate) = modulation(tx.index);
    let coded = [234, 468, 980, 1960, 3920][tx.width() as usize] * bits * u64::from(tx.streams);
    let data = coded * rate / UNIT;
    let coded_short = [60, 120, 240, 492, 984][tx.width() as usize] * bits * u64::from(tx.streams);
    let data_short = coded_short * rate / UNIT;
    let payload = 8 * u64::from(bytes) + 16;
    let initial = payload.div_ceil(data);
    let excess = payload % data;
    let factor = if excess == 0 { 4 } else { excess.div_ceil(data_short).min(4) };
    let (data_last, coded_last) =
        if factor < 4 { (factor * data_short, factor * coded_short) } else { (data, coded) };
    let code = Code {
        payload: (initial - 1) * data + data_last,
        available: (initial - 1) * coded + coded_last,
        rate,
    };
    initial + u64::from(factor == 4 && code.punctures_too_much())
}

fn lengths() -> impl Iterator<Item = u32> {
    (1..600).chain((600..4_000).step_by(7)).chain([11_454, 65_535])
}

fn legal_modes(format: Format, band: Band, guard: Guard) -> impl Iterator<Item = TxVector> {
    let widths = [20, 40, 80, 160, 320].map(|mhz| Width::from_mhz(mhz).expect("a width"));
    (0..=format.max_index())
        .flat_map(move |mcs| {
            [1, 2, 3, 4, 8].into_iter().flat_map(move |streams| {
                widths.into_iter().map(move |width| TxVector::mimo(format, mcs, streams, width, guard))
            })
        })
        .filter(move |tx| tx.check(band).is_ok())
}

fn counted(tx: TxVector, coding: Coding, bytes: u32, symbol_ns: u64) -> u64 {
    let data = tx.ppdu_duration_coded(coding, bytes).saturating_sub(tx.preamble_duration());
    assert_eq!(data.as_nanos() % symbol_ns, 0, "{tx}");
    data.as_nanos() / symbol_ns
}

#[test]
fn ht_and_vht() {
    for format in [Format::Ht, Format::Vht] {
        let mut added = 0;
        for tx in legal_modes(format, Band::Ghz5, Guard::Ns800) {
            for bytes in lengths() {
                let symbols = counted(tx, Coding::Ldpc, bytes, 4_000);
                assert_eq!(symbols, ht_or_vht_symbols(tx, bytes), "{tx}, {bytes} octets");
                added += u64::from(symbols > counted(tx, Coding::Bcc, bytes, 4_000));
            }
        }
        assert!(added > 1_000, "{format}: LDPC added {added} symbols");
    }
}

#[test]
fn he_and_eht() {
    for format in [Format::He, Format::Eht] {
        let mut added = 0;
        for tx in legal_modes(format, Band::Ghz6, Guard::Ns800) {
            for bytes in lengths() {
                let symbols = counted(tx, Coding::Ldpc, bytes, 13_600);
                assert_eq!(symbols, he_symbols(tx, bytes), "{tx}, {bytes} octets");
                added += u64::from(symbols > counted(tx, Coding::Bcc, bytes, 13_600));
            }
        }
        assert!(added > 1_000, "{format}: LDPC added {added} symbols");
    }
}

/// By hand, HT MCS 0 at 20 MHz. 100 octets: 816 bits in 32 symbols with room for 1664, one codeword of 1944, of which
/// 156 are shortened and 124 punctured. 124 is above a tenth of the 972 parity bits, but 156 is not below 1.2 x 124: no
/// symbol is added. 105 octets: 856 bits in 33 symbols with room for 1716, 116 shortened and 112 punctured: one is.
#[test]
fn two_psdus_by_hand() {
    let tx = TxVector::mimo(Format::Ht, 0, 1, Width::Mhz20, Guard::Ns800);
    assert_eq!(counted(tx, Coding::Ldpc, 100, 4_000), 32);
    assert_eq!(counted(tx, Coding::Ldpc, 105, 4_000), 34);
    assert_eq!(counted(tx, Coding::Bcc, 105, 4_000), 34);
}
