//! What a TXOP with a PPDU for several stations looks like: one of each cell that has such, from a run of the model.

use airtcp_plan::explanation::{SharedPpduExplanation, SharedTxopExplanation};
use airtcp_plan::{AirPlan, AirScene, NicRole, PLAN_VERSION, Pace, Source};
use airtcp_units::Instant;

use super::driver::Driver;
use crate::SetupError;
use crate::trace::{EventRecords, PpduOutcome, PpduRecord, TxopRecord};
use crate::{NicId, PpduKind};

/// Long enough for rate control to settle in cells of a few dozen stations.
const RUN_NS: u64 = 200_000_000;
/// An Ethernet frame with the usual MTU.
const FRAME_BYTES: u32 = 1514;

/// For each cell whose access point sends to several stations at once, the last TXOP with such a PPDU of a run in which the access point
/// always has frames for all of them; if it triggers uplinks, they have frames for it too, and the last TXOP in which several answered
/// follows. A cell without such TXOPs has none. A plan in which mac80211 runs has none: it needs a kernel.
///
/// # Errors
/// [`SetupError`] with the key at fault if the plan has something that does not exist or is not modelled.
pub fn shared_txops(plan: &AirPlan, seed: u64) -> Result<Vec<SharedTxopExplanation>, SetupError> {
    if plan.cells.iter().any(|cell| cell.linux.is_some()) {
        return Ok(Vec::new());
    }
    let shared = (0..).zip(&plan.cells).filter(|(_, cell)| cell.multi_user.is_some());
    let of_cells = shared.map(|(cell, _)| of_cell(plan, cell, seed));
    Ok(of_cells.collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

fn of_cell(plan: &AirPlan, cell: u32, seed: u64) -> Result<Vec<SharedTxopExplanation>, SetupError> {
    let in_cell = || (0..).zip(&plan.nics).filter(move |(_, nic)| nic.cell == cell);
    let is_access_point = |&(_, nic): &(u32, &airtcp_plan::AirNic)| nic.role == NicRole::AccessPoint;
    let Some((from, access_point)) = in_cell().find(is_access_point) else { return Ok(Vec::new()) };
    let stations = in_cell().filter(|(_, nic)| nic.role == NicRole::Station);
    let triggers = plan.cells[cell as usize].multi_user.is_some_and(|multi_user| multi_user.uplink.is_some());
    let both = |(station, nic): (u32, &airtcp_plan::AirNic)| {
        let up = triggers.then(|| saturated(format!("{} up", nic.node), station, from));
        std::iter::once(saturated(nic.node.clone(), from, station)).chain(up)
    };
    let sources = stations.flat_map(both).collect();
    let scene = AirScene {
        version: PLAN_VERSION,
        name: access_point.node.clone(),
        seed,
        warmup_ns: 0,
        duration_ns: RUN_NS,
        air: plan.clone(),
        sources,
    };
    let mut driver = Driver::new(&scene, true)?;
    driver.advance(Instant::from_nanos(RUN_NS));
    let records = &driver.out.records;
    let last = |is_data_of: &dyn Fn(NicId) -> bool| {
        let of_access_point = |txop: &&TxopRecord| txop.nic == NicId(from);
        records.txops.iter().rev().filter(of_access_point).find(|txop| is_shared(txop, is_data_of, records))
    };
    let found = [last(&|sender| sender == NicId(from)), last(&|sender| sender != NicId(from))];
    Ok(found.into_iter().flatten().map(|txop| explain(plan, txop, records)).collect())
}

fn saturated(name: String, from: u32, to: u32) -> Source {
    Source {
        name,
        from,
        to,
        frame_bytes: FRAME_BYTES,
        priority: 0,
        pace: Pace::Saturated,
        start_ns: 0,
        end_ns: RUN_NS,
    }
}

/// Whether data of these senders begins at one instant: for several users of a PPDU, or of several stations.
fn is_shared(txop: &TxopRecord, is_data_of: &dyn Fn(NicId) -> bool, records: &EventRecords) -> bool {
    let data = within(txop, records).filter(|ppdu| is_data_of(ppdu.nic) && ppdu.kind == PpduKind::Data);
    let mut starts: Vec<_> = data.map(|ppdu| ppdu.start_ns).collect();
    starts.sort_unstable();
    starts.windows(2).any(|pair| pair[0] == pair[1])
}

fn within<'a>(txop: &TxopRecord, records: &'a EventRecords) -> impl Iterator<Item = &'a PpduRecord> {
    let (start_ns, end_ns) = (txop.start_ns, txop.end_ns);
    records.ppdus.iter().filter(move |ppdu| ppdu.start_ns >= start_ns && ppdu.end_ns <= end_ns)
}

fn explain(plan: &AirPlan, txop: &TxopRecord, records: &EventRecords) -> SharedTxopExplanation {
    let node = |nic: NicId| plan.nics[nic.index()].node.clone();
    let from_start = |ns: i64| (ns - txop.start_ns).cast_unsigned();
    let mut ppdus: Vec<_> = within(txop, records).collect();
    // Those of one PPDU keep the order of its users.
    ppdus.sort_by_key(|ppdu| (ppdu.start_ns, ppdu.nic));
    let explained = ppdus.into_iter().map(|ppdu| SharedPpduExplanation {
        start_ns: from_start(ppdu.start_ns),
        end_ns: from_start(ppdu.end_ns),
        from_node: node(ppdu.nic),
        to_node: ppdu.to.map(node),
        kind: PpduKind::NAMES[ppdu.kind as usize].to_owned(),
        mode: ppdu.tx.to_string(),
        psdu_bytes: ppdu.bytes,
        outcome: PpduOutcome::NAMES[ppdu.outcome as usize].to_owned(),
    });
    SharedTxopExplanation {
        access_point: node(txop.nic),
        frame_bytes: FRAME_BYTES,
        began_ns: txop.start_ns.cast_unsigned(),
        duration_ns: from_start(txop.end_ns),
        ppdus: explained.collect(),
    }
}
