//! hostapd and `wpa_supplicant` of the host, one for each radio, in their nodes.

use std::ffi::OsStr;
use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use airtcp_plan::{Cell, LinuxCell, NicRole, Plan};

use super::radio::{Placed, RadioFacts};
use super::{control, daemon_config};
use crate::boot::separate;
use crate::clock::{since_boot_ns, sleep_until_since_boot};
use crate::failure::{KERNEL_REMEDY, Outcome, because, failure};
use crate::guest_paths::WORK;
use crate::netlink::nl80211::GHZ_5;
use crate::netlink::{Netlink, link_report};
use crate::process::{ENVIRONMENT, host_program, output, reaper};
use crate::sys::child;

/// Folder of the daemons' configurations and output, in the run's working folder.
const FOLDER: &str = "daemons";
/// When the kernel is first asked whether an interface works; then after twice as long, and so on.
const LOOK_FIRST_NS: u64 = 2_000_000;

/// The daemons of a plan: hostapd and `wpa_supplicant`.
#[derive(Debug, Default)]
pub(super) struct Daemons {
    all: Vec<Daemon>,
}

#[derive(Debug)]
struct Daemon {
    facts: RadioFacts,
    program: &'static str,
    interface: String,
    configuration: String,
    namespace: OwnedFd,
    links: Netlink,
}

impl Daemons {
    /// Adds the daemon of a radio; the calling thread is in its node.
    pub(super) fn add(&mut self, plan: &Plan, facts: &RadioFacts, placed: &Placed) -> Outcome<()> {
        let cant = "the network namespace of a node can't be kept open";
        let namespace = placed.namespace.try_clone_to_owned();
        let namespace = namespace.map_err(because(cant, &facts.place, "use fewer radios"))?;
        let links = Netlink::open().map_err(because(cant, &facts.place, KERNEL_REMEDY))?;
        control::prepare_node(&facts.nic.node)?;
        let (program, configuration) = if facts.nic.role == NicRole::AccessPoint {
            ("hostapd", daemon_config::hostapd(facts, placed.name, placed.bridge))
        } else {
            ("wpa_supplicant", daemon_config::wpa_supplicant(facts, &frequencies(plan, facts)))
        };
        let interface = placed.name.to_owned();
        self.all.push(Daemon { facts: facts.clone(), program, interface, configuration, namespace, links });
        Ok(())
    }

    /// Starts access points, waits for them, then the same with stations: one that finds no network would only look again
    /// seconds later.
    pub(super) fn start(&mut self, epoch_ns: u64) -> Outcome<()> {
        if self.all.is_empty() {
            return Ok(());
        }
        reaper::run()?;
        let folder = Path::new(WORK).join(FOLDER);
        separate(FOLDER).map_err(because(
            "a folder can't be made",
            FOLDER,
            "make the run's folder writable",
        ))?;
        for access_points in [true, false] {
            let is_now =
                |daemon: &&mut Daemon| (daemon.facts.nic.role == NicRole::AccessPoint) == access_points;
            self.all.iter_mut().filter(is_now).try_for_each(|daemon| daemon.start(&folder))?;
            self.all.iter_mut().filter(is_now).try_for_each(|daemon| daemon.wait(&folder, epoch_ns))?;
        }
        Ok(())
    }
}

/// Where access points of the station's network may be, in ascending order.
fn frequencies(plan: &Plan, facts: &RadioFacts) -> Vec<u32> {
    let ssid = &facts.linux().ssid;
    let cells = plan.air.cells.iter();
    let has_it = |linux: &LinuxCell| linux.ssid == *ssid || linux.bss.iter().any(|bss| bss.ssid == *ssid);
    let own = cells.filter(|cell| cell.linux.as_ref().is_some_and(has_it));
    let mut frequencies: Vec<u32> = own
        .flat_map(|cell| [Some(cell.channel.primary_mhz), exchanged_primary(plan, cell)])
        .flatten()
        .collect();
    frequencies.sort_unstable();
    frequencies.dedup();
    frequencies
}

/// The secondary channel, if the cell's hostapd may take it for its primary one: at 5 GHz it exchanges the two when it meets
/// beacons on the secondary channel (IEEE 802.11-2020, 11.15.3.2).
fn exchanged_primary(plan: &Plan, cell: &Cell) -> Option<u32> {
    let secondary_mhz = cell.channel.secondary_mhz().filter(|mhz| GHZ_5.contains(mhz))?;
    plan.air.cells.iter().any(|other| other.channel.primary_mhz == secondary_mhz).then_some(secondary_mhz)
}

impl Daemon {
    fn name(&self, ending: &str) -> String {
        format!("{}-{}-{}.{ending}", self.program, self.facts.nic.node, self.interface)
    }

    fn path(&self, folder: &Path, ending: &str) -> PathBuf {
        folder.join(self.name(ending))
    }

    fn start(&self, folder: &Path) -> Outcome<()> {
        let name = self.program;
        let found = host_program::find(name).ok_or_else(|| {
            let package = if name == "hostapd" { "hostapd" } else { "wpasupplicant" };
            let remedy = format!("install it (Debian's package {package}), or set setup = \"direct\"");
            failure(format!("the program {name} is not installed"), &self.facts.place, remedy)
        })?;
        let what = format!("{name} of {} can't be started", self.facts.nic.node);
        let remedy = "make the run's folder writable";
        self.execute(&found, folder).map_err(because(&what, &self.facts.place, remedy))
    }

    fn execute(&self, found: &Path, folder: &Path) -> std::io::Result<()> {
        std::fs::write(self.path(folder, "conf"), &self.configuration)?;
        let configuration = child::VisibleFile::new(FOLDER, &self.name("conf"));
        let log = File::create(self.path(folder, "log"))?;
        let mut command = Command::new(found);
        if self.program == "wpa_supplicant" {
            command.args(["-D", "nl80211", "-i", &self.interface, "-c"]);
        }
        command
            .arg(OsStr::from_bytes(configuration.seen.to_bytes()))
            .env_clear()
            .envs(ENVIRONMENT)
            .stdin(Stdio::null());
        command.stdout(log.try_clone()?).stderr(log);
        let extras = child::Extras {
            owner: child::Owner::Node,
            reads: Some(configuration),
            ..control::extras(&self.facts.nic.node)
        };
        child::confine(&mut command, self.namespace.as_fd(), extras);
        reaper::start(&mut command).map(drop)
    }

    /// Lets virtual time pass until the interface works.
    fn wait(&mut self, folder: &Path, epoch_ns: u64) -> Outcome<()> {
        let mut step_ns = LOOK_FIRST_NS;
        while !self.works()? {
            if since_boot_ns() >= epoch_ns {
                return Err(self.failure(folder, epoch_ns));
            }
            sleep_until_since_boot(since_boot_ns() + step_ns);
            step_ns *= 2;
        }
        Ok(())
    }

    fn works(&mut self) -> Outcome<bool> {
        let listed = link_report::links(&mut self.links);
        let links =
            listed.map_err(because("interfaces can't be listed", &self.facts.place, KERNEL_REMEDY))?;
        Ok(links.iter().any(|link| link.index == self.facts.index && link.operational))
    }

    fn failure(&self, folder: &Path, epoch_ns: u64) -> airtcp_plan::report::Failure {
        let said = output::last_bytes(&self.path(folder, "log")).unwrap_or_default();
        let (node, seconds) = (&self.facts.nic.node, epoch_ns as f64 / 1e9);
        let did = if self.facts.nic.role == NicRole::AccessPoint {
            format!("{node} did not become an access point")
        } else {
            format!("{node} did not associate with an access point of {}", self.facts.linux().ssid)
        };
        let what =
            format!("{did} within {seconds} virtual s; {} says: {}", self.program, output::last_lines(&said));
        let remedy = "correct what it names, bring them nearer, or choose a later epoch";
        failure(what, &self.facts.place, remedy)
    }
}
