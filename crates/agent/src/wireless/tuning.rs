//! A radio pinned to one mode beside the kernel's rate control.

use airtcp_plan::{McsFormat, Mode};

use super::capability::Band;
use crate::netlink::Request;
use crate::netlink::nl80211::{attribute, band};

// enum nl80211_tx_rate_attributes
const LEGACY: u16 = 1;
const HT: u16 = 2;
const VHT: u16 = 3;
const GUARD: u16 = 4;
// enum nl80211_txrate_gi
const FORCE_SHORT: u8 = 1;
const FORCE_LONG: u8 = 2;
/// Spatial streams in `struct nl80211_txrate_vht`.
const VHT_STREAMS: usize = 8;

/// Adds the mask with this mode alone. Of an MCS width and guard interval stay the
/// rate control's: masks have no width, and mac80211 minds no guard interval.
/// cfg80211 refuses a mask for a format that the radio does not support, even an empty one.
pub(super) fn bitrate_mask(request: Request, mode: Mode, mhz: u32, own: &Band) -> Request {
    request.nest(attribute::TX_RATES, &[], |r| r.nest(band(mhz), &[], |r| rates(r, mode, own)))
}

fn rates(mut request: Request, mode: Mode, own: &Band) -> Request {
    let (mut ht, mut high) = (Vec::new(), None);
    match mode {
        Mode::Legacy { rate_bps } => {
            request = request.attribute(LEGACY, &[(rate_bps.as_bps() / 500_000) as u8]);
        }
        Mode::Mcs { format: McsFormat::Ht, mcs, streams, .. } => ht.push((mcs + 8 * (streams - 1)) as u8),
        Mode::Mcs { mcs, streams, .. } => high = Some((mcs, streams)),
    }
    if own.ht.is_some() {
        request = request.attribute(HT, &ht);
    }
    if own.vht.is_some() {
        request = request.attribute(VHT, &vht(high));
    }
    match mode {
        Mode::Legacy { .. } => request,
        Mode::Mcs { guard_ns, .. } => {
            request.u8(GUARD, if guard_ns == 400 { FORCE_SHORT } else { FORCE_LONG })
        }
    }
}

/// `struct nl80211_txrate_vht`: a mask of MCS for each number of streams.
fn vht(only: Option<(u32, u32)>) -> Vec<u8> {
    let mut masks = [0u16; VHT_STREAMS];
    if let Some((mcs, streams)) = only {
        masks[streams as usize - 1] = 1 << mcs;
    }
    masks.iter().flat_map(|mask| mask.to_ne_bytes()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::generic::{HEADER_BYTES, header};
    use crate::netlink::message::{attributes, find, replies};

    fn rate_attributes(mode: &serde_json::Value) -> Vec<(u16, Vec<u8>)> {
        let mode = serde_json::from_value(mode.clone()).unwrap();
        let own = Band { ht: Some([0; 26]), vht: Some([0; 12]), ..Band::default() };
        let bytes = bitrate_mask(Request::new(30, 0, &header(57)), mode, 5180, &own).finish(1, 0);
        let body = replies(&bytes).next().unwrap().body;
        let bands = find(&body[HEADER_BYTES..], attribute::TX_RATES).unwrap();
        attributes(find(bands, 1).unwrap()).map(|(kind, value)| (kind, value.to_vec())).collect()
    }

    #[test]
    fn a_mask_has_one_mode() {
        let nothing = vec![0; 16];
        let legacy = rate_attributes(&serde_json::json!({"kind": "legacy", "rate_bps": 54_000_000}));
        assert_eq!(legacy, [(LEGACY, vec![108]), (HT, vec![]), (VHT, nothing.clone())]);
        let mcs = |format: &str, mcs, streams, guard_ns| {
            rate_attributes(&serde_json::json!({
                "kind": "mcs", "format": format, "mcs": mcs, "streams": streams, "width_mhz": 20, "guard_ns": guard_ns
            }))
        };
        assert_eq!(mcs("ht", 7, 2, 400), [(HT, vec![15]), (VHT, nothing), (GUARD, vec![FORCE_SHORT])]);
        let mut second = vec![0; 16];
        second[2..4].copy_from_slice(&(1u16 << 9).to_ne_bytes());
        assert_eq!(mcs("vht", 9, 2, 800), [(HT, vec![]), (VHT, second), (GUARD, vec![FORCE_LONG])]);
    }
}
