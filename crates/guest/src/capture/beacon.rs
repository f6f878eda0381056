//! The body of a beacon: its fixed fields and the elements that no beacon goes without (IEEE 802.11-2020, 9.3.3.2).
//!
//! The model has the length of beacons, not their contents. The rest of their length stays unknown.

use airtcp_air::phy::Band;
use airtcp_plan::CellKind;

use super::cell_facts::CellFacts;
use super::cut::CutMpdu;

/// Element identifiers (9.4.2.1).
const SSID: u8 = 0;
const SUPPORTED_RATES: u8 = 1;
const DSSS_PARAMETERS: u8 = 3;
const TRAFFIC_MAP: u8 = 5;
const MESH_CONFIGURATION: u8 = 113;
const MESH_ID: u8 = 114;
/// Most characters of an SSID or a mesh ID (9.4.2.2, 9.4.2.98).
const NAME_BYTES_MAX: usize = 32;
/// Most rates of the element (9.4.2.3), and the bit that makes them basic.
const RATES_MAX: usize = 8;
const BASIC: u8 = 0x80;

/// Writes the body of a cell's beacon whose frame has this length, sent at this time.
pub(super) fn write(mpdu: &mut CutMpdu<'_>, cell: &CellFacts, start_ns: u64, frame_bytes: u32) {
    let mut body = (start_ns / 1000).to_le_bytes().to_vec();
    body.extend(cell.beacon_interval.to_le_bytes());
    body.extend(capabilities(cell).to_le_bytes());
    let name = &cell.name.as_bytes()[..cell.name.len().min(NAME_BYTES_MAX)];
    let mesh = cell.kind == CellKind::Mesh;
    // Mesh stations beacon with the wildcard SSID.
    element(&mut body, SSID, if mesh { &[] } else { name });
    let basic: Vec<u8> = cell.basic_rates.iter().take(RATES_MAX).map(|rate| rate | BASIC).collect();
    element(&mut body, SUPPORTED_RATES, &basic);
    if Band::of_mhz(cell.primary_mhz) == Some(Band::Ghz2_4) {
        element(&mut body, DSSS_PARAMETERS, &[channel_number(cell.primary_mhz)]);
    }
    if mesh {
        element(&mut body, MESH_ID, name);
        element(&mut body, MESH_CONFIGURATION, &[0; 7]);
    } else {
        // DTIM count and period, no station has traffic waiting.
        element(&mut body, TRAFFIC_MAP, &[0, 1, 0, 0]);
    }
    let room = frame_bytes.saturating_sub(mpdu.bytes() + 4);
    mpdu.put(&body[..body.len().min(room as usize)]);
    mpdu.leave(room.saturating_sub(body.len() as u32));
}

fn capabilities(cell: &CellFacts) -> u16 {
    const ESS: u16 = 1;
    const SHORT_PREAMBLE: u16 = 1 << 5;
    const SHORT_SLOT: u16 = 1 << 10;
    let of = |has: bool, bit: u16| if has { bit } else { 0 };
    of(cell.kind == CellKind::Infrastructure, ESS)
        | of(cell.short_preamble, SHORT_PREAMBLE)
        | of(cell.short_slot, SHORT_SLOT)
}

/// Number of a channel of 2.4 GHz (Annex E): 5 MHz apart, but for the last.
fn channel_number(mhz: u32) -> u8 {
    if mhz == 2_484 { 14 } else { ((mhz - 2_407) / 5) as u8 }
}

fn element(body: &mut Vec<u8>, identifier: u8, value: &[u8]) {
    body.extend([identifier, value.len() as u8]);
    body.extend(value);
}
