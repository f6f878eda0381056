//! Bit rates of every mode against the tables of the standard, in Mbit/s as printed there.

use airtcp_air::phy::{Band, Format, Guard, TxVector, Width};

const GUARDS: [Guard; 4] = [Guard::Ns400, Guard::Ns800, Guard::Ns1600, Guard::Ns3200];

fn mimo(format: Format, mcs: u8, streams: u8, mhz: u32, guard: Guard) -> TxVector {
    TxVector::mimo(format, mcs, streams, Width::from_mhz(mhz).expect("a width"), guard)
}

/// With one decimal, halves up.
fn printed(tx: TxVector) -> String {
    let tenths = (tx.bit_rate().as_bps() + 50_000) / 100_000;
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Rates of MCS 0, 1, ... of one stream.
fn row(format: Format, mhz: u32, guard: Guard) -> Vec<String> {
    (0..=format.max_index()).map(|mcs| printed(mimo(format, mcs, 1, mhz, guard))).collect()
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

/// Tables 15-2, 16-3 and 17-4.
#[test]
fn legacy() {
    let dsss: Vec<String> = (0..4).map(|i| printed(TxVector::hr_dsss(i, false))).collect();
    assert_eq!(dsss, words("1.0 2.0 5.5 11.0"));
    let ofdm: Vec<String> = (0..8).map(|i| printed(TxVector::ofdm(i))).collect();
    assert_eq!(ofdm, words("6.0 9.0 12.0 18.0 24.0 36.0 48.0 54.0"));
}

/// IEEE 802.11-2020, 19.5, MCS 0 to 7, 20 and 40 MHz.
#[test]
fn ht() {
    let row = |mhz, guard| row(Format::Ht, mhz, guard);
    assert_eq!(row(20, Guard::Ns800), words("6.5 13.0 19.5 26.0 39.0 52.0 58.5 65.0"));
    assert_eq!(row(20, Guard::Ns400), words("7.2 14.4 21.7 28.9 43.3 57.8 65.0 72.2"));
    assert_eq!(row(40, Guard::Ns800), words("13.5 27.0 40.5 54.0 81.0 108.0 121.5 135.0"));
    assert_eq!(row(40, Guard::Ns400), words("15.0 30.0 45.0 60.0 90.0 120.0 135.0 150.0"));
}

/// The same, MCS 31: four streams.
#[test]
fn ht_with_four_streams() {
    let rates = [(20, Guard::Ns800), (20, Guard::Ns400), (40, Guard::Ns800), (40, Guard::Ns400)]
        .map(|(mhz, guard)| printed(mimo(Format::Ht, 7, 4, mhz, guard)));
    assert_eq!(rates, ["260.0", "288.9", "540.0", "600.0"]);
}

/// IEEE 802.11-2020, 21.5, one stream (MCS 9 at 20 MHz is not in the table).
#[test]
fn vht() {
    let row = |mhz, guard| row(Format::Vht, mhz, guard);
    assert_eq!(row(20, Guard::Ns800)[..9], words("6.5 13.0 19.5 26.0 39.0 52.0 58.5 65.0 78.0"));
    assert_eq!(row(20, Guard::Ns400)[..9], words("7.2 14.4 21.7 28.9 43.3 57.8 65.0 72.2 86.7"));
    assert_eq!(row(40, Guard::Ns800), words("13.5 27.0 40.5 54.0 81.0 108.0 121.5 135.0 162.0 180.0"));
    assert_eq!(row(40, Guard::Ns400), words("15.0 30.0 45.0 60.0 90.0 120.0 135.0 150.0 180.0 200.0"));
    assert_eq!(row(80, Guard::Ns800), words("29.3 58.5 87.8 117.0 175.5 234.0 263.3 292.5 351.0 390.0"));
    assert_eq!(row(80, Guard::Ns400), words("32.5 65.0 97.5 130.0 195.0 260.0 292.5 325.0 390.0 433.3"));
    assert_eq!(row(160, Guard::Ns800), words("58.5 117.0 175.5 234.0 351.0 468.0 526.5 585.0 702.0 780.0"));
    assert_eq!(row(160, Guard::Ns400), words("65.0 130.0 195.0 260.0 390.0 520.0 585.0 650.0 780.0 866.7"));
    assert_eq!(printed(mimo(Format::Vht, 9, 8, 160, Guard::Ns400)), "6933.3");
    assert_eq!(printed(mimo(Format::Vht, 9, 3, 20, Guard::Ns400)), "288.9");
}

/// IEEE 802.11ax-2021, 27.5, one stream without DCM.
#[test]
fn he() {
    let row = |mhz, guard| row(Format::He, mhz, guard);
    let expected = [
        (20, Guard::Ns800, "8.6 17.2 25.8 34.4 51.6 68.8 77.4 86.0 103.2 114.7 129.0 143.4"),
        (20, Guard::Ns1600, "8.1 16.3 24.4 32.5 48.8 65.0 73.1 81.3 97.5 108.3 121.9 135.4"),
        (20, Guard::Ns3200, "7.3 14.6 21.9 29.3 43.9 58.5 65.8 73.1 87.8 97.5 109.7 121.9"),
        (40, Guard::Ns800, "17.2 34.4 51.6 68.8 103.2 137.6 154.9 172.1 206.5 229.4 258.1 286.8"),
        (40, Guard::Ns1600, "16.3 32.5 48.8 65.0 97.5 130.0 146.3 162.5 195.0 216.7 243.8 270.8"),
        (40, Guard::Ns3200, "14.6 29.3 43.9 58.5 87.8 117.0 131.6 146.3 175.5 195.0 219.4 243.8"),
        (80, Guard::Ns800, "36.0 72.1 108.1 144.1 216.2 288.2 324.3 360.3 432.4 480.4 540.4 600.5"),
        (80, Guard::Ns1600, "34.0 68.1 102.1 136.1 204.2 272.2 306.3 340.3 408.3 453.7 510.4 567.1"),
        (80, Guard::Ns3200, "30.6 61.3 91.9 122.5 183.8 245.0 275.6 306.3 367.5 408.3 459.4 510.4"),
        (160, Guard::Ns800, "72.1 144.1 216.2 288.2 432.4 576.5 648.5 720.6 864.7 960.8 1080.9 1201.0"),
        (160, Guard::Ns1600, "68.1 136.1 204.2 272.2 408.3 544.4 612.5 680.6 816.7 907.4 1020.8 1134.3"),
        (160, Guard::Ns3200, "61.3 122.5 183.8 245.0 367.5 490.0 551.3 612.5 735.0 816.7 918.8 1020.8"),
    ];
    for (mhz, guard, rates) in expected {
        assert_eq!(row(mhz, guard), words(rates), "{mhz} MHz, {guard:?}");
    }
    assert_eq!(printed(mimo(Format::He, 11, 8, 160, Guard::Ns800)), "9607.8");
}

/// IEEE 802.11be, 36.5, one stream: MCS 0 to 11 as in HE, 4096-QAM above them, and twice 160 MHz.
#[test]
fn eht() {
    for mhz in [20, 40, 80, 160] {
        for guard in [Guard::Ns800, Guard::Ns1600, Guard::Ns3200] {
            assert_eq!(row(Format::Eht, mhz, guard)[..12], row(Format::He, mhz, guard));
        }
    }
    let top = |mhz, guard| [12, 13].map(|mcs| printed(mimo(Format::Eht, mcs, 1, mhz, guard)));
    assert_eq!(top(20, Guard::Ns800), ["154.9", "172.1"]);
    assert_eq!(top(40, Guard::Ns800), ["309.7", "344.1"]);
    assert_eq!(top(80, Guard::Ns800), ["648.5", "720.6"]);
    assert_eq!(top(160, Guard::Ns800), ["1297.1", "1441.2"]);
    assert_eq!(top(320, Guard::Ns800), ["2594.1", "2882.4"]);
    assert_eq!(
        row(Format::Eht, 320, Guard::Ns800)[..12],
        words("144.1 288.2 432.4 576.5 864.7 1152.9 1297.1 1441.2 1729.4 1921.6 2161.8 2402.0")
    );
    assert_eq!(printed(mimo(Format::Eht, 13, 8, 320, Guard::Ns800)), "23058.8");
}

/// IEEE 802.11-2020, 20.4.1 and 20.6.3, in kb/s.
#[test]
fn dmg() {
    let kbps: Vec<u64> = (0..=12)
        .map(|mcs| mimo(Format::Dmg, mcs, 1, 2160, Guard::Ns800).bit_rate().as_bps() / 1_000)
        .collect();
    let published = [
        27_500, 385_000, 770_000, 962_500, 1_155_000, 1_251_250, 1_540_000, 1_925_000, 2_310_000, 2_502_500,
        3_080_000, 3_850_000, 4_620_000,
    ];
    assert_eq!(kbps, published);
}

/// Data bits of a symbol over its length are the rate; HE and EHT round the bits down.
#[test]
fn rates_follow_from_the_bits_of_a_symbol() {
    for (format, band) in [
        (Format::Ht, Band::Ghz5),
        (Format::Vht, Band::Ghz5),
        (Format::He, Band::Ghz6),
        (Format::Eht, Band::Ghz6),
    ] {
        let useful_ns = if matches!(format, Format::Ht | Format::Vht) { 3_200 } else { 12_800 };
        for mcs in 0..=format.max_index() {
            for streams in 1..=format.max_streams() {
                for mhz in [20, 40, 80, 160, 320] {
                    for guard in GUARDS {
                        let tx = mimo(format, mcs, streams, mhz, guard);
                        if tx.check(band).is_err() {
                            continue;
                        }
                        let bits = u64::from(tx.data_bits_per_symbol().expect("OFDM"));
                        let symbol_ns = useful_ns + guard.nanos();
                        let bps = tx.bit_rate().as_bps();
                        let least = bits * 1_000_000_000 / symbol_ns;
                        let most = (bits + 1) * 1_000_000_000 / symbol_ns;
                        assert!((least..most).contains(&bps), "{tx}");
                    }
                }
            }
        }
    }
}
