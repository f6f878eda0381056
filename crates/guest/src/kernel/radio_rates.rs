//! Rates of the model as rates of the kernel's driver, and back.

use std::ffi::c_uchar;

use airtcp_air::border::{Protection, RateChain, RateStage};
use airtcp_air::phy::{Coding, Format, Guard, TxVector, Width};

use crate::abi::{KernelRate, phy, protect};

fn protection_code(protection: Protection) -> c_uchar {
    match protection {
        Protection::None => protect::NONE,
        Protection::CtsToSelf => protect::CTS,
        Protection::RtsCts => protect::RTS,
    }
}

/// How a PPDU is sent, for the driver. Panics on DMG.
pub(super) fn kernel_rate(tx: TxVector, tries: u8, protection: Protection) -> KernelRate {
    KernelRate {
        format: match tx.format {
            Format::HrDsss => phy::DSSS,
            Format::Ofdm => phy::OFDM,
            Format::Ht => phy::HT,
            Format::Vht => phy::VHT,
            Format::He => phy::HE,
            Format::Eht => phy::EHT,
            Format::Dmg => panic!("mac80211 has no DMG"),
        },
        index: tx.index,
        streams: tx.streams,
        tries,
        width_mhz: tx.width().mhz() as u16,
        guard_ns: tx.guard.nanos() as u16,
        protection: protection_code(protection),
        short_preamble: tx.has_short_preamble().into(),
        ldpc: (tx.coding() == Coding::Ldpc).into(),
        unused: 0,
    }
}

/// A stage as the driver wrote it. Panics on what the driver never writes.
fn stage_of(rate: &KernelRate) -> RateStage {
    let width = || Width::from_mhz(rate.width_mhz.into()).expect("a width");
    let guard = || Guard::from_nanos(rate.guard_ns.into()).expect("a guard interval");
    let mimo = |format| TxVector::mimo(format, rate.index, rate.streams, width(), guard());
    let tx = match rate.format {
        phy::DSSS => TxVector::hr_dsss(rate.index, rate.short_preamble != 0),
        phy::OFDM => TxVector::ofdm(rate.index),
        phy::HT => mimo(Format::Ht),
        phy::VHT => mimo(Format::Vht),
        phy::HE => mimo(Format::He),
        _ => mimo(Format::Eht),
    };
    let coded =
        if rate.ldpc != 0 && matches!(tx.format, Format::Ht | Format::Vht) { tx.with_ldpc() } else { tx };
    let protection = match rate.protection {
        protect::NONE => Protection::None,
        protect::CTS => Protection::CtsToSelf,
        _ => Protection::RtsCts,
    };
    RateStage { tx: coded, tries: rate.tries.max(1), protection }
}

/// A chain as the driver wrote it. Panics if it has no stage.
pub(super) fn chain_of(stages: &[KernelRate], probe: bool) -> RateChain {
    let (first, rest) = stages.split_first().expect("the driver gives at least one stage");
    let mut chain =
        rest.iter().fold(RateChain::one(stage_of(first)), |chain, rate| chain.then(stage_of(rate)));
    chain.probe = probe;
    chain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(tx: TxVector) -> TxVector {
        stage_of(&kernel_rate(tx, 1, Protection::None)).tx
    }

    #[test]
    fn every_format_comes_back_as_it_went() {
        let mimo = |format, mcs, width, guard| TxVector::mimo(format, mcs, 2, width, guard);
        for tx in [
            TxVector::hr_dsss(2, true),
            TxVector::hr_dsss(0, false),
            TxVector::ofdm(7),
            mimo(Format::Ht, 7, Width::Mhz40, Guard::Ns400),
            mimo(Format::Vht, 9, Width::Mhz80, Guard::Ns800).with_ldpc(),
            mimo(Format::He, 11, Width::Mhz160, Guard::Ns3200),
            mimo(Format::Eht, 13, Width::Mhz320, Guard::Ns1600),
        ] {
            assert_eq!(there_and_back(tx), tx);
        }
    }

    #[test]
    fn a_receiver_gets_the_code_that_was_used() {
        let ldpc = |tx| kernel_rate(tx, 1, Protection::None).ldpc;
        let mimo = |format| TxVector::mimo(format, 3, 1, Width::Mhz20, Guard::Ns800);
        let of = [mimo(Format::Vht), mimo(Format::Vht).with_ldpc(), mimo(Format::He), TxVector::ofdm(3)];
        assert_eq!(of.map(ldpc), [0, 1, 1, 0]);
    }

    #[test]
    fn a_chain_has_its_stages_with_tries_and_protection() {
        let slow = kernel_rate(TxVector::ofdm(0), 3, Protection::CtsToSelf);
        let fast = kernel_rate(TxVector::ofdm(7), 2, Protection::RtsCts);
        let chain = chain_of(&[fast, slow], true);
        assert!(chain.probe);
        let stages: Vec<_> = chain.stages().iter().map(|s| (s.tx.index, s.tries, s.protection)).collect();
        assert_eq!(stages, [(7, 2, Protection::RtsCts), (0, 3, Protection::CtsToSelf)]);
    }
}
