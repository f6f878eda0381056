"""A host with a fast link downloads nothing, sends a lot, and everything else waits behind it: bufferbloat.

    h1 --- 10 ms --- s0 --- 10 Mbit/s, a queue of so many packets --- h2

`python3 bufferbloat.py QUEUE SECONDS`: iperf and ping from h1 to h2, and pages that h2 fetches from h1.
"""

import sys

from mininet.link import TCLink
from mininet.net import Mininet
from mininet.node import OVSBridge
from mininet.topo import Topo


class Path(Topo):
    """Two hosts and a switch."""

    def build(self, queue):
        h1, h2 = self.addHost("h1"), self.addHost("h2")
        s0 = self.addSwitch("s0")
        self.addLink(h1, s0, delay="10ms")
        self.addLink(s0, h2, bw=10, max_queue_size=queue)


def main(queue, seconds):
    net = Mininet(topo=Path(queue=queue), link=TCLink, switch=OVSBridge, controller=None)
    net.start()
    h1, h2 = net["h1"], net["h2"]
    for host in (h1, h2):
        # A packet of the queue is a frame.
        host.cmd(f"ethtool -K {host.name}-eth0 tso off gso off gro off")
    h1.cmd(
        "mkdir -p /tmp/pages; head -c 100000 /dev/zero > /tmp/pages/page; cd /tmp/pages; python3 -m http.server 80 &"
    )
    h2.cmd("iperf -s -p 5001 > /dev/null &")
    h1.cmd(f"iperf -c {h2.IP()} -p 5001 -t {seconds} -Z cubic > /dev/null &")
    ping = h1.popen(f"ping -q -i 0.1 -w {seconds} {h2.IP()}")
    for _ in range(3):
        print("page", h2.cmd(f"curl -s -o /dev/null -w '%{{time_total}}' {h1.IP()}/page").strip())
    print(ping.communicate()[0].decode())
    net.stop()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
