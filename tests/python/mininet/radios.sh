# What Mininet-WiFi does with radios, by hand: two stations of a mesh, one of which goes away.
set -e
modprobe mac80211_hwsim radios=0
lsmod | grep -q mac80211_hwsim
hwsim_mgmt -c -n mn00p00s00 && hwsim_mgmt -c -n mn00p00s01
test "$(find /sys/kernel/debug/ieee80211 -name hwsim | cut -d/ -f 6 | sort | xargs)" = "mn00p00s00 mn00p00s01"
! hwsim_mgmt -c -n mn00p00s02
ip netns add far
iw phy mn00p00s01 set netns name far
far="ip netns exec far"
iw dev wlan0 set type mp; $far iw dev wlan1 set type mp
ip address add 10.9.0.1/24 dev wlan0; $far ip address add 10.9.0.2/24 dev wlan1
ip link set wlan0 up; $far ip link set wlan1 up
cat >medium.cfg <<'END'
ifaces:
{
    ids = ["02:00:00:00:00:00", "02:00:00:00:01:00"];
    enable_interference = true;
};
model:
{
    type = "path_loss";
    positions = ((0.0, 0.0, 0.0), (20.0, 0.0, 0.0));
    tx_powers = (14, 14);
    model_name = "log_distance";
    path_loss_exp = 3.0;
};
END
wmediumd -l 0 -s -c medium.cfg &
iw dev wlan0 mesh join lab freq 2437; $far iw dev wlan1 mesh join lab freq 2437
sleep 10
iw dev wlan0 station dump | grep -E 'signal:|plink'
ping -q -c 5 -i 0.2 10.9.0.2
tc qdisc replace dev wlan0 root handle 2: netem rate 1.0000mbit latency 1.00ms
tc qdisc show dev wlan0 | grep -v netem
python3 - <<'END'
import socket, struct
medium = socket.socket(socket.AF_UNIX)
medium.connect("/var/run/wmediumd.sock")
medium.send(struct.pack("!B6sfff", 13, bytes.fromhex("020000000100"), 5000.0, 0.0, 0.0))
assert medium.recv(64)[-1] == 0
END
ping -q -c 5 -i 0.2 -W 1 10.9.0.2 || true
kill %1; wait %1 || true
ping -q -c 3 -i 0.2 10.9.0.2
