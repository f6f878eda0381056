"""The commands `airtcp ...` in gdb, whose own interpreter runs this file: it has the standard library alone.

`airtcp debug` holds the network and answers requests on a connection (`debugger.py`). Where a command needs
time to go on, it is ordered there; then the kernel is continued until a signal says that the clock stands.
"""

import contextlib
import json
import os
import socket
from collections.abc import Iterator
from typing import Any

import gdb  # type: ignore[import-untyped]

# `STANDS` and `CONNECTION` of `debugger.py`.
STANDS = "SIGUSR2"
CONNECTION = "AIRTCP_DEBUG_CONNECTION"
# What Linux itself does with these signals in its process goes on unseen.
SIGNALS_OF_LINUX = "SIGSEGV SIGUSR1 SIGALRM SIGVTALRM SIGIO SIGCHLD SIGWINCH SIGPIPE"
SETTINGS = (
    "set pagination off",
    "set confirm off",
    "set print thread-events off",
    # No library is looked for: that of the guest has the name /proc/self/fd/6, which in gdb is another file.
    "set sysroot /nonexistent",
    # The kernel's process starts those of programs, which it traces itself.
    "set follow-fork-mode parent",
    "set detach-on-fork on",
    f"handle {SIGNALS_OF_LINUX} nostop noprint pass",
    f"handle {STANDS} stop print nopass",
)
# How far back the search for an earlier stop begins, and by which factor it is widened.
FIRST_WINDOW_NS = 1_000_000
WIDER = 10
# How many callers are asked for their node.
CALLERS = 12
# What tells of a node: a variable's name, its structure, and the way from there to the namespace.
NODE_VARIABLES = (
    ("sk", "sock", ("__sk_common", "skc_net", "net")),
    ("dev", "net_device", ("nd_net", "net")),
    ("net", "net", ()),
)
# include/net/tcp_states.h
TCP_STATES = (
    "",
    "ESTABLISHED",
    "SYN_SENT",
    "SYN_RECV",
    "FIN_WAIT1",
    "FIN_WAIT2",
    "TIME_WAIT",
    "CLOSE",
    "CLOSE_WAIT",
    "LAST_ACK",
    "LISTEN",
    "CLOSING",
    "NEW_SYN_RECV",
)
# These have other structures than a connection.
WITHOUT_TCP_SOCK = ("TIME_WAIT", "NEW_SYN_RECV")
# TCP_INFINITE_SSTHRESH of include/net/tcp.h
INFINITE_SSTHRESH = 0x7FFFFFFF
# enum tcp_ca_state of include/uapi/linux/tcp.h
CA_STATES = ("open", "disorder", "cwr", "recovery", "loss")
# include/linux/socket.h
AF_INET6 = 10
UNITS_NS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


class Network:
    """The network that `airtcp debug` holds, and the kernel's process to which gdb is attached."""

    def __init__(self) -> None:
        self._connection = socket.socket(fileno=int(os.environ[CONNECTION]))
        self._received = b""
        begun = self.ask("begin")
        self.nodes: list[str] = begun["nodes"]
        self._epoch_ns: int = begun["epoch_ns"]
        self._end_ns: int = begun["end_ns"]
        self._tree: str = begun["tree"]
        self._process: int = begun["process"]
        self._stops = 0
        """How often breakpoints have stopped the kernel."""
        self._silent = False
        """Whether stops are not told when they happen."""

    def ask(self, what: str, **words: object) -> dict[str, Any]:
        """The answer to a request; what is refused is an error of the command."""
        self._connection.sendall(json.dumps({"do": what, **words}).encode() + b"\n")
        while b"\n" not in self._received:
            chunk = self._connection.recv(1 << 16)
            if not chunk:
                raise gdb.GdbError("The network has ended")
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise gdb.GdbError(answer["error"])
        return answer

    def begin(self) -> None:
        """Attaches gdb to the kernel, with symbols and source."""
        for setting in SETTINGS:
            gdb.execute(setting, to_string=True)
        gdb.execute(f"file {self._tree}/linux", to_string=True)
        gdb.execute(f"directory {self._tree}", to_string=True)
        self._attach()
        gdb.events.stop.connect(self._stopped)
        gdb.execute("define hook-continue\npython network.before_continue()\nend")
        self.say_where()

    def _attach(self) -> None:
        with quiet():
            gdb.execute(f"attach {self._process}", to_string=True)

    def now_ns(self) -> int:
        """The instant of the kernel's clock, from traffic time zero."""
        return int(gdb.parse_and_eval("time_travel_time")) - self._epoch_ns

    def node(self, host: int) -> str:
        """The name of a node by the number that the kernel has for it; "" of 0, the machine itself."""
        return self.nodes[host - 1] if 0 < host <= len(self.nodes) else ""

    def say_where(self) -> None:
        """Says where the clock stands and why, if it stands."""
        where = self.ask("where")
        if where["stands"]:
            why = f": {where['why']}" if where["why"] else ""
            print(f"The clock stands at {seconds(where['now_ns'])}{why}")

    def go(self, what: str, **words: object) -> None:
        """Lets time go on as far as is asked for, or to a breakpoint."""
        self.ask(what, now_ns=self.now_ns(), **words)
        if self.continue_silently():
            self.say_stop()
        self.say_where()

    def before_continue(self) -> None:
        """A clock that stands goes on to the end of the scenario when somebody continues the kernel."""
        where = self.ask("where")
        if where["stands"] and not self._silent:
            if where["now_ns"] >= self._end_ns:
                raise gdb.GdbError("The scenario's end is past; let time go on with airtcp run, or go back")
            self.go_to_end()

    def continue_silently(self) -> bool:
        """Continues the kernel; whether a breakpoint stops it, before the clock stands."""
        before, self._silent = self._stops, True
        try:
            with quiet():
                gdb.execute("continue")
        finally:
            self._silent = False
        return self._stops != before

    def go_to_end(self) -> None:
        """Time may go on to the end of the scenario."""
        self.ask("go", now_ns=self.now_ns(), at_ns=self._end_ns)

    def say_stop(self) -> None:
        """Says where a breakpoint has stopped the kernel."""
        print(str(gdb.execute("frame", to_string=True)).strip())
        print(f"[{self.place()}]")

    def go_back(self, at_ns: int) -> None:
        """Takes the network back: gdb leaves the kernel, and enters that of the network that is run again."""
        gdb.execute("detach", to_string=True)
        self._process = self.ask("back", at_ns=at_ns)["process"]
        self._attach()

    def pass_stops(self, until_ns: int, most: int | None) -> int:
        """Lets time go on to an instant past all stops at breakpoints, or `most` of them; how many."""
        self.ask("go", now_ns=self.now_ns(), at_ns=until_ns)
        passed = 0
        while (most is None or passed < most) and self.continue_silently():
            passed += 1
        return passed

    def _stopped(self, event: Any) -> None:
        """Says where a breakpoint has stopped the kernel, or why the clock stands."""
        if isinstance(event, gdb.BreakpointEvent):
            self._stops += 1
            if not self._silent:
                print(f"[{self.place()}]")
        elif isinstance(event, gdb.SignalEvent) and event.stop_signal == STANDS and not self._silent:
            self.say_where()

    def place(self) -> str:
        """The instant and the node for which the kernel works."""
        node = self.node(host_of_frames())
        return f"{seconds(self.now_ns())}{', ' + node if node else ''}"


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Meanwhile gdb says nothing of stops. It has the setting since version 13."""
    with contextlib.suppress(gdb.error):
        gdb.execute("set suppress-cli-notifications on")
    try:
        yield
    finally:
        with contextlib.suppress(gdb.error):
            gdb.execute("set suppress-cli-notifications off")


def seconds(at_ns: int) -> str:
    """An instant as text."""
    return f"{at_ns / 1e9:.9f} s"


def host_of_frames() -> int:
    """The host of the nearest socket, device, packet or namespace that a frame has; 0: none has one."""
    frame = gdb.selected_frame()
    for _ in range(CALLERS):
        for name, structure, way in NODE_VARIABLES:
            host = host_of(variable(frame, name), structure, way)
            if host:
                return host
        skb = variable(frame, "skb")
        for name, structure, way in NODE_VARIABLES[:2]:
            host = host_of(member(skb, name), structure, way)
            if host:
                return host
        frame = frame.older()
        if frame is None:
            break
    return 0


def variable(frame: Any, name: str) -> Any:
    """A variable of a frame; `None` if it has none, or the compiler has not kept it."""
    try:
        value = frame.read_var(name)
    except (ValueError, RuntimeError):
        return None
    return None if value.is_optimized_out else value


def member(pointer: Any, name: str) -> Any:
    """What a pointer has by this name; `None` if it has not."""
    try:
        return None if pointer is None or not int(pointer) else pointer.dereference()[name]
    except (RuntimeError, TypeError):
        return None


def host_of(pointer: Any, structure: str, way: tuple[str, ...]) -> int:
    """The host of a structure to which a pointer points; 0 if it is not this structure."""
    try:
        if pointer is None or not int(pointer):
            return 0
        target = pointer.type.strip_typedefs().target().unqualified()
        if target.name != structure:
            return 0
        place = pointer.dereference()
        for part in way:
            place = place[part]
        net = place.dereference() if way else place
        return int(net["airtcp_host"])
    except (RuntimeError, TypeError):
        return 0


def connections() -> Iterator[Any]:
    """All `struct tcp_sock *` in the kernel's table of established connections."""
    table = gdb.parse_and_eval("&tcp_hashinfo")
    tcp_sock = gdb.lookup_type("struct tcp_sock").pointer()
    node_of_list = gdb.lookup_type("struct hlist_nulls_node").pointer()
    offset = int(gdb.parse_and_eval("(unsigned long)&((struct sock_common *)0)->skc_nulls_node"))
    for number in range(int(table["ehash_mask"]) + 1):
        place = int(table["ehash"][number]["chain"]["first"])
        # The end of such a list is an odd number (include/linux/list_nulls.h).
        while not place & 1:
            yield gdb.Value(place - offset).cast(tcp_sock)
            place = int(gdb.Value(place).cast(node_of_list)["next"])


def connection(sock: Any) -> tuple[str, ...]:
    """The columns of a connection; empty if it is closing."""
    csk = sock["inet_conn"]
    common = csk["icsk_inet"]["sk"]["__sk_common"]
    state = TCP_STATES[int(common["skc_state"])]
    if state in WITHOUT_TCP_SOCK:
        return ()
    ssthresh, of_control = int(sock["snd_ssthresh"]), int(csk["icsk_ca_state"])
    # In network byte order.
    remote_port = socket.ntohs(int(common["skc_dport"]))
    return (
        network.node(int(common["skc_net"]["net"]["airtcp_host"])) or "-",
        address(common, "skc_rcv_saddr", int(common["skc_num"])),
        address(common, "skc_daddr", remote_port),
        state,
        csk["icsk_ca_ops"]["name"].string(),
        str(int(sock["snd_cwnd"])),
        "-" if ssthresh >= INFINITE_SSTHRESH else str(ssthresh),
        # srtt_us has three bits of fraction (include/linux/tcp.h).
        f"{int(sock['srtt_us']) / 8 / 1000:.3f}",
        CA_STATES[of_control] if of_control < len(CA_STATES) else str(of_control),
        f"{int(sock):#x}",
    )


SOCKET_HEAD = (
    "node",
    "local",
    "remote",
    "state",
    "cca",
    "cwnd",
    "ssthresh",
    "srtt_ms",
    "ca_state",
    "tcp_sock",
)


def address(common: Any, name: str, port: int) -> str:
    """An end of a connection; `name` is the member that has it for IPv4."""
    if int(common["skc_family"]) == AF_INET6:
        octets = common[name.replace("skc_", "skc_v6_")]["in6_u"]["u6_addr8"]
        text = socket.inet_ntop(socket.AF_INET6, bytes(int(octets[index]) for index in range(16)))
        return f"[{text}]:{port}"
    return f"{socket.inet_ntop(socket.AF_INET, int(common[name]).to_bytes(4, 'little'))}:{port}"


def read_time(text: str, example: str) -> int:
    """Nanoseconds of a time such as 5 ms."""
    number = text.strip().rstrip("nmus")
    unit = text.strip()[len(number) :]
    try:
        return round(float(number) * UNITS_NS[unit])
    except (KeyError, ValueError):
        said = text or "Nothing"
        raise gdb.GdbError(f"{said} is not a time; write for example {example}") from None


class Command(gdb.Command):  # type: ignore[misc]
    """A command `airtcp NAME`; the docstring of its class is its help."""

    def __init__(self, name: str) -> None:
        super().__init__(f"airtcp {name}", gdb.COMMAND_RUNNING)

    def invoke(self, argument: str, from_tty: bool) -> None:
        """What gdb calls."""
        del from_tty
        self.dont_repeat()
        self.do(argument)

    def do(self, argument: str) -> None:
        """Carries out the command."""
        raise NotImplementedError


class Airtcp(gdb.Command):  # type: ignore[misc]
    """The network of airtcp: its clock, its nodes, its connections, and its way back."""

    def __init__(self) -> None:
        super().__init__("airtcp", gdb.COMMAND_RUNNING, prefix=True)


class Now(Command):
    """The instant, and the node for which the kernel works here."""

    def do(self, argument: str) -> None:
        """Says it."""
        del argument
        print(network.place())


class Nodes(Command):
    """The nodes, with the numbers that the kernel has for them (net->airtcp_host)."""

    def do(self, argument: str) -> None:
        """Lists them."""
        del argument
        for number, name in enumerate(network.nodes, 1):
            print(f"{number:4} {name}")


class Sockets(Command):
    """airtcp sockets [NODE]: the TCP connections, as the kernel has them at this instant."""

    def do(self, argument: str) -> None:
        """Lists them."""
        if argument and argument not in network.nodes:
            raise gdb.GdbError(f"There is no node {argument}; there are: {' '.join(network.nodes)}")
        rows = [row for row in map(connection, connections()) if row and argument in ("", row[0])]
        widths = [max(map(len, column)) for column in zip(SOCKET_HEAD, *rows, strict=True)]
        for row in (SOCKET_HEAD, *sorted(rows)):
            cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
            print("  ".join(cells).rstrip())


class Run(Command):
    """airtcp run LENGTH: lets time go on, such as 5 ms. From a breakpoint it is exact to a millisecond."""

    def do(self, argument: str) -> None:
        """Lets it go on."""
        network.go("go", length_ns=read_time(argument, "airtcp run 5 ms"))


class Goto(Command):
    """airtcp goto TIME: takes the network to an instant, later or earlier, such as 12.3 s."""

    def do(self, argument: str) -> None:
        """Takes it there."""
        at_ns = read_time(argument, "airtcp goto 12.3 s")
        if at_ns > network.now_ns():
            network.go("go", at_ns=at_ns)
        else:
            network.go_back(at_ns)
            network.say_where()


class Back(Command):
    """airtcp back LENGTH: takes the network back, such as by 5 ms, by running it again."""

    def do(self, argument: str) -> None:
        """Takes it back."""
        network.go_back(network.now_ns() - read_time(argument, "airtcp back 5 ms"))
        network.say_where()


class Until(Command):
    """airtcp until CONDITION [within LENGTH]: lets time go on until something happens or is so.

    loss, retransmit, roam, frame from NODE, cwnd < 10, srtt > 100 ms of FLOW, and so on, as `until` in
    airtcp shell. `airtcp next loss` and `airtcp when cwnd < 10` are the same.
    """

    def do(self, argument: str) -> None:
        """Lets it go on."""
        if not argument:
            raise gdb.GdbError("Write what to wait for: airtcp until loss")
        network.go("until", condition=argument)


class Previous(Command):
    """airtcp previous: takes the network back to the stop before this one, at any breakpoint that is set.

    The network is run again, from ever earlier, and its stops are counted.
    """

    def do(self, argument: str) -> None:
        """Takes it back."""
        del argument
        now_ns, window_ns = network.now_ns(), FIRST_WINDOW_NS
        while True:
            start_ns = max(0, now_ns - window_ns)
            network.go_back(start_ns)
            earlier = network.pass_stops(now_ns, None)
            if earlier or start_ns == 0:
                break
            window_ns *= WIDER
        if not earlier:
            raise gdb.GdbError("No breakpoint stops the kernel before this instant")
        network.go_back(start_ns)
        network.pass_stops(now_ns, earlier - 1)
        network.go_to_end()
        network.continue_silently()
        network.say_stop()


class Prove(Command):
    """airtcp prove: compares the frames so far with those of the network's own kernel without gdb."""

    def do(self, argument: str) -> None:
        """Compares them."""
        del argument
        if not network.ask("where")["stands"]:
            raise gdb.GdbError("The clock does not stand here; let it: airtcp run 1 ms")
        network.ask("ask_hash")
        network.continue_silently()
        found = network.ask("prove")
        if found["ours"] != found["plain"]:
            raise gdb.GdbError(f"The frames differ: {found['ours']} here, {found['plain']} without gdb")
        at = seconds(network.now_ns())
        print(f"The frames up to {at} are those of kernel {found['kernel']} without gdb ({found['ours']})")


network = Network()
Airtcp()
Now("now")
Nodes("nodes")
Sockets("sockets")
Run("run")
Goto("goto")
Back("back")
Until("until")
Until("next")
Until("when")
Previous("previous")
Prove("prove")
network.begin()
