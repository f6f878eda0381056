//! What must hold between the parts of the radio side, whatever the model of the air says to them.

use std::collections::BTreeSet;

use super::{AccessParameters, AirNic, AirPlan, Cell, CellKind, NicRole, QueuePlan};
use crate::{MacAddress, PlanError};

type Check = Result<(), PlanError>;

fn wrong(key: impl Into<String>, why: impl Into<String>) -> Check {
    Err(PlanError::Value { key: key.into(), why: why.into() })
}

impl AirPlan {
    /// Checks the radio side as a whole: references, roles, addresses, channel access, queues.
    ///
    /// # Errors
    /// The first [`PlanError`] found; its key begins with `air.`.
    pub fn check(&self) -> Check {
        let mut addresses = BTreeSet::new();
        for (i, nic) in self.nics.iter().enumerate() {
            let key = format!("air.nics[{i}]");
            self.check_nic(&key, nic)?;
            if !addresses.insert(nic.mac.0) {
                return wrong(format!("{key}.mac"), format!("{} appears twice", nic.mac));
            }
        }
        self.cells.iter().enumerate().try_for_each(|(c, cell)| self.check_cell(c, cell))
    }

    fn check_nic(&self, key: &str, nic: &AirNic) -> Check {
        let Some(cell) = self.cells.get(nic.cell as usize) else {
            return wrong(format!("{key}.cell"), format!("there is no air.cells[{}]", nic.cell));
        };
        if nic.mac.is_group() || nic.mac == MacAddress([0; 6]) {
            return wrong(format!("{key}.mac"), format!("{} is not the address of one station", nic.mac));
        }
        if (nic.role == NicRole::Mesh) != (cell.kind == CellKind::Mesh) {
            return wrong(format!("{key}.role"), format!("does not fit '{}', of another kind", cell.name));
        }
        match nic.queue {
            QueuePlan::Fifo { packets: 0 } => wrong(format!("{key}.queue.packets"), "must be at least 1"),
            QueuePlan::Direct { aggregates } if !(1..=2).contains(&aggregates) => {
                wrong(format!("{key}.queue.aggregates"), format!("{aggregates} is not 1 or 2"))
            }
            QueuePlan::FqCodel(plan) if plan.packets == 0 => {
                wrong(format!("{key}.queue.packets"), "must be at least 1")
            }
            QueuePlan::FqCodel(plan) if plan.flows == 0 => {
                wrong(format!("{key}.queue.flows"), "must be at least 1")
            }
            _ => Ok(()),
        }
    }

    fn check_cell(&self, c: usize, cell: &Cell) -> Check {
        let key = format!("air.cells[{c}]");
        let is_access_point = |n: &&AirNic| n.cell as usize == c && n.role == NicRole::AccessPoint;
        let access_points = self.nics.iter().filter(is_access_point).count();
        if cell.kind == CellKind::Infrastructure && access_points != 1 {
            return wrong(key, format!("'{}' has {access_points} access points, it needs one", cell.name));
        }
        if !matches!(cell.access.len(), 1 | 4) {
            let why = format!("{} entries; DCF has one, EDCA has four", cell.access.len());
            return wrong(format!("{key}.access"), why);
        }
        for (a, access) in cell.access.iter().enumerate() {
            check_access(&format!("{key}.access[{a}]"), access)?;
        }
        if cell.short_retry_limit == 0 || cell.long_retry_limit == 0 {
            return wrong(format!("{key}.short_retry_limit, long_retry_limit"), "must be at least 1");
        }
        match cell.beacon {
            Some(beacon) if beacon.interval_us == 0 => {
                wrong(format!("{key}.beacon.interval_us"), "must be more than 0")
            }
            _ => Ok(()),
        }
    }
}

fn check_access(key: &str, access: &AccessParameters) -> Check {
    // IEEE 802.11-2020, 9.4.2.28: AIFSN is at least 1 at an access point; windows are powers of two less one, up to 32767.
    if access.aifsn == 0 {
        return wrong(format!("{key}.aifsn"), "must be at least 1");
    }
    for (name, window) in [("cw_min", access.cw_min), ("cw_max", access.cw_max)] {
        if window > 32_767 || !(window + 1).is_power_of_two() {
            let why = format!("{window} is not one less than a power of two, up to 32767");
            return wrong(format!("{key}.{name}"), why);
        }
    }
    if access.cw_max < access.cw_min {
        return wrong(format!("{key}.cw_max"), format!("{} is less than cw_min", access.cw_max));
    }
    Ok(())
}
