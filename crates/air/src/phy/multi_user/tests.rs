//! Timelines by hand. A symbol is 12.8 us and the guard interval; before HE-SIG-B or EHT-SIG are 32 us, before the LTFs of an answer to a
//! trigger 40 us.

use airtcp_units::Duration;

use super::{CommonData, IllegalMultiUser, MuPpdu, MuUser, SigMcs, TbParameters};
use crate::phy::{
    Allocation, Band, Coding, Format, Guard, NominalPadding, Puncturing, RuSize, TxVector, Width,
};

fn ru(width: Width, size: RuSize, index: u8) -> Allocation {
    Allocation::ru(width, size, index).expect("an RU")
}

fn mode(format: Format, mcs: u8, guard: Guard, allocation: Allocation) -> TxVector {
    TxVector::mimo(format, mcs, 1, allocation.width(), guard).within(allocation)
}

fn he(mcs: u8, allocation: Allocation) -> TxVector {
    mode(Format::He, mcs, Guard::Ns800, allocation)
}

fn with(coding: Coding, tx: TxVector, psdu_bytes: u32) -> MuUser {
    MuUser { tx, coding, psdu_bytes }
}

fn tenths(duration: Duration) -> u64 {
    duration.as_nanos() / 100
}

/// 106 tones, MCS 7: 510 data bits in a symbol, 120 in a quarter. 1500 octets, 12,022 bits with BCC: 24 symbols, the last with 292 bits,
/// three quarters. 100 octets need two. HE-SIG-B: 18 + 52 bits, one symbol at MCS 5.
#[test]
fn two_users_of_20_mhz() {
    let rus = [1, 2].map(|index| ru(Width::Mhz20, RuSize::Tones106, index));
    let users = [1500, 100].map(|bytes| (bytes, rus[usize::from(bytes == 100)]));
    let users = users.map(|(bytes, ru)| with(Coding::Bcc, he(7, ru), bytes));
    let ppdu = MuPpdu::new(&users);
    assert_eq!(ppdu.check(Band::Ghz5), Ok(()));
    let data = ppdu.common_data();
    assert_eq!((data.symbols(), data.padding_factor(), data.has_ldpc_segment()), (24, 3, false));
    // 32 + 4 + 4 + 7.2; 24 * 13.6.
    assert_eq!(tenths(ppdu.preamble_duration()), 472);
    assert_eq!(tenths(ppdu.duration()), 472 + 3264);
    // 23 * 510 + 3 * 120 = 12,090 bits, 22 of them SERVICE and tail.
    assert_eq!(users.map(|user| data.octets(&user)), [1508, 1508]);
    // One receiver needs 16 us: 12 us after three quarters.
    let mut users = users;
    users[1].tx = users[1].tx.to_receiver(NominalPadding::Us16);
    assert_eq!(tenths(MuPpdu::new(&users).duration()), 472 + 3264 + 120);
}

/// 26 tones, MCS 0: 12 data and 24 coded bits, 3 and 6 in a quarter. 14 octets with LDPC, 128 bits: 11 symbols, three quarters in the
/// last: 129 data bits in 258. A codeword of 648: 195 bits shortened and 195 punctured, more than a tenth of 324, and 195 < 1.2 * 195.
/// All users have another quarter. HE-SIG-B: 26 26 52 26 106 is five fields, 18 + 2 * 52 + 31 = 153 bits, six symbols at MCS 0.
#[test]
fn ldpc_of_one_user_gives_all_another_quarter() {
    let [small, large] = [ru(Width::Mhz20, RuSize::Tones26, 1), ru(Width::Mhz20, RuSize::Tones106, 2)];
    let alone = [with(Coding::Ldpc, he(0, small), 14)];
    let users = [alone[0], with(Coding::Bcc, he(7, large).to_receiver(NominalPadding::Us16), 14)];
    for users in [alone.as_slice(), &users] {
        let data = CommonData::holding(users);
        assert_eq!((data.symbols(), data.padding_factor(), data.has_ldpc_segment()), (11, 4, true));
    }
    // 32 + 24 + 4 + 7.2; 11 * 13.6; 16 us after four quarters.
    let ppdu = MuPpdu::new(&users);
    assert_eq!(tenths(ppdu.preamble_duration()), 672);
    assert_eq!(tenths(ppdu.duration()), 672 + 1496 + 160);
    // With BCC, 6 bits more: 134 bits are 12 symbols, of which a quarter.
    let data = CommonData::holding(&[with(Coding::Bcc, he(0, small), 14)]);
    assert_eq!((data.symbols(), data.padding_factor(), data.has_ldpc_segment()), (12, 1, false));
}

/// Every RU of 26 tones in 80 MHz: content channels of 9 + 9 + 1 and 9 + 9 fields, 27 + 9 * 52 + 31 = 526 bits, 21 symbols at MCS 0. 4x
/// HE-LTF of 16 us. 134 bits with BCC: 12 symbols of 16 us.
#[test]
fn thirty_seven_users() {
    let rus = Allocation::rus(Width::Mhz80, RuSize::Tones26);
    let users = rus.map(|ru| with(Coding::Bcc, mode(Format::He, 0, Guard::Ns3200, ru), 14));
    let users: Vec<MuUser> = users.collect();
    let ppdu = MuPpdu::new(&users);
    assert_eq!((users.len(), ppdu.check(Band::Ghz5)), (37, Ok(())));
    assert_eq!(ppdu.sig_symbols(), 21);
    assert_eq!(tenths(ppdu.duration()), 320 + 840 + 40 + 160 + 12 * 160);
    // Twice as long with DCM, 13 bits in a symbol.
    assert_eq!(ppdu.with_sig(SigMcs { mcs: 0, dcm: true }).sig_symbols(), 41);
}

/// One and three streams: four HE-LTFs of 8 us. A field in each content channel: 18 + 31 bits.
#[test]
fn the_user_with_most_streams_has_its_training_fields() {
    let rus = [1, 2].map(|index| ru(Width::Mhz40, RuSize::Tones242, index));
    let mut users = rus.map(|ru| with(Coding::Ldpc, mode(Format::He, 9, Guard::Ns1600, ru), 500));
    users[1].tx.streams = 3;
    assert_eq!(tenths(MuPpdu::new(&users).preamble_duration()), 320 + 40 + 40 + 4 * 80);
}

/// Four RUs of 242 tones, EHT-SIG: two fields in each content channel, 17 + 18 + 10 and 54 bits are 99. MCS 3: 468 data bits in a symbol,
/// 120 in a quarter. 1000 octets, 8016 bits: 18 symbols, a quarter of the last; LDPC punctures 672 of 8748 parity bits, less than a
/// tenth.
#[test]
fn eht_mu() {
    let rus = [1, 2, 3, 4].map(|index| ru(Width::Mhz80, RuSize::Tones242, index));
    let of = |mcs| rus.map(|ru| with(Coding::Ldpc, mode(Format::Eht, mcs, Guard::Ns800, ru), 1000));
    let users = of(3);
    let ppdu = MuPpdu::new(&users);
    assert_eq!(ppdu.check(Band::Ghz6), Ok(()));
    let data = ppdu.common_data();
    assert_eq!((data.symbols(), data.padding_factor(), data.has_ldpc_segment()), (18, 1, false));
    // One symbol of 104 bits; 18 * 13.6.
    assert_eq!(tenths(ppdu.duration()), 320 + 40 + 40 + 72 + 2448);
    // At MCS 1, 52 bits: two symbols; at MCS 0, 26 bits: four.
    assert_eq!([1, 0].map(|mcs| MuPpdu::new(&of(mcs)).sig_symbols()), [2, 4]);
    // Two of 2x996 tones in 320 MHz: 17 + 18 + 10 and 54 + 10 bits, and a field of 32 in each content channel: 141 bits.
    let halves = [1, 2].map(|index| ru(Width::Mhz320, RuSize::Tones2x996, index));
    let users = halves.map(|ru| with(Coding::Ldpc, mode(Format::Eht, 0, Guard::Ns800, ru), 1000));
    assert_eq!(MuPpdu::new(&users).sig_symbols(), 6);
}

/// What a PPDU for one user on all of its channel lasts does not depend on how it is described; HE MU has an HE-SIG-B more. 31 bits.
#[test]
fn one_user_on_the_whole_width() {
    let eht = [with(Coding::Ldpc, TxVector::mimo(Format::Eht, 0, 2, Width::Mhz80, Guard::Ns800), 1536)];
    assert_eq!(MuPpdu::new(&eht).duration(), eht[0].tx.ppdu_duration(1536));
    let he = [with(Coding::Ldpc, he(0, Allocation::whole(Width::Mhz80)), 1536)];
    let more = Duration::from_micros(8);
    assert_eq!(MuPpdu::new(&he).duration(), he[0].tx.ppdu_duration(1536) + more);
}

/// 484+242 tones, MCS 11: 702 * 10 coded bits in 13.6 us, 430.1 Mbit/s (IEEE 802.11be, 36.5). 1536 octets, 12,304 bits: three symbols of
/// 5850 bits.
#[test]
fn a_punctured_channel() {
    let puncturing = Puncturing::of_mask(Width::Mhz80, 0b0100).expect("a pattern");
    let tx = mode(Format::Eht, 11, Guard::Ns800, Allocation::punctured(puncturing));
    assert_eq!(tx.bit_rate().as_bps() / 100_000, 4301);
    assert_eq!(tenths(tx.ppdu_duration(1536)), 320 + 40 + 40 + 72 + 3 * 136);
    let users = [with(Coding::Ldpc, tx, 1536)];
    assert_eq!(MuPpdu::new(&users).duration(), tx.ppdu_duration(1536));
}

/// 106 tones, MCS 5: 408 data bits, 96 in a quarter. 400 octets, 3222 bits with BCC: eight symbols of 14.4 us, all four quarters of the
/// last. After L-SIG 4 + 8 + 8 + 8 + 115.2 = 143.2 us, 36 times 4 us: 3 * 36 - 3 - 2 = 103.
#[test]
fn answers_to_a_trigger() {
    let rus = [1, 2].map(|index| ru(Width::Mhz20, RuSize::Tones106, index));
    let mut users = rus.map(|ru| with(Coding::Bcc, mode(Format::He, 5, Guard::Ns1600, ru), 400));
    assert_eq!(IllegalMultiUser::check_uplink(&users, Band::Ghz5), Ok(()));
    let trigger = TbParameters::holding(&users);
    assert_eq!((trigger.ul_length, trigger.padding_factor, trigger.pe_disambiguity), (103, 4, false));
    assert_eq!(tenths(trigger.preamble_duration()), 480);
    assert_eq!((trigger.symbols(), tenths(trigger.duration())), (8, 480 + 1152));
    assert_eq!(trigger.common_data(), CommonData::holding(&users));
    // A packet extension of 16 us: 159.2 us, 40 times 4 us; it and the rest of 0.8 us are longer than a symbol.
    users[0].tx = users[0].tx.to_receiver(NominalPadding::Us16);
    let trigger = TbParameters::holding(&users);
    assert_eq!((trigger.ul_length, trigger.pe_disambiguity), (115, true));
    assert_eq!((trigger.symbols(), tenths(trigger.duration())), (8, 480 + 1152 + 160));
    // 4x HE-LTF with 3.2 us: 40 + 16; EHT says 2 more in L-SIG.
    let users = rus.map(|ru| with(Coding::Bcc, mode(Format::Eht, 5, Guard::Ns3200, ru), 400));
    let trigger = TbParameters::holding(&users);
    assert_eq!(tenths(trigger.duration()), 560 + 8 * 160);
    // 36 + 128 = 164 us, 41 times 4 us.
    assert_eq!([trigger.ul_length, trigger.l_sig_length()], [118, 120]);
}

/// What is said to fit does, and one octet more for anybody does not.
#[test]
fn what_fits_fits() {
    let sizes = [RuSize::Tones26, RuSize::Tones52, RuSize::Tones106, RuSize::Tones242];
    let mut cases = 0;
    for (place, padding) in
        [NominalPadding::Us0, NominalPadding::Us8, NominalPadding::Us16].into_iter().enumerate()
    {
        for coding in [Coding::Bcc, Coding::Ldpc] {
            for limit_us in (150..5_484).step_by(97) {
                let limit = Duration::from_micros(limit_us);
                let user = |(part, size): (usize, RuSize)| {
                    let per_20 = [9, 4, 2, 1][part];
                    let tx = he((part * 3) as u8, ru(Width::Mhz80, size, per_20 * part as u8 + 1));
                    with(coding, tx.to_receiver(padding), 0)
                };
                let mut users: Vec<MuUser> = sizes.into_iter().enumerate().map(user).collect();
                users[0].tx.index = place as u8;
                let room = MuPpdu::new(&users).room_within(limit).expect("room");
                assert!(MuPpdu::new(&users).duration_with(room) <= limit);
                for user in &mut users {
                    user.psdu_bytes = room.octets(user);
                }
                assert!(MuPpdu::new(&users).duration() <= limit);
                for place in 0..users.len() {
                    let mut more = users.clone();
                    more[place].psdu_bytes += 1;
                    assert!(MuPpdu::new(&more).duration() > limit, "{limit_us} us, {more:?}");
                    cases += 1;
                }
            }
        }
    }
    assert_eq!(cases, 3 * 2 * 55 * 4);
    assert_eq!(
        MuPpdu::new(&[with(Coding::Bcc, he(0, ru(Width::Mhz20, RuSize::Tones26, 1)), 0)])
            .room_within(Duration::from_micros(60)),
        None
    );
}

/// A trigger says in its fields what stations find in them, for every duration.
#[test]
fn a_trigger_is_read_as_it_was_meant() {
    for format in [Format::He, Format::Eht] {
        for (guard, padding) in [(Guard::Ns1600, NominalPadding::Us16), (Guard::Ns3200, NominalPadding::Us8)]
        {
            let tx = mode(format, 4, guard, ru(Width::Mhz80, RuSize::Tones52, 3)).to_receiver(padding);
            for limit_us in 120..2_000 {
                let users = [with(Coding::Ldpc, tx, 0)];
                let trigger = TbParameters::within(&users, Duration::from_micros(limit_us)).expect("room");
                let data = trigger.common_data();
                assert!(trigger.duration() <= Duration::from_micros(limit_us));
                assert_eq!(TbParameters::of(&users, data), trigger);
                assert_eq!(trigger.packet_extension(), data.packet_extension(&users), "{trigger:?}");
            }
        }
    }
}

#[test]
fn reasons_of_refusal() {
    let [a, b] = [ru(Width::Mhz20, RuSize::Tones106, 1), ru(Width::Mhz20, RuSize::Tones52, 2)];
    let whole = Allocation::whole(Width::Mhz80);
    let centre = ru(Width::Mhz80, RuSize::Tones26, 19);
    let puncturing = Allocation::punctured(Puncturing::of_value(Width::Mhz80, 1).expect("a pattern"));
    let ldpc = |tx| with(Coding::Ldpc, tx, 100);
    let eht = |allocation| mode(Format::Eht, 0, Guard::Ns800, allocation);
    let down = |users: &[MuUser]| {
        IllegalMultiUser::check_downlink(users, Band::Ghz5).expect_err("illegal").to_string()
    };
    let up = |users: &[MuUser]| {
        IllegalMultiUser::check_uplink(users, Band::Ghz5).expect_err("illegal").to_string()
    };
    let wrong_sig = MuPpdu::new(&[ldpc(he(0, a))]).with_sig(SigMcs { mcs: 2, dcm: true }).check(Band::Ghz5);
    let reasons = [
        down(&[]),
        down(&[ldpc(mode(Format::Vht, 0, Guard::Ns800, whole))]),
        down(&[ldpc(mode(Format::Vht, 0, Guard::Ns800, a))]),
        down(&[ldpc(he(0, a)), ldpc(he(0, b))]),
        down(&[ldpc(he(0, a)), ldpc(mode(Format::He, 0, Guard::Ns1600, b))]),
        down(&[ldpc(he(10, a))]),
        down(&[with(Coding::Bcc, he(0, ru(Width::Mhz80, RuSize::Tones484, 1)), 100)]),
        down(&[ldpc(eht(centre))]),
        down(&[ldpc(he(0, puncturing))]),
        up(&[ldpc(mode(Format::Eht, 0, Guard::Ns3200, puncturing))]),
        up(&[ldpc(he(0, a))]),
        wrong_sig.expect_err("illegal").to_string(),
    ];
    insta::assert_snapshot!(reasons.join("\n"));
}
