//! Rates of control frames (IEEE 802.11-2020, 10.6.6 and 10.6.7).

use super::{BasicRates, CodeRate, Constellation, Format, Modulation, TxVector, mcs};

/// How an Ack, `BlockAck` or CTS is sent in answer to a frame (10.6.6.5.2): at the highest basic rate that is not
/// above the frame's, of the frame's kind of modulation (DSSS/CCK or OFDM, 10.6.9); without one, at the highest
/// mandatory rate not above it. HT, VHT, HE and EHT frames count as their non-HT reference rate (10.6.11), and
/// the answer is a non-HT PPDU. HR/DSSS keeps the preamble of the frame (10.6.6.5.1); 1 Mbit/s has only the long one.
#[inline(always)]
pub const fn control_response(eliciting: TxVector, basic: BasicRates) -> TxVector {
    match eliciting.format {
        Format::HrDsss => {
            // Every HR/DSSS rate is mandatory.
            let index = match basic.hr_dsss_up_to(eliciting.index) {
                Some(index) => index,
                None => eliciting.index,
            };
            TxVector::hr_dsss(index, eliciting.has_short_preamble() && index > 0)
        }
        Format::Ofdm => ofdm_response(eliciting.index, basic),
        Format::Ht | Format::Vht | Format::He | Format::Eht => {
            ofdm_response(non_ht_reference(eliciting.index), basic)
        }
        Format::Dmg => dmg_response(eliciting),
    }
}

#[inline]
const fn ofdm_response(index: u8, basic: BasicRates) -> TxVector {
    if let Some(index) = basic.ofdm_up_to(index) {
        return TxVector::ofdm(index);
    }
    match BasicRates::OFDM_MANDATORY.ofdm_up_to(index) {
        Some(index) => TxVector::ofdm(index),
        None => TxVector::ofdm(0),
    }
}

/// Index of the OFDM rate that stands for an MCS (10.6.11, non-HT reference rate): the one with the same
/// constellation and code rate; 54 Mbit/s for every denser one.
#[inline]
const fn non_ht_reference(mcs: u8) -> u8 {
    let Modulation { constellation, code_rate } = mcs::mimo(mcs);
    match (constellation, code_rate) {
        (Constellation::Bpsk, _) => 0,
        (Constellation::Qpsk, CodeRate::Half) => 2,
        (Constellation::Qpsk, _) => 3,
        (Constellation::Qam16, CodeRate::Half) => 4,
        (Constellation::Qam16, _) => 5,
        (Constellation::Qam64, CodeRate::TwoThirds) => 6,
        _ => 7,
    }
}

/// DMG (10.6.7.2): the control mode answers the control mode; a single carrier PPDU is answered at the highest of
/// the mandatory MCS 1 to 4 that is not above its own.
#[inline]
const fn dmg_response(eliciting: TxVector) -> TxVector {
    let index = if eliciting.index < 4 { eliciting.index } else { 4 };
    TxVector { index, ..eliciting }
}

/// How an RTS or `BlockAckReq` is sent before data in this mode, so that every receiver can decode it. 10.6.6.2 to 10.6.6.4
/// require a basic rate; which one is the sender's choice. mac80211 chooses the highest that is not above the rate of DSSS
/// and OFDM data, and the slowest before data with an MCS (`rate_fixup_ratelist`, net/mac80211/rate.c: it computes
/// `rts_cts_rate_idx` for rates without MCS only). A DMG station sends it in the control mode.
#[inline]
pub fn initiating_control(data: TxVector, basic: BasicRates) -> TxVector {
    match data.format {
        Format::Dmg => TxVector { index: 0, ..data },
        Format::HrDsss | Format::Ofdm => control_response(data, basic),
        Format::Ht | Format::Vht | Format::He | Format::Eht => basic.slowest().unwrap_or(TxVector::ofdm(0)),
    }
}

/// How an RTS or CTS-to-self is sent where HR/DSSS stations must understand it (ERP protection, 10.27.2): at the
/// highest basic HR/DSSS rate not above the rate of the data, else at the highest HR/DSSS rate not above it.
pub fn erp_protection(data: TxVector, basic: BasicRates, short_preamble: bool) -> TxVector {
    let rate = data.bit_rate();
    let index = basic
        .hr_dsss_up_to_rate(rate)
        .or_else(|| BasicRates::HR_DSSS_MANDATORY.hr_dsss_up_to_rate(rate))
        .unwrap_or(0);
    TxVector::hr_dsss(index, short_preamble && index > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::{Guard, Width};

    fn ofdm(index: &[u8]) -> BasicRates {
        index.iter().fold(BasicRates::NONE, |set, &i| set.with(TxVector::ofdm(i)))
    }

    fn mimo(format: Format, mcs: u8) -> TxVector {
        TxVector::mimo(format, mcs, 1, Width::Mhz20, Guard::Ns800)
    }

    fn mbps(tx: TxVector) -> u64 {
        tx.bit_rate().as_bps() / 1_000_000
    }

    #[test]
    fn ofdm_is_answered_at_the_highest_basic_rate_not_above() {
        let answers = |basic| std::array::from_fn(|i| control_response(TxVector::ofdm(i as u8), basic).index);
        assert_eq!(answers(BasicRates::OFDM_MANDATORY), [0, 0, 2, 2, 4, 4, 4, 4]);
        assert_eq!(answers(ofdm(&[0])), [0; 8]);
        // Without a basic rate below it, the mandatory rates count.
        assert_eq!(answers(ofdm(&[4])), [0, 0, 2, 2, 4, 4, 4, 4]);
        assert_eq!(answers(ofdm(&[7])), [0, 0, 2, 2, 4, 4, 4, 7]);
        assert_eq!(answers(BasicRates::NONE), [0, 0, 2, 2, 4, 4, 4, 4]);
    }

    #[test]
    fn hr_dsss_is_answered_in_hr_dsss_with_its_preamble() {
        let slow = BasicRates::NONE.with(TxVector::hr_dsss(0, false)).with(TxVector::hr_dsss(1, false));
        let long = |i| control_response(TxVector::hr_dsss(i, false), slow);
        assert_eq!([0, 1, 2, 3].map(|i| mbps(long(i))), [1, 2, 2, 2]);
        let short = control_response(TxVector::hr_dsss(3, true), slow);
        assert_eq!(short, TxVector::hr_dsss(1, true));
        // 1 Mbit/s has no short preamble; OFDM basic rates do not matter.
        let one = ofdm(&[0]).with(TxVector::hr_dsss(0, false));
        assert_eq!(control_response(TxVector::hr_dsss(3, true), one), TxVector::hr_dsss(0, false));
        assert_eq!(control_response(TxVector::hr_dsss(2, true), ofdm(&[0])), TxVector::hr_dsss(2, true));
        // An OFDM frame is answered in OFDM where only HR/DSSS rates are basic.
        assert_eq!(control_response(TxVector::ofdm(7), BasicRates::HR_DSSS_MANDATORY), TxVector::ofdm(4));
    }

    #[test]
    fn an_mcs_counts_as_its_non_ht_reference_rate() {
        let all = ofdm(&[0, 1, 2, 3, 4, 5, 6, 7]);
        let reference: [u64; 14] =
            std::array::from_fn(|mcs| mbps(control_response(mimo(Format::Eht, mcs as u8), all)));
        let expected = [6, 12, 18, 24, 36, 48, 54, 54, 54, 54, 54, 54, 54, 54];
        assert_eq!(reference, expected);
        let basic = BasicRates::OFDM_MANDATORY;
        for format in [Format::Ht, Format::Vht, Format::He] {
            let answers = [0, 1, 2, 3, 7].map(|mcs| mbps(control_response(mimo(format, mcs), basic)));
            assert_eq!(answers, [6, 12, 12, 24, 24]);
        }
    }

    #[test]
    fn dmg_answers_within_the_mandatory_modes() {
        let dmg = |index| TxVector::mimo(Format::Dmg, index, 1, Width::Mhz2160, Guard::Ns800);
        let answers = [0, 1, 3, 4, 5, 12].map(|i| control_response(dmg(i), BasicRates::NONE).index);
        assert_eq!(answers, [0, 1, 3, 4, 4, 4]);
        assert_eq!(initiating_control(dmg(12), BasicRates::NONE), dmg(0));
    }

    /// RTS and CTS take 52 us and 44 us at 6 Mbit/s in place of 28 us each at 24 Mbit/s: 40 us more for each exchange at 5 GHz.
    #[test]
    fn before_data_with_an_mcs_control_frames_go_at_the_slowest_basic_rate() {
        let basic = BasicRates::OFDM_MANDATORY;
        assert_eq!(initiating_control(mimo(Format::Vht, 9), basic), TxVector::ofdm(0));
        assert_eq!(initiating_control(TxVector::ofdm(7), basic), TxVector::ofdm(4));
        let of_2_4_ghz = BasicRates::HR_DSSS_MANDATORY;
        assert_eq!(initiating_control(mimo(Format::Ht, 7), of_2_4_ghz), TxVector::hr_dsss(0, false));
        let durations = |tx: TxVector| [20, 14].map(|bytes| tx.ppdu_duration(bytes).as_nanos() / 1000);
        assert_eq!([0, 4].map(|index| durations(TxVector::ofdm(index))), [[52, 44], [28, 28]]);
    }

    #[test]
    fn protection_is_sent_in_hr_dsss() {
        let slow = BasicRates::NONE.with(TxVector::hr_dsss(0, false)).with(TxVector::hr_dsss(1, false));
        assert_eq!(erp_protection(TxVector::ofdm(7), slow, true), TxVector::hr_dsss(1, true));
        let basic = BasicRates::HR_DSSS_MANDATORY;
        assert_eq!(erp_protection(TxVector::ofdm(7), basic, false), TxVector::hr_dsss(3, false));
        assert_eq!(erp_protection(TxVector::ofdm(1), basic, false), TxVector::hr_dsss(2, false));
        assert_eq!(erp_protection(TxVector::ofdm(0), ofdm(&[0]), false), TxVector::hr_dsss(2, false));
    }
}
