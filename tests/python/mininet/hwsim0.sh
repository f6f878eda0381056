# Two access points on two channels, of which one has a station; one capture has the frames of both.
modprobe mac80211_hwsim radios=4
ip link set hwsim0 up
tcpdump -i hwsim0 -w /tmp/all.pcap 2>/dev/null &
sleep 0.5
for n in 0 1; do
    printf '%s\n' interface=wlan$n ssid=s$n hw_mode=g channel=$((1 + 5 * n)) >/tmp/ap$n.conf
    hostapd -B /tmp/ap$n.conf >/dev/null
done
ip addr add 10.0.0.1/24 dev wlan0
ip netns add far
iw phy phy2 set netns name far
ip -n far link set wlan2 up
ip -n far addr add 10.0.0.2/24 dev wlan2
ip netns exec far iw dev wlan2 scan >/dev/null
ip netns exec far iw dev wlan2 connect s0
sleep 2
ip netns exec far ping -c 2 10.0.0.1
kill %1
sleep 0.2
tcpdump -e -n -r /tmp/all.pcap 2>/dev/null
