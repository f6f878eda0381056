//! The network of a plan, built in the guest's kernel.
//!
//! A namespace per node; all links made from the initial namespace in one
//! batch; then one batch per node for everything else. [`verify`] reads back.

pub(crate) mod egress;
mod host_clock;
mod layout;
mod offloads;
mod path_manager;
mod qdisc_reports;
mod shared_limits;
mod sysctl;
mod tc_program;
mod verify;
mod wire_reports;

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use airtcp_plan::report::Failure;
use airtcp_plan::{Attachment, Interface, Node, Offloads, Plan};
use rustix::fs::{Mode, OFlags, open};
use rustix::mount::mount_bind;

use self::egress::{Content, Root};
use self::host_clock::HostClocks;
use self::layout::NodeLayout;
use self::offloads::{Features, Wanted};
use self::sysctl::Global;
use self::tc_program::Line;
use self::verify::Sign;
use crate::clock::{since_boot_ns, sleep_until_since_boot};
use crate::failure::{KERNEL_REMEDY, Outcome, because, failure};
use crate::guest_paths::NAMESPACES;
use crate::netlink::address::{Prefixed, add_address};
use crate::netlink::link::{self, Identity};
use crate::netlink::link_report::{Link, links};
use crate::netlink::route::add_route;
use crate::netlink::wire::{create_wire, set_wire};
use crate::netlink::{Batch, Netlink, qdisc, refused};
use crate::sys::namespace::{enter_network, enter_new_network};
use crate::wireless::{Placed, Radios, is_radio};

/// Number of `lo` in every namespace.
const LOOPBACK: u32 = 1;
/// MTU of a bridge without ports; with ports, the kernel uses the smallest of theirs.
const BRIDGE_MTU: u32 = 1500;
/// When the kernel is first asked whether interfaces work; then after twice as long, and so on.
const SETTLE_FIRST_NS: u64 = 1_000_000;

/// The network, ready for traffic.
#[derive(Debug)]
pub(crate) struct Network {
    nodes: Vec<NodeNetwork>,
    /// The namespace of the kernel's own, in which no node is.
    initial: OwnedFd,
}

/// One node.
#[derive(Debug)]
struct NodeNetwork {
    name: String,
    namespace: OwnedFd,
    netlink: Netlink,
    layout: NodeLayout,
    /// The plan has `tc` lines for it, which may change any queue.
    has_own_tc: bool,
}

impl Network {
    /// Builds the network, and waits until every interface works.
    ///
    /// # Errors
    /// The first step that the kernel refuses, or a result that is not what the plan says.
    pub(crate) fn build(plan: &Plan) -> Outcome<Self> {
        let layout = layout::lay_out(plan)?;
        let open_failed = "the initial namespace can't be opened";
        let initial = open("/proc/thread-self/ns/net", OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())
            .map_err(because(open_failed, "network", KERNEL_REMEDY))?;
        let mut initial_netlink = Netlink::open().map_err(because(open_failed, "network", KERNEL_REMEDY))?;
        let mut global = Global::default();
        let clocks = HostClocks::open(plan.seed)?;
        let mut nodes = Vec::new();
        for (n, (node, layout)) in plan.nodes.iter().zip(layout).enumerate() {
            let namespace = if plan.guest.initial_node == Some(n as u32) {
                enter_network(initial.as_fd())?;
                initial.try_clone().map_err(because(open_failed, "network", KERNEL_REMEDY))?
            } else {
                new_namespace(n, node, &clocks)?
            };
            nodes.push(NodeNetwork::create(n, node, layout, namespace, &mut global)?);
        }
        enter_network(initial.as_fd())?;
        global.set()?;
        let mut network = Self { nodes, initial };
        let mut radios = Radios::create(plan)?;
        network.create_links(plan, &mut initial_netlink)?;
        if let Some(radios) = &mut radios {
            radios.move_to_nodes(&network.placed_radios(plan))?;
        }
        network.configure(plan)?;
        if let Some(radios) = radios {
            radios.start(plan, &network.placed_radios(plan))?;
        }
        network.settle(plan.epoch_ns)?;
        Ok(network)
    }

    fn create_links(&mut self, plan: &Plan, netlink: &mut Netlink) -> Outcome<()> {
        let mut batch = Batch::default();
        for (wire, ends) in layout::wires(plan) {
            let [a, b] = [ends[0], ends[1]].map(|(n, i)| self.nodes[n].identity(i));
            let place = &self.nodes[ends[0].0].layout.interfaces[ends[0].1].place;
            batch.add(format!("create wire {wire}"), place, create_wire(&a, &b));
        }
        for node in &self.nodes {
            for bridge in &node.layout.bridges {
                let identity = Identity {
                    index: bridge.index,
                    name: &bridge.name,
                    mac: bridge.mac,
                    mtu: BRIDGE_MTU,
                    gso_max_segments: bridge.gso_max_segments,
                    namespace: node.namespace.as_fd(),
                };
                batch.add(
                    format!("create bridge {}", bridge.name),
                    &bridge.place,
                    link::create_bridge(&identity),
                );
            }
        }
        if !plan.air.nics.is_empty() {
            let present = links(netlink);
            let present = present.map_err(because("interfaces can't be listed", "network", KERNEL_REMEDY))?;
            self.move_nics(plan, &present, &mut batch)?;
        }
        netlink.execute(batch).map_err(refused)
    }

    /// The kernel made the NICs of the air in the initial namespace, as `air0`, `air1`, ... Interfaces of mac80211 move with
    /// their radios, and keep their numbers.
    fn move_nics(&mut self, plan: &Plan, present: &[Link], batch: &mut Batch) -> Outcome<()> {
        for (n, node) in plan.nodes.iter().enumerate() {
            for (i, interface) in node.interfaces.iter().enumerate() {
                let Attachment::Air { nic } = interface.attachment else { continue };
                let (name, place) = (format!("air{nic}"), &self.nodes[n].layout.interfaces[i].place);
                let Some(found) = present.iter().find(|l| l.name == name) else {
                    let what = format!("the kernel has no interface {name}");
                    return Err(failure(what, place, "start the guest with the library of the air"));
                };
                if found.mac != Some(interface.mac) {
                    let what = format!("{name} has the address {:?}, not {}", found.mac, interface.mac);
                    return Err(failure(
                        what,
                        place,
                        "start the guest with the same plan for the library of the air",
                    ));
                }
                if is_radio(plan, nic) {
                    self.nodes[n].layout.interfaces[i].index = found.index;
                    continue;
                }
                let identity = self.nodes[n].identity(i);
                batch.add(
                    format!("move {name} to {}", node.name),
                    place,
                    link::move_link(found.index, &identity),
                );
            }
        }
        Ok(())
    }

    /// Where the radios of mac80211 are, by the numbers of their NICs.
    fn placed_radios<'a>(&'a self, plan: &'a Plan) -> Vec<Placed<'a>> {
        let mut placed = Vec::new();
        for (own, node) in self.nodes.iter().zip(&plan.nodes) {
            for (expected, interface) in own.layout.interfaces.iter().zip(&node.interfaces) {
                match interface.attachment {
                    Attachment::Air { nic } if is_radio(plan, nic) => placed.push(Placed {
                        nic,
                        index: expected.index,
                        name: &expected.name,
                        bridge: interface.bridge.as_deref(),
                        namespace: own.namespace.as_fd(),
                    }),
                    _ => {}
                }
            }
        }
        placed.sort_by_key(|one| one.nic);
        placed
    }

    fn configure(&mut self, plan: &Plan) -> Outcome<()> {
        let mut features = None;
        for (n, (own, node)) in self.nodes.iter_mut().zip(&plan.nodes).enumerate() {
            own.set_interface_sysctls(n, node)?;
            let batch = own.batch(n, node)?;
            own.netlink.execute(batch).map_err(refused)?;
            if features.is_none() {
                features = Some(Features::of_kernel(own.netlink.as_fd(), "lo")?);
            }
            if let Some(features) = &features {
                own.set_offloads(features, plan, node)?;
            }
            if node.mptcp.is_some() {
                enter_network(own.namespace.as_fd())?;
                path_manager::configure(n, node, &own.layout)?;
            }
            tc_program::run(own.namespace.as_fd(), &own.tc_lines(n, node))?;
        }
        Ok(())
    }

    /// Lets virtual time pass until every interface works, then compares everything with the plan.
    ///
    /// The network must be ready before the epoch: samplers start there, and virtual time would run backwards if they were
    /// started later. This is judged by the time of the last wake-up, since each further clock reading would advance virtual time.
    fn settle(&mut self, epoch_ns: u64) -> Outcome<()> {
        let mut step_ns = SETTLE_FIRST_NS;
        loop {
            let now_ns = since_boot_ns() + step_ns;
            sleep_until_since_boot(now_ns);
            step_ns *= 2;
            let mut waiting = None;
            for node in &mut self.nodes {
                waiting = waiting.or(node.first_idle()?);
            }
            match waiting {
                None if now_ns >= epoch_ns => return Err(ready_too_late(now_ns)),
                None => break,
                Some((what, place)) if since_boot_ns() >= epoch_ns => {
                    return Err(failure(what, place, "choose a later epoch (epoch_ns)"));
                }
                Some(_) => {}
            }
        }
        self.nodes.iter_mut().try_for_each(NodeNetwork::check_egress)
    }

    /// The kernel's number of every device, in the order of [`Plan::devices`].
    pub(crate) fn device_indices(&self) -> impl Iterator<Item = u32> {
        self.nodes.iter().flat_map(|n| n.layout.devices()).map(|device| device.index)
    }

    /// Puts the calling thread into a node.
    ///
    /// # Errors
    /// The kernel refuses.
    pub(crate) fn enter(&self, node: &str) -> Outcome<()> {
        enter_network(self.namespace(node))
    }

    /// The namespace of a node. Panics if the plan has none of this name.
    pub(crate) fn namespace(&self, node: &str) -> BorrowedFd<'_> {
        let found = self.nodes.iter().find(|n| n.name == node);
        found.unwrap_or_else(|| panic!("the plan was checked, but has no node {node}")).namespace.as_fd()
    }
}

impl NodeNetwork {
    /// Registers the namespace, in which the calling thread is, for `ip netns`, and applies the node's settings.
    fn create(
        n: usize,
        node: &Node,
        layout: NodeLayout,
        namespace: OwnedFd,
        global: &mut Global,
    ) -> Outcome<Self> {
        let place = format!("nodes[{n}]");
        publish(&node.name).map_err(because(
            "the namespace can't be named",
            &place,
            "choose another name",
        ))?;
        let netlink = Netlink::open().map_err(because("rtnetlink can't be opened", &place, KERNEL_REMEDY))?;
        for (s, sysctl) in node.sysctls.iter().enumerate() {
            if !sysctl::names_interface(&sysctl.key, node) {
                sysctl::set(sysctl, &format!("{place}.sysctls[{s}]"), global)?;
            }
        }
        let has_own_tc = !node.tc.is_empty();
        Ok(Self { name: node.name.clone(), namespace, netlink, layout, has_own_tc })
    }

    fn identity(&self, interface: usize) -> Identity<'_> {
        let expected = &self.layout.interfaces[interface];
        Identity {
            index: expected.index,
            name: &expected.name,
            mac: expected.mac,
            mtu: expected.mtu.unwrap_or(BRIDGE_MTU),
            gso_max_segments: expected.gso_max_segments,
            namespace: self.namespace.as_fd(),
        }
    }

    fn set_interface_sysctls(&self, n: usize, node: &Node) -> Outcome<()> {
        let own = |key: &str| sysctl::names_interface(key, node);
        if !node.sysctls.iter().any(|s| own(&s.key)) {
            return Ok(());
        }
        enter_network(self.namespace.as_fd())?;
        for (s, sysctl) in node.sysctls.iter().enumerate().filter(|(_, s)| own(&s.key)) {
            let mut missing = Global::default();
            sysctl::set(sysctl, &format!("nodes[{n}].sysctls[{s}]"), &mut missing)?;
            // No interface of this name is in the initial namespace: a missing key is missing there too.
            missing.set()?;
        }
        Ok(())
    }

    /// Everything but the making of links: names, ports, addresses, queues, up, routes.
    fn batch(&self, n: usize, node: &Node) -> Outcome<Batch> {
        let mut batch = Batch::default();
        batch.add("bring up lo", format!("nodes[{n}]"), link::bring_up(LOOPBACK));
        // Bridges come up before their ports: a bridge that finds a live port when it comes up would wait a
        // second of virtual time until its carrier is noticed (`linkwatch_urgent_event`).
        for (own, bridge) in self.layout.bridges.iter().zip(&node.bridges) {
            add_addresses(&mut batch, own, &bridge.addresses)?;
            batch.add(format!("bring up {}", own.name), &own.place, link::bring_up(own.index));
        }
        for (i, interface) in node.interfaces.iter().enumerate() {
            let own = &self.layout.interfaces[i];
            if matches!(interface.attachment, Attachment::Air { .. }) {
                batch.add(format!("name {}", own.name), &own.place, link::rename_link(&self.identity(i)));
            }
            if let Some(bridge) = node.bridges.iter().position(|b| Some(&b.name) == interface.bridge.as_ref())
            {
                let request = link::join_bridge(own.index, self.layout.bridges[bridge].index);
                batch.add(format!("make {} a port", own.name), &own.place, request);
            }
            add_addresses(&mut batch, own, &interface.addresses)?;
            if let Some(wire) = own.wire {
                let what = format!("set rate, delay and interrupts of {}", own.name);
                batch.add(what, format!("{}.egress", own.place), set_wire(own.index, wire));
            }
            for request in own.trace.iter().flat_map(|trace| trace.requests(own.index)) {
                let what = format!("set the trace of {}", own.name);
                batch.add(what, format!("{}.egress.trace", own.place), request);
            }
            if let Some(Root { handle, content: Content::Native(discipline) }) = own.root {
                let request = qdisc::set_qdisc(own.index, handle, qdisc::ROOT, discipline);
                let what = format!("set {} of {}", discipline.kind(), own.name);
                batch.add(what, format!("{}.egress", own.place), request);
            }
            if own.sign != Sign::Nothing {
                batch.add(format!("bring up {}", own.name), &own.place, link::bring_up(own.index));
            }
        }
        for (r, route) in node.routes.iter().enumerate() {
            let place = format!("nodes[{n}].routes[{r}]");
            let to = parse_prefixed(&route.to, &format!("{place}.to"))?;
            let what = format!("add the route to {} by {}", route.to, route.via);
            batch.add(what, place, add_route(&to, route.via));
        }
        Ok(batch)
    }

    fn set_offloads(&self, features: &Features, plan: &Plan, node: &Node) -> Outcome<()> {
        for (own, interface) in self.layout.interfaces.iter().zip(&node.interfaces) {
            let wanted = wanted_offloads(plan, node, interface);
            features.set(self.netlink.as_fd(), &own.name, wanted)?;
        }
        let mut bridges = self.layout.bridges.iter();
        bridges.try_for_each(|b| features.set(self.netlink.as_fd(), &b.name, Wanted::NONE))
    }

    fn tc_lines(&self, n: usize, node: &Node) -> Vec<Line> {
        let mut lines = Vec::new();
        for own in &self.layout.interfaces {
            if let Some(Root { handle, content: Content::Program(words) }) = &own.root {
                let line = Line::root_qdisc(&own.name, *handle, words);
                lines.push(line.at(format!("{}.egress.queue.args", own.place)));
            }
        }
        for (t, text) in node.tc.iter().enumerate() {
            lines.push(Line { text: text.clone(), place: format!("nodes[{n}].tc[{t}]") });
        }
        lines
    }

    /// The first interface that does not carry packets yet; if all do, they are compared with the plan.
    fn first_idle(&mut self) -> Outcome<Option<(String, String)>> {
        let links = links(&mut self.netlink).map_err(dump_failed)?;
        for own in self.layout.devices() {
            if !own.works(&links) {
                let what = format!("interface {} of {} has no carrier at the epoch", own.name, self.name);
                return Ok(Some((what, own.place.clone())));
            }
            own.check_link(&links)?;
        }
        Ok(None)
    }

    fn check_egress(&mut self) -> Outcome<()> {
        if self.has_own_tc {
            return Ok(());
        }
        let installed = qdisc::qdiscs(&mut self.netlink).map_err(dump_failed)?;
        self.layout.devices().try_for_each(|own| own.check_egress(&installed))
    }
}

fn wanted_offloads(plan: &Plan, node: &Node, interface: &Interface) -> Wanted {
    let is_host = node.offloads == Offloads::Host;
    match interface.attachment {
        Attachment::Wire { .. } => Wanted { segments: Some(is_host), merges: Some(is_host) },
        // A radio's device takes frames only: the kernel cuts a host's packets above it. Whether it merges what it receives is
        // part of the plan; airtcp's own driver already follows it.
        Attachment::Air { nic } => {
            let never_merges = is_radio(plan, nic) && !plan.air.nics[nic as usize].gro;
            Wanted { segments: (!is_host).then_some(false), merges: never_merges.then_some(false) }
        }
    }
}

/// The failure of a network that was ready this long after boot, at the epoch or later.
pub(crate) fn ready_too_late(ready_ns: u64) -> Failure {
    let what = format!("the network was ready {ready_ns} ns after boot, at or after the epoch");
    failure(what, "epoch_ns", format!("choose an epoch after {} ns", ready_ns * 2))
}

fn dump_failed(error: rustix::io::Errno) -> Failure {
    because("the kernel does not list its network", "network", KERNEL_REMEDY)(error)
}

fn parse_prefixed(text: &str, place: &str) -> Outcome<Prefixed> {
    let what = || format!("'{text}' is not an address with a prefix length");
    Prefixed::parse(text).ok_or_else(|| failure(what(), place, "write it like 10.0.0.1/24"))
}

fn add_addresses(batch: &mut Batch, own: &verify::Expected, addresses: &[String]) -> Outcome<()> {
    for (a, text) in addresses.iter().enumerate() {
        let place = format!("{}.addresses[{a}]", own.place);
        let address = parse_prefixed(text, &place)?;
        batch.add(format!("give {} the address {text}", own.name), place, add_address(own.index, &address));
    }
    Ok(())
}

/// Creates the namespace of a node, enters it and sets its clock.
fn new_namespace(n: usize, node: &Node, clocks: &HostClocks) -> Outcome<OwnedFd> {
    let place = format!("nodes[{n}]");
    let namespace = enter_new_network().map_err(because(
        "a network namespace can't be created",
        &place,
        KERNEL_REMEDY,
    ))?;
    clocks.set(n, node, namespace.as_fd())?;
    Ok(namespace)
}

/// Registers the calling thread's namespace for `ip netns`.
fn publish(name: &str) -> rustix::io::Result<()> {
    let path = format!("{NAMESPACES}/{name}");
    open(path.as_str(), OFlags::CREATE | OFlags::RDONLY | OFlags::CLOEXEC, Mode::RUSR)?;
    mount_bind("/proc/thread-self/ns/net", path.as_str())
}
