//! A PPDU as the user is told of it.

use airtcp_air::PpduRecord;
use airtcp_plan::condition::EndedPpdu;

pub(super) fn ended(ppdu: &PpduRecord) -> EndedPpdu {
    EndedPpdu {
        start_ns: ppdu.start_ns,
        end_ns: ppdu.end_ns,
        nic: ppdu.nic.0,
        to: ppdu.to.map(|nic| nic.0),
        kind: ppdu.kind as u32,
        rate_bps: ppdu.tx.bit_rate().as_bps(),
        bytes: ppdu.bytes,
        attempt: ppdu.attempt,
        outcome: ppdu.outcome as u32,
    }
}
