//! The closed forms of every link of a plan, for people.

use std::collections::BTreeSet;

use airtcp_plan::AirScene;
use airtcp_plan::explanation::{
    AccessExplanation, ExchangeExplanation, Explanation, LinkExplanation, ModeExplanation, PpduExplanation,
    SaturationExplanation,
};
use airtcp_plan::{AirNic, AirPlan, CellKind, LinuxRateControl, NicRole, RateControlPlan};
use airtcp_units::Duration;

use super::{Exchange, Link, Saturation, goodput};
use crate::SetupError;
use crate::border::Protection;
use crate::phy::{Format, Guard, RTS_BYTES, TxVector};

/// Longest Ethernet frame with the usual MTU: what a plan without sources of its own is explained with.
const FULL_FRAME_BYTES: u32 = 1514;

/// Frames of one length and priority on one link.
type Stream = (u32, u32, u32, u8);

/// Explains the links that the sources of a scene use, forwarding included; without sources, those of [`explain_links`].
///
/// # Errors
/// [`SetupError`] with the key at fault if the plan has modes that do not exist.
pub fn explain_scene(scene: &AirScene) -> Result<Explanation, SetupError> {
    if scene.sources.is_empty() {
        return explain_links(&scene.name, &scene.air);
    }
    let mut streams = BTreeSet::new();
    for source in &scene.sources {
        for (from, to) in hops(&scene.air, source.from, source.to) {
            streams.insert((from, to, source.frame_bytes, source.priority));
        }
    }
    explain_streams(&scene.name, &scene.air, &streams)
}

/// Explains every link between NICs that talk directly, with full frames of best effort.
///
/// # Errors
/// [`SetupError`] with the key at fault if the plan has modes that do not exist.
pub fn explain_links(name: &str, plan: &AirPlan) -> Result<Explanation, SetupError> {
    let nics = || (0_u32..).zip(&plan.nics).filter(|(_, nic)| nic.role != NicRole::Monitor);
    let mut streams = BTreeSet::new();
    for (from, own) in nics() {
        let in_cell = nics().filter(|(to, other)| *to != from && other.cell == own.cell);
        let direct =
            in_cell.filter(|(_, other)| (own.role, other.role) != (NicRole::Station, NicRole::Station));
        streams.extend(direct.map(|(to, _)| (from, to, FULL_FRAME_BYTES, 0)));
    }
    explain_streams(name, plan, &streams)
}

/// The links of a frame's way.
fn hops(plan: &AirPlan, from: u32, to: u32) -> Vec<(u32, u32)> {
    let cell = plan.nics[from as usize].cell;
    if plan.cells[cell as usize].kind == CellKind::Mesh {
        let mut way = Vec::new();
        let mut here = from;
        // Routes that never arrive are refused when the world is built.
        while here != to && way.len() < plan.nics.len() {
            let route = plan.nics[here as usize].mesh_routes.iter().find(|route| route.to == to);
            let next = route.map_or(to, |route| route.via);
            way.push((here, next));
            here = next;
        }
        return way;
    }
    let is_station = |nic: u32| plan.nics[nic as usize].role == NicRole::Station;
    let access_point = plan.nics.iter().position(|n| n.cell == cell && n.role == NicRole::AccessPoint);
    match access_point {
        Some(middle) if is_station(from) && is_station(to) => {
            vec![(from, middle as u32), (middle as u32, to)]
        }
        _ => vec![(from, to)],
    }
}

fn explain_streams(
    name: &str,
    plan: &AirPlan,
    streams: &BTreeSet<Stream>,
) -> Result<Explanation, SetupError> {
    let links = streams.iter().map(|&stream| explain_link(plan, streams, stream));
    let links = links.collect::<Result<_, _>>()?;
    Ok(Explanation { name: name.to_owned(), links, shared_txops: Vec::new() })
}

fn explain_link(
    plan: &AirPlan,
    streams: &BTreeSet<Stream>,
    (from, to, frame_bytes, priority): Stream,
) -> Result<LinkExplanation, SetupError> {
    let [own, other] = [from, to].map(|nic| &plan.nics[nic as usize]);
    let cell_of = |nic: u32| plan.nics[nic as usize].cell;
    let senders: BTreeSet<u32> =
        streams.iter().map(|stream| stream.0).filter(|&sender| cell_of(sender) == own.cell).collect();
    let modes = Link::modes(plan, from, to)?;
    let links = modes.iter().map(|&tx| Link::new(plan, from, to, tx, priority));
    let explained = links.clone().map(|link| explain_mode(&link, frame_bytes, senders.len() as u32));
    Ok(LinkExplanation {
        from,
        from_node: own.node.clone(),
        to,
        to_node: other.node.clone(),
        frame_bytes,
        priority,
        rate_control: rate_control_name(plan, own).to_owned(),
        access: explain_access(&links.clone().next().expect("a link has a mode"), frame_bytes),
        modes: explained.collect(),
    })
}

fn rate_control_name(plan: &AirPlan, nic: &AirNic) -> &'static str {
    let linux = plan.cells[nic.cell as usize].linux.as_ref();
    if linux.is_some_and(|linux| linux.rate_control == LinuxRateControl::Kernel) {
        return "kernel";
    }
    match &nic.rate_control {
        RateControlPlan::Fixed { .. } => "fixed",
        RateControlPlan::Arf { .. } => "arf",
        RateControlPlan::Aarf { .. } => "aarf",
        RateControlPlan::Cara { .. } => "cara",
        RateControlPlan::Minstrel { .. } => "minstrel",
        RateControlPlan::MinstrelHt { .. } => "minstrel_ht",
        RateControlPlan::Ideal { .. } => "ideal",
    }
}

fn explain_access(link: &Link, frame_bytes: u32) -> AccessExplanation {
    AccessExplanation {
        edca: link.edca,
        slot_ns: link.times.slot.as_nanos(),
        sifs_ns: link.times.sifs.as_nanos(),
        aifs_ns: link.aifs().as_nanos(),
        eifs_ns: link.eifs().as_nanos(),
        cw_min: link.access.cw_min,
        cw_max: link.access.cw_max,
        mean_backoff_ns: goodput(link, frame_bytes).mean_backoff.as_nanos(),
        txop_limit_ns: u64::from(link.access.txop_us) * 1_000,
    }
}

fn explain_mode(link: &Link, frame_bytes: u32, senders: u32) -> ModeExplanation {
    let alone = goodput(link, frame_bytes);
    let saturation = (senders > 1).then(|| explain_saturation(link, frame_bytes, senders));
    ModeExplanation {
        mode: link.tx.to_string(),
        rate_bps: link.tx.bit_rate().as_bps(),
        exchanges: alone.txop.exchanges.iter().map(|exchange| explain_exchange(link, exchange)).collect(),
        txop_ns: alone.txop.duration.as_nanos(),
        cycle_ns: alone.cycle.as_nanos(),
        frames_per_second: alone.frames_per_second,
        throughput_bps: alone.bits_per_second(frame_bytes),
        saturation,
    }
}

fn explain_saturation(link: &Link, frame_bytes: u32, stations: u32) -> SaturationExplanation {
    let solved = Saturation::new(link, stations, frame_bytes, frame_bytes).solve();
    SaturationExplanation {
        stations,
        collision_probability: solved.collision_probability,
        give_up_probability: solved.give_up_probability,
        throughput_bps: solved.throughput_bps,
        idle_share: solved.idle_share,
        success_share: solved.success_share,
        collision_share: solved.collision_share,
    }
}

fn explain_exchange(link: &Link, exchange: &Exchange) -> ExchangeExplanation {
    let mut ppdus = Vec::new();
    if exchange.protection == Protection::RtsCts {
        ppdus.push(explain_ppdu(link, "rts", link.control_mode(), RTS_BYTES));
    }
    if exchange.protection != Protection::None {
        ppdus.push(explain_ppdu(link, "cts", link.cts_mode(), link.cts_bytes()));
    }
    ppdus.push(explain_ppdu(link, "data", link.tx, exchange.psdu_bytes));
    let response = if exchange.mpdus > 1 { "block_ack" } else { "ack" };
    ppdus.push(explain_ppdu(link, response, link.response_mode(), link.response_bytes(exchange.mpdus)));
    ExchangeExplanation {
        frames_per_mpdu: exchange.frames_per_mpdu,
        mpdus: exchange.mpdus,
        mpdu_bytes: exchange.mpdu_bytes,
        ppdus,
        duration_ns: exchange.total.as_nanos(),
    }
}

fn explain_ppdu(link: &Link, kind: &str, tx: TxVector, psdu_bytes: u32) -> PpduExplanation {
    let txtime = tx.ppdu_duration(psdu_bytes);
    let preamble = tx.preamble_duration();
    let extension = link.times.extension_of(tx);
    PpduExplanation {
        kind: kind.to_owned(),
        mode: tx.to_string(),
        psdu_bytes,
        preamble_ns: preamble.as_nanos(),
        payload_ns: txtime.saturating_sub(preamble).as_nanos(),
        payload_symbols: payload_symbols(tx, psdu_bytes),
        signal_extension_ns: extension.as_nanos(),
        duration_ns: (txtime + extension).as_nanos(),
    }
}

/// OFDM symbols of the data field. Their number does not depend on the guard interval, and with the long one of HT and VHT nothing is
/// rounded up.
fn payload_symbols(tx: TxVector, psdu_bytes: u32) -> Option<u32> {
    tx.data_bits_per_symbol()?;
    let long = match tx.format {
        Format::Ht | Format::Vht => TxVector { guard: Guard::Ns800, ..tx },
        _ => tx,
    };
    let payload = long.ppdu_duration(psdu_bytes).saturating_sub(long.preamble_duration());
    Some(payload.div_floor(Duration::from_nanos(long.symbol_nanos())) as u32)
}
